// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
package import Tessera
internal import TesseraSupport

/// A refresh mark as it stands in the last bytes of a reserved file: sealed for its account, then a magic word.
enum SealedMark {
    static let magic = Array("TESSMARK".utf8)
    /// Nonce, generation and time, tag, magic.
    static let length = 12 + 16 + 16 + 8

    static func seal(_ mark: RefreshMark, for account: AccountKey, with key: StoreKey) throws(StoreError) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(mark.bytes, using: key.symmetric, authenticating: Self.associated(account))
            return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag) + Self.magic
        } catch {
            throw StoreError(.system, place: account.name, detail: "the mark could not be sealed")
        }
    }

    /// The mark, nil where there is none, or only a part of one: then its refresh was never sent.
    static func open(_ bytes: [UInt8], for account: AccountKey, with key: StoreKey) -> RefreshMark? {
        var reader = ByteReader(bytes[...])
        guard bytes.count == Self.length,
            let nonce = reader.take(12), let sealed = reader.take(16), let tag = reader.take(16),
            reader.take(8).map(Array.init) == Self.magic,
            let box = try? AES.GCM.SealedBox(nonce: .init(data: nonce), ciphertext: sealed, tag: tag),
            let plain = try? AES.GCM.open(box, using: key.symmetric, authenticating: Self.associated(account))
        else { return nil }
        return RefreshMark(bytes: Array(plain))
    }

    private static func associated(_ account: AccountKey) -> [UInt8] { Self.magic + Array(account.name.utf8) }
}

extension RefreshMark {
    /// The mark in 16 bytes: the generation, then the time.
    package var bytes: [UInt8] {
        BigEndian.bytes(of: self.generation)
            + BigEndian.bytes(of: self.begunAt.timeIntervalSinceReferenceDate.bitPattern)
    }

    /// Reads ``bytes``; nil for anything else.
    package init?(bytes: [UInt8]) {
        var fields = ByteReader(bytes[...])
        guard let generation: Int64 = fields.integer(), let time: UInt64 = fields.integer(), fields.isAtEnd else {
            return nil
        }
        self.init(
            begunAt: Date(timeIntervalSinceReferenceDate: Double(bitPattern: time)),
            generation: generation
        )
    }
}
