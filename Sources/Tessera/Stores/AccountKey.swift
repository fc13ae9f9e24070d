// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto

/// The key for an account in a store, which is a hash of the exact bytes of the issuer, client and subject.
///
/// Swift compares strings by canonical equivalence, but OAuth identifiers are compared by code points. Two subjects
/// that differ only in Unicode normalization are two accounts.
package struct AccountKey: Sendable, Hashable {
    /// The 32 bytes of the hash, or an empty array for ``probe`` and ``key``.
    package let bytes: [UInt8]
    private let reservedName: String?

    /// 64 hexadecimal digits that identify the account without revealing the user.
    package var name: String { self.reservedName ?? Hexadecimal.text(self.bytes) }

    package init(_ account: Account) {
        var identifiers: [UInt8] = []
        for part in [account.issuer, account.clientID, account.subject] {
            identifiers += BigEndian.bytes(of: UInt32(clamping: part.utf8.count))
            identifiers += part.utf8
        }
        self.bytes = Array(SHA256.hash(data: identifiers))
        self.reservedName = nil
    }

    /// The name that a store locks during a probe, which does not belong to any account.
    package static let probe = AccountKey(name: "probe")

    /// The name that is locked while an encryption key is created, which does not belong to any account.
    package static let key = AccountKey(name: "key")

    private init(name: String) { (self.bytes, self.reservedName) = ([], name) }

    /// Returns whether one account is listed before another, comparing issuer, client and subject byte by byte.
    package static func precedes(_ left: Account, _ right: Account) -> Bool {
        for (ours, theirs) in [
            (left.issuer, right.issuer), (left.clientID, right.clientID), (left.subject, right.subject),
        ] {
            if ours.utf8.lexicographicallyPrecedes(theirs.utf8) { return true }
            if theirs.utf8.lexicographicallyPrecedes(ours.utf8) { return false }
        }
        return false
    }
}

/// Conversions between bytes and lowercase hexadecimal text.
package enum Hexadecimal {
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = Self.digit(byte >> 4)
                text[2 * index + 1] = Self.digit(byte & 15)
            }
            return 2 * bytes.count
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Returns the SHA-256 of a string's UTF-8 bytes as hexadecimal text.
    package static func sha256(of text: String) -> String { self.sha256(of: Array(text.utf8)) }

    /// Returns the SHA-256 of bytes as hexadecimal text.
    package static func sha256(of bytes: [UInt8]) -> String { Self.text(SHA256.hash(data: bytes)) }

    /// Returns the bytes that a hexadecimal string represents, or an empty array if the string is not hexadecimal.
    package static func bytes(_ text: String) -> [UInt8] {
        let digits = text.utf8.compactMap { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
            default: nil
            }
        }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return [] }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

/// Conversion of integers to bytes, most significant byte first.
package enum BigEndian {
    package static func bytes<Integer: FixedWidthInteger>(of value: Integer) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
