// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The fields of an object to which a call applies, such as `"name,emailAddresses"`.
///
/// - SeeAlso: [google.protobuf.FieldMask](https://protobuf.dev/reference/protobuf/google.protobuf/#field-mask)
public struct FieldMask: APIValue, Hashable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    LosslessStringConvertible
{
    /// The paths of the fields in lower camel case, with a dot between names.
    public var paths: [String]

    /// Creates a mask from paths.
    public init(_ paths: [String]) { self.paths = paths }

    /// Creates a mask from comma-separated paths.
    public init(_ text: String) { self.paths = text.split(separator: ",").map(String.init) }

    /// Creates a mask from comma-separated paths.
    public init(stringLiteral text: String) { self.init(text) }

    /// Creates a mask from paths.
    public init(arrayLiteral paths: String...) { self.init(paths) }

    /// The paths, separated by commas.
    public var description: String { self.paths.joined(separator: ",") }
}
