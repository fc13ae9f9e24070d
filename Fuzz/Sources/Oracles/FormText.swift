// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A second, simple decoder of form-encoded parameters.
///
/// Foundation's percent decoding is not suitable as an oracle, because it replaces a lone `%A9` and drops a byte order
/// mark.
public enum FormText {
    /// Returns the parameters in order, or nil for an invalid escape, invalid UTF-8 or a NUL character.
    public static func parameters(of text: String) -> [(name: String, value: String)]? {
        var result: [(name: String, value: String)] = []
        for part in text.unicodeScalars.split(separator: "&") {
            let encodedName = part.prefix { $0 != "=" }
            let encodedValue = part.dropFirst(encodedName.count + 1)
            guard let name = Self.decoded(encodedName), let value = Self.decoded(encodedValue) else { return nil }
            result.append((name, value))
        }
        return result
    }

    private static func decoded(_ text: Substring.UnicodeScalarView) -> String? {
        let encoded = Array(String(text).utf8)
        var bytes: [UInt8] = []
        var location = 0
        while location < encoded.count {
            switch encoded[location] {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                let digits = encoded[(location + 1)...].prefix(2)
                // The integer parser also accepts a sign, so check the digits first.
                guard digits.count == 2, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
                    let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), byte != 0
                else { return nil }
                bytes.append(byte)
                location += 2
            case 0: return nil
            case let byte: bytes.append(byte)
            }
            location += 1
        }
        // Decoding replaces invalid UTF-8, which changes the bytes.
        let decoded = String(decoding: bytes, as: UTF8.self)
        return decoded.utf8.elementsEqual(bytes) ? decoded : nil
    }
}
