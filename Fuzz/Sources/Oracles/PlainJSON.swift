// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A JSON value by a second reader, written for nothing but to be plain: recursive, over whole scalars, no offsets.
///
/// It reads what `JSONValue` promises to read: RFC 8259, UTF-8 alone, no lone surrogates, no two members of one name.
public enum PlainJSON: Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string([UInt8])
    case array([PlainJSON])
    case object([(name: [UInt8], value: PlainJSON)])

    /// Nil for what is no JSON.
    public init?(_ bytes: [UInt8], depth: Int) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var reader = PlainJSONReader(Array(text.unicodeScalars))
        guard let value = reader.document(depth: depth) else { return nil }
        self = value
    }

    /// The member of that name; nil where there is none or the value is no object.
    public subscript(_ name: String) -> PlainJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == Array(name.utf8) }?.value
    }

    /// The text of a string.
    public var text: String? {
        guard case .string(let bytes) = self else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The elements of an array.
    public var elements: [PlainJSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// Whether it is an object.
    public var isObject: Bool {
        guard case .object = self else { return false }
        return true
    }

    /// Whether two values are the same, their members in the same order.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.name == $1.name && $0.value == $1.value }
        default: false
        }
    }
}
