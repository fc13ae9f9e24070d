// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A JSON value from a second, simple reader, which is recursive and works on Unicode scalars.
///
/// It accepts the same texts as `JSONValue`: RFC 8259 in UTF-8, without lone surrogates and duplicate member names.
public enum PlainJSON: Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string([UInt8])
    case array([PlainJSON])
    case object([(name: [UInt8], value: PlainJSON)])

    /// Parses a JSON text, or returns nil if it is not valid JSON or nested too deeply.
    public init?(_ bytes: [UInt8], depth: Int) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var reader = PlainJSONReader(Array(text.unicodeScalars))
        guard let value = reader.document(depth: depth) else { return nil }
        self = value
    }

    /// The member with the given name, or nil if it is missing or the value is not an object.
    public subscript(_ name: String) -> PlainJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == Array(name.utf8) }?.value
    }

    /// The text, or nil if the value is not a string.
    public var text: String? {
        guard case .string(let bytes) = self else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The elements, or nil if the value is not an array.
    public var elements: [PlainJSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// Whether the value is an object.
    public var isObject: Bool {
        guard case .object = self else { return false }
        return true
    }

    /// Returns whether two values are equal, including the order of object members.
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
