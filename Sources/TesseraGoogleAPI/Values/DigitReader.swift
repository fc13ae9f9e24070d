// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// Parses text that contains numbers with fixed numbers of digits.
struct DigitReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) { self.rest = text }

    var isAtEnd: Bool { self.rest.isEmpty }
    var next: UInt8? { self.rest.first }

    /// Reads a number with exactly `count` digits.
    mutating func number(_ count: Int) -> Int? {
        guard self.rest.count >= count else { return nil }
        var value = 0
        for digit in self.rest.prefix(count) {
            guard 0x30...0x39 ~= digit else { return nil }
            value = value * 10 + Int(digit - 0x30)
        }
        self.rest = self.rest.dropFirst(count)
        return value
    }

    /// Reads a decimal point with one to nine digits and returns them in billionths, or 0 if there is no decimal point.
    mutating func billionths() -> Int? {
        guard self.skip(".") else { return 0 }
        let digits = self.rest.prefix { 0x30...0x39 ~= $0 }
        guard 1...9 ~= digits.count, var value = self.number(digits.count) else { return nil }
        for _ in digits.count..<9 { value *= 10 }
        return value
    }

    /// Skips the next character if it is the given one, and returns whether it was.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard self.rest.first == UInt8(ascii: character) else { return false }
        self.rest = self.rest.dropFirst()
        return true
    }

    /// Returns a number padded with leading zeros.
    static func padded(_ value: Int, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// Returns billionths as a fraction with a decimal point and three, six or nine digits, or an empty string for 0.
    static func fraction(_ billionths: Int) -> String {
        if billionths == 0 { return "" }
        var (value, count) = (billionths, 9)
        while value % 1_000 == 0 { (value, count) = (value / 1_000, count - 3) }
        return "." + Self.padded(value, count)
    }
}

/// Parses numbers in the formats of APIs, which represent 64-bit integers as strings.
enum NumberText {
    static func isInteger<Integer: FixedWidthInteger>(_ text: ArraySlice<UInt8>, _ type: Integer.Type) -> Bool {
        if text.count <= 9, text.allSatisfy({ 0x30...0x39 ~= $0 }) { return !text.isEmpty }
        return Self.integer(String(decoding: text, as: UTF8.self), type) != nil
    }

    static func isDouble(_ text: ArraySlice<UInt8>) -> Bool {
        Self.isPlain(text) || Self.double(String(decoding: text, as: UTF8.self)) != nil
    }

    /// Whether the text is a decimal number with at most 15 integer digits and no exponent.
    ///
    /// This fast path covers nearly all numbers. Numbers in this form are always valid doubles.
    private static func isPlain(_ text: ArraySlice<UInt8>) -> Bool {
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
        var (whole, fraction, hasPoint) = (0, 0, false)
        for byte in digits {
            switch byte {
            case 0x30...0x39 where hasPoint: fraction += 1
            case 0x30...0x39: whole += 1
            case UInt8(ascii: ".") where !hasPoint: hasPoint = true
            default: return false
            }
        }
        let hasLeadingZero = whole > 1 && digits.first == 0x30
        return 1...15 ~= whole && !hasLeadingZero && hasPoint == (fraction > 0)
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

    /// Parses digits, or another form of an integer such as `1.0`.
    private static func integer<Integer: FixedWidthInteger>(_ text: String, _ type: Integer.Type) -> Integer? {
        if let integer = Integer(text) { return text.hasPrefix("+") ? nil : integer }
        return try? JSONValue(parsing: text).integer(type)
    }
}
