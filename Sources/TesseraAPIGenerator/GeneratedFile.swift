// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A file of generated code.
public struct GeneratedFile: Sendable, Hashable {
    /// Where it belongs, below the module's folder, such as `Schemas/File.swift`.
    public let path: String
    /// The code.
    public let text: String
}
