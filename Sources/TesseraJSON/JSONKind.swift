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
    /// A number of any size, which is stored as text.
    case number
    /// A string.
    case string
    /// An ordered list of elements.
    case array
    /// A set of members with distinct names.
    case object

    /// The name of the kind for use in messages.
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

/// The limits for parsing a document, which are checked before memory is allocated.
public struct JSONLimits: Sendable, Hashable {
    /// The maximum nesting depth of arrays and objects, from 0 to 1,024.
    ///
    /// Larger values are treated as 1,024.
    public var maximumDepth: Int
    /// The maximum length of a document, in bytes.
    ///
    /// Values above 512 MiB are treated as 512 MiB.
    ///
    /// A parsed document usually takes twice its length in memory. In the worst case, a list of one-digit numbers, it
    /// takes eight times its length.
    public var maximumBytes: Int

    /// Creates limits, which default to 128 levels and 16 MiB.
    public init(maximumDepth: Int = 128, maximumBytes: Int = 1 << 24) {
        self.maximumDepth = maximumDepth
        self.maximumBytes = maximumBytes
    }

    var depth: Int { min(max(self.maximumDepth, 0), 1_024) }
    var bytes: Int { min(max(self.maximumBytes, 0), 1 << 29) }
}
