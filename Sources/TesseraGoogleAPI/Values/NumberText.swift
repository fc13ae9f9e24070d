// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// Numbers as APIs write them: as numbers, and as texts where 64 bits are needed.
enum NumberText {
    static func isInteger<Integer: FixedWidthInteger>(_ text: ArraySlice<UInt8>, _ type: Integer.Type) -> Bool {
        if text.count <= 9, text.allSatisfy({ 0x30...0x39 ~= $0 }) { return !text.isEmpty }
        return Self.integer(String(decoding: text, as: UTF8.self), type) != nil
    }

    static func isDouble(_ text: ArraySlice<UInt8>) -> Bool {
        Self.double(String(decoding: text, as: UTF8.self)) != nil
    }

    static func integer<Integer: FixedWidthInteger>(_ node: JSONNode, _ type: Integer.Type) -> Integer? {
        node.integerValue(type) ?? node.stringValue.flatMap { Self.integer($0, type) }
    }

    static func double(_ text: String) -> Double? {
        switch text {
        case "NaN": .nan
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        default: try? JSONValue(parsing: text).double()
        }
    }

    /// Digits, or another way of writing an integer, such as `1.0`.
    private static func integer<Integer: FixedWidthInteger>(_ text: String, _ type: Integer.Type) -> Integer? {
        if let integer = Integer(text) { return text.hasPrefix("+") ? nil : integer }
        return try? JSONValue(parsing: text).integer(type)
    }
}
