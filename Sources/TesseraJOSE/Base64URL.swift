// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Base64 with the URL-safe alphabet and without padding, in its one canonical form.
///
/// - SeeAlso: [RFC 7515, section 2](https://www.rfc-editor.org/rfc/rfc7515.html#section-2)
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// What each character adds to the three bytes of its group, taken as one little-endian number: 256 for each of the
    /// four places in a group.
    ///
    /// More than 24 bits for what is none of the alphabet.
    private static let contributions: [UInt32] = {
        var contributions = [UInt32](repeating: .max, count: 4 * 256)
        for place in 0..<4 {
            for (value, character) in Self.alphabet.enumerated() {
                let group = UInt32(truncatingIfNeeded: value) << (18 - 6 * place)
                contributions[place * 256 + Int(character)] = group.byteSwapped >> 8
            }
        }
        return contributions
    }()

    /// The text for some bytes.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable { Self.encode($0) }
            ?? Array(bytes).withUnsafeBufferPointer { Self.encode($0) }
    }

    private static func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let alphabet = Self.alphabet
        let length = (bytes.count * 4 + 2) / 3
        return String(unsafeUninitializedCapacity: length) { text in
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
            return length
        }
    }

    /// The bytes of a text; nil for padding, `+`, `/`, white space, an impossible length, or unused bits that are set.
    ///
    /// Each byte sequence has exactly one text, so a signed text cannot be altered and still mean the same.
    public static func decode(_ text: String) -> [UInt8]? { Self.decode(utf8: Array(text.utf8)) }

    /// Decodes the text's own bytes in place: the result never overtakes the characters that it is made of.
    ///
    /// Reads four characters at a time from a table and checks once, at the end, that all of them were in the alphabet.
    /// Decoding is a large part of the cost of an ID token apart from its signature. There is no `Span` here because it
    /// needs a compatibility library before the 2025 releases of Apple's systems.
    static func decode(utf8 text: consuming [UInt8]) -> [UInt8]? {
        let (groups, rest) = text.count.quotientAndRemainder(dividingBy: 4)
        guard rest != 1 else { return nil }
        var bytes = text
        let isCanonical = bytes.withUnsafeMutableBytes { bytes in
            Self.contributions.withUnsafeBufferPointer { Self.decode(bytes, $0) }
        }
        guard isCanonical else { return nil }
        bytes.removeLast(groups + (rest == 0 ? 0 : 1))
        return bytes
    }

    private static func decode(
        _ bytes: UnsafeMutableRawBufferPointer,
        _ contributions: UnsafeBufferPointer<UInt32>
    ) -> Bool {
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
        guard position < bytes.count else { return seen >> 24 == 0 }
        let hasThird = position &+ 2 < bytes.count
        let last =
            contributions[Int(bytes[position])]
            | contributions[256 &+ Int(bytes[position &+ 1])]
            | (hasThird ? contributions[512 &+ Int(bytes[position &+ 2])] : 0)
        bytes[place] = UInt8(truncatingIfNeeded: last)
        bytes[place &+ 1] = UInt8(truncatingIfNeeded: last >> 8)
        // What is left over of the last character has to be 0.
        return seen >> 24 == 0 && last >> (hasThird ? 16 : 8) == 0
    }
}
