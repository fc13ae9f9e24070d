// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Base64 encoding and decoding with the standard and URL-safe alphabets.
///
/// - SeeAlso: [RFC 4648](https://www.rfc-editor.org/rfc/rfc4648.html)
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlSafeAlphabet = Array(Self.alphabet.dropLast(2)) + "-_".utf8

    /// The value that each URL-safe character adds to the three bytes of its group, as a little-endian number.
    ///
    /// There are 256 entries for each of the four positions in a group. Entries for other characters have more than 24
    /// bits.
    private static let contributions: [UInt32] = {
        var contributions = [UInt32](repeating: .max, count: 4 * 256)
        for location in 0..<4 {
            for (value, character) in Self.urlSafeAlphabet.enumerated() {
                let group = UInt32(truncatingIfNeeded: value) << (18 - 6 * location)
                contributions[location * 256 + Int(character)] = group.byteSwapped >> 8
            }
        }
        return contributions
    }()

    /// Returns the Base64 encoding of some bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to encode.
    ///   - isURLSafe: Whether to use `-` and `_` instead of `+` and `/`.
    ///   - isPadded: Whether to pad the last group with `=`.
    /// - Returns: The Base64 text.
    package static func encode(_ bytes: some Collection<UInt8>, isURLSafe: Bool = false, isPadded: Bool = true)
        -> String
    {
        // An array is read several times as fast as an unspecialized collection.
        let bytes = Array(bytes)
        let alphabet = isURLSafe ? Self.urlSafeAlphabet : Self.alphabet
        let length = (bytes.count * 4 + 2) / 3
        let padding = isPadded ? (4 - length % 4) % 4 : 0
        return String(unsafeUninitializedCapacity: length + padding) { text in
            var (buffer, bits, location) = (UInt32(0), 0, 0)
            for byte in bytes {
                buffer = buffer << 8 | UInt32(byte)
                bits += 8
                while bits >= 6 {
                    bits -= 6
                    text[location] = alphabet[Int(buffer >> bits & 63)]
                    location += 1
                }
            }
            if bits > 0 { text[location] = alphabet[Int(buffer << (6 - bits) & 63)] }
            for location in length..<length + padding { text[location] = UInt8(ascii: "=") }
            return length + padding
        }
    }

    /// Decodes text in either alphabet.
    ///
    /// Returns nil if the text contains other characters or padding before the end, or has an impossible length.
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

    /// Decodes unpadded text in the URL-safe alphabet, or returns nil if the text is not the canonical encoding.
    package static func decodeURLSafe(_ text: consuming [UInt8]) -> [UInt8]? {
        Self.decode(text, isCanonical: true)
    }

    /// Decodes the text in place, where the result never overtakes the characters that have yet to be read.
    ///
    /// This method looks up four characters at a time in a table and validates all of them once, at the end. Apart from
    /// verifying the signature, decoding takes a large part of the time needed to process an ID token. `Span` is not
    /// used because it requires a compatibility library before the 2025 releases of Apple platforms.
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
        // These sums cannot overflow, because they do not exceed the length of the text or the table.
        var (position, location, seen) = (0, 0, UInt32(0))
        while position <= bytes.count &- 4 {
            let group =
                contributions[Int(bytes[position])]
                | contributions[256 &+ Int(bytes[position &+ 1])]
                | contributions[512 &+ Int(bytes[position &+ 2])]
                | contributions[768 &+ Int(bytes[position &+ 3])]
            seen |= group
            // This also stores a fourth byte, which the next group overwrites.
            bytes.storeBytes(of: group.littleEndian, toByteOffset: location, as: UInt32.self)
            position &+= 4
            location &+= 3
        }
        guard position < bytes.count else { return (seen >> 24 == 0, true) }
        let hasThird = position &+ 2 < bytes.count
        let last =
            contributions[Int(bytes[position])]
            | contributions[256 &+ Int(bytes[position &+ 1])]
            | (hasThird ? contributions[512 &+ Int(bytes[position &+ 2])] : 0)
        bytes[location] = UInt8(truncatingIfNeeded: last)
        bytes[location &+ 1] = UInt8(truncatingIfNeeded: last >> 8)
        // The unused bits of the last character are 0 in a canonical encoding.
        return ((seen | last) >> 24 == 0, (last & 0xFF_FFFF) >> (hasThird ? 16 : 8) == 0)
    }
}
