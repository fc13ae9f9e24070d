// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The six kinds of JSON values.
///
/// - SeeAlso: [RFC 8259, section 3](https://www.rfc-editor.org/rfc/rfc8259.html#section-3)
public enum JSONKind: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool
    /// A number, kept as its text.
    case number
    /// A text.
    case string
    /// An ordered list.
    case array
    /// A set of members with distinct names.
    case object

    /// The kind in a word, as it stands in messages.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
