// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJSON
internal import TesseraSupport

extension APIValue where Self: LosslessStringConvertible {
    /// Creates a value from a JSON string.
    public init?(_ node: JSONNode) {
        guard let text = node.stringValue else { return nil }
        self.init(text)
    }

    /// The value as a JSON string.
    public var node: JSONNode { .string(self.description) }
}

extension String: APIValue {}

extension Bool: APIValue {
    /// Creates a value from `true` or `false`.
    public init?(_ node: JSONNode) {
        guard let value = node.boolValue else { return nil }
        self = value
    }

    /// The value as `true` or `false`.
    public var node: JSONNode { .bool(self) }
}

extension APIValue where Self: FixedWidthInteger {
    /// Creates an integer from a JSON number, or from a string that contains a number.
    public init?(_ node: JSONNode) {
        guard let value = NumberText.integer(node, Self.self) else { return nil }
        self = value
    }
}

extension Int: APIValue {
    /// The value as a JSON number.
    public var node: JSONNode { .integer(Int64(self)) }
}

extension UInt32: APIValue {
    /// The value as a JSON number.
    public var node: JSONNode { .integer(Int64(self)) }
}

// 64-bit integers are JSON strings, because many JSON parsers convert numbers to doubles, which are not precise enough.
extension Int64: APIValue {}
extension UInt64: APIValue {}

extension Double: APIValue {
    /// Creates a number from a JSON number, or from a string that contains a number, `NaN`, `Infinity` or `-Infinity`.
    public init?(_ node: JSONNode) {
        if let value = node.doubleValue {
            self = value
        } else if let text = node.stringValue, let value = NumberText.double(text) {
            self = value
        } else {
            return nil
        }
    }

    /// The value as a JSON number, or as a string if JSON cannot represent it as a number.
    public var node: JSONNode {
        if self.isNaN { return .string("NaN") }
        return self.isFinite ? .double(self) : .string(self < 0 ? "-Infinity" : "Infinity")
    }
}

extension Data: APIValue {
    /// Creates data from a base64 string in the standard or URL-safe alphabet, with or without padding.
    public init?(_ node: JSONNode) {
        guard let text = node.stringValue, let bytes = Base64.decode(text.utf8) else { return nil }
        self.init(bytes)
    }

    /// The value as a padded base64 string in the URL-safe alphabet, which all Google APIs accept.
    public var node: JSONNode { .string(Base64.encode(self, isURLSafe: true)) }
}
