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
    /// Reads a text.
    public init?(_ node: JSONNode) {
        guard let text = node.stringValue else { return nil }
        self.init(text)
    }

    /// A text.
    public var node: JSONNode { .string(self.description) }
}

extension String: APIValue {}

extension Bool: APIValue {
    /// `true` or `false`.
    public init?(_ node: JSONNode) {
        guard let value = node.boolValue else { return nil }
        self = value
    }

    /// `true` or `false`.
    public var node: JSONNode { .bool(self) }
}

extension APIValue where Self: FixedWidthInteger {
    /// Reads a number, or a text of one.
    public init?(_ node: JSONNode) {
        guard let value = NumberText.integer(node, Self.self) else { return nil }
        self = value
    }
}

extension Int: APIValue {
    /// A number.
    public var node: JSONNode { .integer(Int64(self)) }
}

extension UInt32: APIValue {
    /// A number.
    public var node: JSONNode { .integer(Int64(self)) }
}

// Texts, since a double, which is what many readers make of a number, has not enough digits.
extension Int64: APIValue {}
extension UInt64: APIValue {}

extension Double: APIValue {
    /// A number, or a text of one: `NaN`, `Infinity` and `-Infinity` too.
    public init?(_ node: JSONNode) {
        if let value = node.doubleValue {
            self = value
        } else if let text = node.stringValue, let value = NumberText.double(text) {
            self = value
        } else {
            return nil
        }
    }

    /// A number, or a text where JSON has no number for it.
    public var node: JSONNode {
        if self.isNaN { return .string("NaN") }
        return self.isFinite ? .double(self) : .string(self < 0 ? "-Infinity" : "Infinity")
    }
}

extension Data: APIValue {
    /// Bytes in base64, in either alphabet, padded or not.
    public init?(_ node: JSONNode) {
        guard let text = node.stringValue, let bytes = Base64.decode(text.utf8) else { return nil }
        self.init(bytes)
    }

    /// The URL-safe alphabet with padding, which every API of Google's reads.
    public var node: JSONNode { .string(Base64.encode(self, isURLSafe: true)) }
}
