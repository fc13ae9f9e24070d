// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// How code is generated.
public struct GeneratorOptions: Sendable, Hashable {
    /// How much of Google's documentation stands in the code.
    public enum Documentation: String, Sendable, Hashable, CaseIterable {
        /// What a method is called and where it is documented.
        case none
        /// The first sentence of each description too.
        case short
        /// All of them.
        case full
    }

    /// How much of Google's documentation stands in the code.
    public var documentation: Documentation
    /// The name of the client; nil for the API's name and version, such as `DriveV3`.
    public var namespace: String?
    /// Which methods there are; empty for all.
    ///
    /// Identifiers such as `drive.files.list`, with or without the API's name, and with a star at the end for all that
    /// begin so. Schemas that none of them needs are left out.
    public var included: [String]

    /// Everything, with first sentences.
    public init(documentation: Documentation = .short, namespace: String? = nil, included: [String] = []) {
        self.documentation = documentation
        self.namespace = namespace
        self.included = included
    }
}
