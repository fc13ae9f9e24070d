// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Form-encoded parameters by a second decoder, written for nothing but to be plain.
///
/// Foundation's percent decoding is no judge: it replaces a lone `%A9` and drops a byte-order mark.
public enum FormText {
    /// The parameters in their order; nil where a part has a broken escape, no UTF-8, or a NUL.
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
        var place = 0
        while place < encoded.count {
            switch encoded[place] {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                let digits = encoded[(place + 1)...].prefix(2)
                // The number parser takes a sign, too: only digits are shown to it.
                guard digits.count == 2, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
                    let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), byte != 0
                else { return nil }
                bytes.append(byte)
                place += 2
            case 0: return nil
            case let byte: bytes.append(byte)
            }
            place += 1
        }
        // What is no UTF-8 is replaced, and then has other bytes.
        let decoded = String(decoding: bytes, as: UTF8.self)
        return decoded.utf8.elementsEqual(bytes) ? decoded : nil
    }
}
