// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// Base64 as APIs write it: either alphabet, padded or not.
///
/// - SeeAlso: [RFC 4648](https://www.rfc-editor.org/rfc/rfc4648.html)
enum Base64Text {
    static func encode(_ bytes: some Collection<UInt8>) -> String {
        let text = Base64URL.encode(bytes)
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }

    /// The bytes; nil for other characters, for padding elsewhere than at the end and for an impossible length.
    static func decode(_ text: String) -> [UInt8]? { Self.decode(Array(text.utf8)[...]) }

    private static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let text = Self.withoutPadding(text)
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var (buffer, bits, invalid) = (UInt32(0), 0, UInt8(0))
        for character in text {
            let value = Self.value(of: character)
            invalid |= value & 0xC0
            buffer = buffer << 6 | UInt32(value & 63)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        return invalid == 0 ? bytes : nil
    }

    private static func withoutPadding(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard text.count % 4 == 0, text.last == UInt8(ascii: "=") else { return text }
        let shorter = text.dropLast()
        return shorter.last == UInt8(ascii: "=") ? shorter.dropLast() : shorter
    }

    /// What a character stands for; 64 or more for one that stands for nothing.
    private static func value(of character: UInt8) -> UInt8 {
        switch character {
        case 0x41...0x5A: character - 0x41
        case 0x61...0x7A: character - 0x61 + 26
        case 0x30...0x39: character - 0x30 + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: 255
        }
    }
}
