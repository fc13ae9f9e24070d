// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto

/// Bytes as lower-case hexadecimal text.
package enum Hexadecimal {
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// The SHA-256 of a text's UTF-8.
    package static func sha256(of text: String) -> String { self.sha256(of: Array(text.utf8)) }

    /// The SHA-256 of bytes.
    package static func sha256(of bytes: [UInt8]) -> String { Self.text(SHA256.hash(data: bytes)) }

    /// The bytes that the text stands for, none when it is no such text.
    package static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue).map { UInt8($0) }
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return [] }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

/// Integers as bytes, most significant first.
package enum BigEndian {
    package static func bytes<Integer: FixedWidthInteger>(of value: Integer) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
