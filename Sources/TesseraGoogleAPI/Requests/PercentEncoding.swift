// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Percent-encoding of the parts of a URL.
enum PercentEncoding {
    /// What stays as it is.
    enum Bare {
        /// Letters, digits, `-._~`.
        case unreserved
        /// Those, and what has a meaning within a path.
        case reserved
    }

    static func encode(_ text: String, _ bare: Bare) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if Self.isUnreserved(byte) || (bare == .reserved && Self.reserved.contains(byte)) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let reserved = Set("/:[]@!$&'()*+,;=".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
