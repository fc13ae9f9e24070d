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

/// How deep and how long a document may be; longer or deeper ones are refused before they cost memory.
public struct JSONLimits: Sendable, Hashable {
    /// How many arrays and objects may stand inside each other; at least 0 and never more than 1,024, whatever is set.
    public var maximumDepth: Int
    /// How many bytes a document may have; never more than 512 MiB, whatever is set.
    ///
    /// A parsed document takes up to eight times its length in memory (a list of one-digit numbers); an ordinary one
    /// takes twice its length.
    public var maximumBytes: Int

    /// The given limits, or 128 levels and 16 MiB.
    public init(maximumDepth: Int = 128, maximumBytes: Int = 1 << 24) {
        self.maximumDepth = maximumDepth
        self.maximumBytes = maximumBytes
    }

    var depth: Int { min(max(self.maximumDepth, 0), 1_024) }
    var bytes: Int { min(max(self.maximumBytes, 0), 1 << 29) }
}
