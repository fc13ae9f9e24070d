// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import TesseraSupport

/// A reader that consumes bytes from the front of a buffer and never reads past its end.
struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        self.position = bytes.startIndex
    }

    var isAtEnd: Bool { self.position == self.bytes.endIndex }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= self.bytes.endIndex - self.position else { return nil }
        defer { self.position += count }
        return self.bytes[self.position..<self.position + count]
    }

    /// Reads a big-endian integer.
    mutating func integer<Integer: FixedWidthInteger>() -> Integer? {
        self.take(Integer.bitWidth / 8)?.reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
    }

    /// Reads UTF-8 text that is preceded by its four-byte length.
    mutating func text() -> String? {
        guard let count: UInt32 = self.integer(), let bytes = self.take(Int(clamping: count)) else { return nil }
        return String(wellFormedUTF8: bytes)
    }
}

extension AES.GCM {
    /// Decrypts a ciphertext that is followed by its 16-byte authentication tag.
    static func open(
        _ sealed: ArraySlice<UInt8>,
        nonce: some Sequence<UInt8>,
        using key: SymmetricKey,
        authenticating associated: ArraySlice<UInt8>
    ) throws -> [UInt8] {
        let box = try AES.GCM.SealedBox(
            nonce: .init(data: Array(nonce)),
            ciphertext: sealed.dropLast(16),
            tag: sealed.suffix(16)
        )
        return Array(try AES.GCM.open(box, using: key, authenticating: associated))
    }
}
