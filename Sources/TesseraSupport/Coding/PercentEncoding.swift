// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Percent-encoding for URL components and forms.
///
/// - SeeAlso: [RFC 3986, section 2.1](https://www.rfc-editor.org/rfc/rfc3986.html#section-2.1)
package enum PercentEncoding {
    /// A set of characters that are not escaped.
    package enum Bare {
        /// Letters, digits and `-._~`.
        case unreserved
        /// Unreserved characters and the reserved characters of RFC 3986, except `?` and `#`.
        case reserved
        /// Unreserved characters, with a space encoded as `+`.
        case form
    }

    /// Percent-encodes the UTF-8 bytes of a text, except for the given characters.
    package static func encode(_ text: String, _ bare: Bare = .unreserved) -> String {
        if text.utf8.allSatisfy(Self.isUnreserved) { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if Self.isUnreserved(byte) || (bare == .reserved && Self.reserved.contains(byte)) {
                bytes.append(byte)
            } else if bare == .form, byte == UInt8(ascii: " ") {
                bytes.append(UInt8(ascii: "+"))
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes percent-encoded text, or returns nil if `isStrict` is true and an escape is malformed.
    ///
    /// If `isStrict` is false, a percent sign that is not followed by two hexadecimal digits is left unchanged.
    package static func decode(
        _ text: some Sequence<UInt8>,
        plusIsSpace: Bool = false,
        isStrict: Bool = false
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = ArraySlice(text)
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                let digits = rest.prefix(2).compactMap(Self.digit)
                if digits.count == 2 {
                    bytes.append(digits[0] << 4 | digits[1])
                    rest = rest.dropFirst(2)
                    continue
                }
                if isStrict { return nil }
            }
            bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
        return bytes
    }

    private static let reserved = Set("/:[]@!$&'()*+,;=".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
