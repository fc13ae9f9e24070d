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
        if text.utf8.allSatisfy(Self.isUnreserved) { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if Self.isUnreserved(byte) || (bare == .reserved && Self.reserved.contains(byte)) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let reserved = Set("/:[]@!$&'()*+,;=".utf8)

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
