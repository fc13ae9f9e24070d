// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto

/// An account as stores find it: by the exact bytes of issuer, client and subject.
///
/// Swift's strings are equal when they are canonically equivalent; identifiers in OAuth are equal when their code points
/// are. Two subjects that differ only in Unicode normalisation are two accounts.
package struct AccountKey: Sendable, Hashable {
    /// 64 hexadecimal digits that name the account and say nothing about the person.
    package let name: String

    package init(_ account: Account) {
        var hash = SHA256()
        for part in [account.issuer, account.clientID, account.subject] {
            let bytes = Array(part.utf8)
            hash.update(data: BigEndian.bytes(of: UInt32(clamping: bytes.count)))
            hash.update(data: bytes)
        }
        self.name = Hexadecimal.text(hash.finalize())
    }

    /// The hash itself: 32 bytes; none for ``probe``.
    package var bytes: [UInt8] { Hexadecimal.bytes(self.name) }

    /// What a store's probe locks; no account has this name.
    package static let probe = AccountKey(name: "probe")

    /// What whoever makes a key locks; no account has this name.
    package static let key = AccountKey(name: "key")

    private init(name: String) { self.name = name }

    /// The order in which stores list accounts: by issuer, then client, then subject, byte by byte.
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
