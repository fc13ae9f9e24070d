// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Which fields of an object a call is about: `"name,emailAddresses"`.
///
/// - SeeAlso: [google.protobuf.FieldMask](https://protobuf.dev/reference/protobuf/google.protobuf/#field-mask)
public struct FieldMask: APIValue, Hashable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    LosslessStringConvertible
{
    /// The paths, in lower camel case, with dots between the names.
    public var paths: [String]

    /// A mask of these paths.
    public init(_ paths: [String]) { self.paths = paths }

    /// The mask of a text with commas between the paths.
    public init(_ text: String) { self.paths = text.split(separator: ",").map(String.init) }

    /// The mask of a text with commas between the paths.
    public init(stringLiteral text: String) { self.init(text) }

    /// A mask of these paths.
    public init(arrayLiteral paths: String...) { self.init(paths) }

    /// The paths with commas between them.
    public var description: String { self.paths.joined(separator: ",") }
}
