// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Functions that validate the contents of JSON strings and resolve their escapes.
///
/// - SeeAlso: [RFC 8259, section 7](https://www.rfc-editor.org/rfc/rfc8259.html#section-7)
enum JSONStringText {
    /// Returns the position after a UTF-8 sequence of two to four bytes, rejecting overlong forms, surrogates and
    /// values above U+10FFFF.
    static func afterSequence(_ source: Span<UInt8>, _ position: Int) throws(JSONError) -> Int {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch source[position] {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw JSONError(.invalidUTF8, offset: position)
        }
        guard source.count - position >= length, second.contains(source[position + 1]) else {
            throw JSONError(.invalidUTF8, offset: position)
        }
        for location in position + 2..<max(position + length, position + 2) where source[location] & 0xC0 != 0x80 {
            throw JSONError(.invalidUTF8, offset: position)
        }
        return position + length
    }

    /// Returns the position after an escape that begins with the backslash at `position`.
    static func afterEscape(_ source: Span<UInt8>, _ position: Int) throws(JSONError) -> Int {
        guard position + 1 < source.count else { throw JSONError(.invalidSyntax, offset: source.count) }
        switch source[position + 1] {
        case JSONCharacter.quote, JSONCharacter.backslash, JSONCharacter.slash, JSONCharacter.b, JSONCharacter.f,
            JSONCharacter.n, JSONCharacter.r,
            JSONCharacter.t:
            return position + 2
        case JSONCharacter.u:
            guard let unit = Self.hexadecimal(source, position + 2) else {
                throw JSONError(.invalidSyntax, offset: position)
            }
            guard unit & 0xF800 == 0xD800 else { return position + 6 }
            guard unit < 0xDC00, Self.isLowSurrogate(source, position + 6) else {
                throw JSONError(.invalidUTF8, offset: position)
            }
            return position + 12
        default:
            throw JSONError(.invalidSyntax, offset: position)
        }
    }

    /// Returns the bytes of a valid string with its escapes resolved.
    static func unescaped(_ source: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            let byte = source[position]
            guard byte == JSONCharacter.backslash, position + 1 < range.upperBound else {
                result.append(byte)
                position += 1
                continue
            }
            let escape = source[position + 1]
            position += 2
            switch escape {
            case JSONCharacter.b: result.append(0x08)
            case JSONCharacter.f: result.append(0x0C)
            case JSONCharacter.n: result.append(0x0A)
            case JSONCharacter.r: result.append(0x0D)
            case JSONCharacter.t: result.append(0x09)
            case JSONCharacter.u:
                var scalar = Self.hexadecimal(source, position) ?? 0xFFFD
                position += 4
                if scalar & 0xFC00 == 0xD800, let low = Self.hexadecimal(source, position + 2) {
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
                    position += 6
                }
                result.append(
                    contentsOf: UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter
                )
            default: result.append(escape)
            }
        }
        return result
    }

    private static func isLowSurrogate(_ source: Span<UInt8>, _ position: Int) -> Bool {
        guard position + 1 < source.count, source[position] == JSONCharacter.backslash,
            source[position + 1] == JSONCharacter.u,
            let unit = Self.hexadecimal(source, position + 2)
        else { return false }
        return unit & 0xFC00 == 0xDC00
    }

    /// Returns the value of four hexadecimal digits, or nil if they are not valid.
    private static func hexadecimal(_ source: Span<UInt8>, _ position: Int) -> UInt32? {
        guard source.count - position >= 4 else { return nil }
        var value: UInt32 = 0
        for location in position..<position + 4 {
            let byte = source[location]
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
            case 0x41...0x46: value = value << 4 | UInt32(byte - 0x37)
            case 0x61...0x66: value = value << 4 | UInt32(byte - 0x57)
            default: return nil
            }
        }
        return value
    }
}
