// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Functions that validate the text of JSON numbers and convert it to integers.
///
/// - SeeAlso: [RFC 8259, section 6](https://www.rfc-editor.org/rfc/rfc8259.html#section-6)
enum JSONNumberText {
    /// Returns the position after a number, and whether the number consists of digits with an optional minus sign.
    static func end(_ source: Span<UInt8>, _ start: Int) throws(JSONError) -> (end: Int, isInteger: Bool) {
        var position = start
        if source[position] == JSONCharacter.minus { position += 1 }
        let firstDigit = position
        position = try Self.afterDigits(source, position)
        guard source[firstDigit] != JSONCharacter.zero || position == firstDigit + 1 else {
            throw JSONError(.invalidSyntax, offset: firstDigit)
        }
        var isInteger = true
        if position < source.count, source[position] == JSONCharacter.point {
            isInteger = false
            position = try Self.afterDigits(source, position + 1)
        }
        if position < source.count, source[position] | 0x20 == JSONCharacter.exponent {
            isInteger = false
            position += 1
            if position < source.count,
                source[position] == JSONCharacter.plus || source[position] == JSONCharacter.minus
            {
                position += 1
            }
            position = try Self.afterDigits(source, position)
        }
        return (position, isInteger)
    }

    /// Converts a valid number to an integer.
    ///
    /// `1e3` and `1.0` are integers, but `1.5` is not.
    static func integer<Integer: FixedWidthInteger>(
        _ text: ArraySlice<UInt8>,
        as type: Integer.Type
    ) throws(JSONError) -> Integer {
        let isNegative = text.first == JSONCharacter.minus
        let mantissa = text.prefix { $0 | 0x20 != JSONCharacter.exponent }
        let whole = mantissa.drop { $0 == JSONCharacter.minus }.prefix { $0 != JSONCharacter.point }
        let fraction = mantissa.drop { $0 != JSONCharacter.point }.dropFirst()

        var digits = Array(whole + fraction)
        while digits.last == JSONCharacter.zero { digits.removeLast() }
        guard digits.contains(where: { $0 != JSONCharacter.zero }) else { return 0 }
        let dropped = whole.count + fraction.count - digits.count
        let shift = Self.exponent(text.dropFirst(mantissa.count)) + Int64(dropped - fraction.count)
        guard shift >= 0 else { throw JSONError(.wrongKind, offset: text.startIndex) }

        var result: Integer = 0
        for digit in digits.drop(while: { $0 == JSONCharacter.zero }) {
            result = try Self.append(digit - JSONCharacter.zero, to: result, isNegative, text.startIndex)
        }
        // A nonzero number overflows at the latest after as many zeros as the type has bits.
        for _ in 0..<min(shift, Int64(Integer.bitWidth)) {
            result = try Self.append(0, to: result, isNegative, text.startIndex)
        }
        return result
    }

    private static func append<Integer: FixedWidthInteger>(
        _ digit: UInt8,
        to value: Integer,
        _ isNegative: Bool,
        _ offset: Int
    ) throws(JSONError) -> Integer {
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, carry) =
            isNegative
            ? product.subtractingReportingOverflow(Integer(digit)) : product.addingReportingOverflow(Integer(digit))
        guard !overflow, !carry else { throw JSONError(.numberOutOfRange, offset: offset) }
        return sum
    }

    /// Returns the value of an exponent such as `e+12`, or 0 if there is no exponent.
    ///
    /// Values larger than any document's length are clamped.
    private static func exponent(_ text: ArraySlice<UInt8>) -> Int64 {
        let limit: Int64 = 1 << 40
        var value: Int64 = 0
        for byte in text where (JSONCharacter.zero...JSONCharacter.nine).contains(byte) && value < limit {
            value = value * 10 + Int64(byte - JSONCharacter.zero)
        }
        return text.dropFirst().first == JSONCharacter.minus ? -value : value
    }

    /// Returns the position after one or more digits.
    private static func afterDigits(_ source: Span<UInt8>, _ start: Int) throws(JSONError) -> Int {
        var position = start
        while position < source.count, (JSONCharacter.zero...JSONCharacter.nine).contains(source[position]) {
            position += 1
        }
        guard position > start else { throw JSONError(.invalidSyntax, offset: position) }
        return position
    }
}
