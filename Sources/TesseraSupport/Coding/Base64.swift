// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Base64 in both alphabets.
///
/// - SeeAlso: [RFC 4648](https://www.rfc-editor.org/rfc/rfc4648.html)
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlSafeAlphabet = Self.alphabet.dropLast(2) + Array("-_".utf8)

    /// What each character of the URL-safe alphabet adds to the three bytes of its group, taken as one little-endian number:
    /// 256 for each of the four places in a group.
    ///
    /// More than 24 bits for other characters.
    private static let contributions: [UInt32] = {
        var contributions = [UInt32](repeating: .max, count: 4 * 256)
        for place in 0..<4 {
            for (value, character) in Self.urlSafeAlphabet.enumerated() {
                let group = UInt32(truncatingIfNeeded: value) << (18 - 6 * place)
                contributions[place * 256 + Int(character)] = group.byteSwapped >> 8
            }
        }
        return contributions
    }()

    /// The text for some bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - isURLSafe: Whether the text has `-` and `_` instead of `+` and `/`.
    ///   - isPadded: Whether `=` fills up the last group.
    /// - Returns: The Base64 text.
    package static func encode(_ bytes: some Collection<UInt8>, isURLSafe: Bool = false, isPadded: Bool = true)
        -> String
    {
        let alphabet = isURLSafe ? Array(Self.urlSafeAlphabet) : Self.alphabet
        let length = (bytes.count * 4 + 2) / 3
        let padding = isPadded ? (4 - length % 4) % 4 : 0
        return String(unsafeUninitializedCapacity: length + padding) { text in
            var (buffer, bits, place) = (UInt32(0), 0, 0)
            for byte in bytes {
                buffer = buffer << 8 | UInt32(byte)
                bits += 8
                while bits >= 6 {
                    bits -= 6
                    text[place] = alphabet[Int(buffer >> bits & 63)]
                    place += 1
                }
            }
            if bits > 0 { text[place] = alphabet[Int(buffer << (6 - bits) & 63)] }
            for place in length..<length + padding { text[place] = UInt8(ascii: "=") }
            return length + padding
        }
    }

    /// Returns the bytes of a text in either alphabet, or nil for other characters, padding elsewhere than at the end and an
    /// impossible length.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var characters = text.map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
        if characters.count.isMultiple(of: 4) {
            for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        }
        return Self.decode(characters, isCanonical: false)
    }

    /// Returns the bytes of an unpadded text in the URL-safe alphabet, or nil if it is not the one canonical text of them.
    package static func decodeURLSafe(_ text: consuming [UInt8]) -> [UInt8]? {
        Self.decode(text, isCanonical: true)
    }

    /// Decodes the text's own bytes in place: the result never overtakes the characters that it is made of.
    ///
    /// Reads four characters at a time from a table and checks once, at the end, that all of them were in the alphabet.
    /// Decoding is a large part of the cost of an ID token apart from its signature. There is no `Span` here because it
    /// needs a compatibility library before the 2025 releases of Apple's systems.
    private static func decode(_ text: consuming [UInt8], isCanonical: Bool) -> [UInt8]? {
        let (groups, rest) = text.count.quotientAndRemainder(dividingBy: 4)
        guard rest != 1 else { return nil }
        var bytes = text
        let found = bytes.withUnsafeMutableBytes { bytes in
            Self.contributions.withUnsafeBufferPointer { Self.decode(bytes, $0) }
        }
        guard found.isValid, found.isCanonical || !isCanonical else { return nil }
        bytes.removeLast(groups + (rest == 0 ? 0 : 1))
        return bytes
    }

    private static func decode(
        _ bytes: UnsafeMutableRawBufferPointer,
        _ contributions: UnsafeBufferPointer<UInt32>
    ) -> (isValid: Bool, isCanonical: Bool) {
        // No sum here exceeds the length of the text, or that of the table.
        var (position, place, seen) = (0, 0, UInt32(0))
        while position <= bytes.count &- 4 {
            let group =
                contributions[Int(bytes[position])]
                | contributions[256 &+ Int(bytes[position &+ 1])]
                | contributions[512 &+ Int(bytes[position &+ 2])]
                | contributions[768 &+ Int(bytes[position &+ 3])]
            seen |= group
            // With a fourth byte, which the next group overwrites.
            bytes.storeBytes(of: group.littleEndian, toByteOffset: place, as: UInt32.self)
            position &+= 4
            place &+= 3
        }
        guard position < bytes.count else { return (seen >> 24 == 0, true) }
        let hasThird = position &+ 2 < bytes.count
        let last =
            contributions[Int(bytes[position])]
            | contributions[256 &+ Int(bytes[position &+ 1])]
            | (hasThird ? contributions[512 &+ Int(bytes[position &+ 2])] : 0)
        bytes[place] = UInt8(truncatingIfNeeded: last)
        bytes[place &+ 1] = UInt8(truncatingIfNeeded: last >> 8)
        // The unused bits of the last character are 0 in a canonical text.
        return ((seen | last) >> 24 == 0, (last & 0xFF_FFFF) >> (hasThird ? 16 : 8) == 0)
    }
}
