// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What keeps code from being generated.
public struct GeneratorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: Sendable, Hashable {
        /// The document is none.
        case document
        /// A method or schema that is asked for or named is not there.
        case missing
    }

    /// What is wrong.
    public let code: Code
    /// What exactly.
    public let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// One line.
    public var description: String {
        switch self.code {
        case .document: "This is no discovery document: \(self.detail)"
        case .missing: "The discovery document has no \(self.detail)"
        }
    }
}
