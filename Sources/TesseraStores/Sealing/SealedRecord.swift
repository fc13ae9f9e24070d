// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
package import Tessera
internal import TesseraSupport

/// A record as it lies on the disk: a header in clear, then what only the key opens.
///
/// The header is authenticated with it.
///
/// ```
/// magic    8   "TESSERA\n"
/// version  2   1 or 2                 ┐ framing: the same in every version, so that an older program can tell
/// length   4   of the header          │ a newer file from a damaged one
/// header       key id 8, generation 8, issuer, client, subject (4 + UTF-8 each), nonce 12
/// check    8   of all before          ┘
/// sealed       AES-256-GCM of the record, and its tag 16; all before is associated data
/// ```
/// Integers are big-endian. The check catches damage; only the tag proves anything.
///
/// Version 1 is a file's: its refresh mark is in another file. Version 2 is a database row's: the length of the mark in
/// one byte, 0 or 16, and the mark are sealed together with the record, in front of it. Rows of version 1 have their
/// mark in columns that nothing authenticates.
package struct SealedRecord {
    /// The version of a record in a file.
    static let version: UInt16 = 1
    /// The version of a record in a database row.
    static let rowVersion: UInt16 = 2
    static let magic = Array("TESSERA\n".utf8)

    package let account: Account
    package let generation: Int64
    package let keyID: [UInt8]
    /// Whether the refresh mark is sealed together with the record.
    let holdsMark: Bool
    let nonce: [UInt8]
    let associated: ArraySlice<UInt8>
    let sealed: ArraySlice<UInt8>

    /// Reads the framing and the header; opens nothing.
    ///
    /// - Parameters:
    ///   - bytes: the record.
    ///   - newest: the newest version that may be where these bytes come from.
    ///   - place: names the record in an error.
    /// - Throws: `newerFormat`, `corrupt`.
    package init(
        parsing bytes: [UInt8],
        upTo newest: UInt16 = SealedRecord.version,
        place: String
    ) throws {
        var reader = ByteReader(bytes[...])
        guard reader.take(8).map(Array.init) == Self.magic,
            let version: UInt16 = reader.integer(),
            let length: UInt32 = reader.integer(),
            let header = reader.take(Int(clamping: length))
        else { throw Self.damaged(place, "it does not begin as a session does") }
        let framed = bytes[..<reader.position]
        guard reader.take(8).map(Array.init) == Self.check(framed) else {
            throw Self.damaged(place, "its header changed")
        }
        guard version <= newest else {
            throw StoreError(.newerFormat, place: place, detail: "format \(version), known are those up to \(newest)")
        }
        var fields = ByteReader(header)
        guard version >= Self.version,
            let keyID = fields.take(8),
            let generation: Int64 = fields.integer(),
            let issuer = fields.text(),
            let client = fields.text(),
            let subject = fields.text(),
            let nonce = fields.take(12),
            fields.isAtEnd
        else { throw Self.damaged(place, "its header makes no sense") }
        self.account = Account(issuer: issuer, clientID: client, subject: subject)
        self.generation = generation
        self.keyID = Array(keyID)
        self.holdsMark = version == Self.rowVersion
        self.nonce = Array(nonce)
        self.associated = bytes[..<reader.position]
        self.sealed = bytes[reader.position...]
    }

    /// The record, proved to be what somebody with the key wrote for this account; with its mark if that is sealed
    /// together with it.
    ///
    /// - Throws: `corrupt`; `keyMissing` when another key sealed it.
    package func open(
        with keys: StoreKeys,
        of keyPlace: String,
        place: String
    ) throws -> SessionRecord {
        guard let key = keys.key(self.keyID) else {
            throw StoreError(.keyMissing, place: keyPlace, detail: "another key than this one sealed \(place)")
        }
        let plain: [UInt8]
        do {
            plain = try AES.GCM.open(
                self.sealed,
                nonce: self.nonce,
                using: key.symmetric,
                authenticating: self.associated
            )
        } catch {
            throw Self.damaged(place, "it is not what was written")
        }
        var content = ByteReader(plain[...])
        var mark: RefreshMark?
        if self.holdsMark, let length: UInt8 = content.integer(), length > 0 {
            mark = content.take(Int(length)).flatMap { RefreshMark(bytes: Array($0)) }
            if mark == nil { throw Self.damaged(place, "its refresh mark makes no sense") }
        }
        var record = try SessionRecord(decoding: Array(plain[content.position...]), place: place)
        record.refreshMark = mark
        guard AccountKey(record.account) == AccountKey(self.account), record.generation == self.generation else {
            throw Self.damaged(place, "its header and its contents are not of one session")
        }
        return record
    }

    /// The bytes of a sealed record for a file.
    package static func seal(
        _ record: SessionRecord,
        with key: StoreKey,
        place: String
    ) throws -> [UInt8] {
        try Self.seal(record.encoded(), of: record, Self.version, with: key, place: place)
    }

    /// The bytes of a sealed record for a database row, with its refresh mark.
    package static func seal(
        _ record: SessionRecord,
        mark: RefreshMark?,
        with key: StoreKey,
        place: String
    ) throws -> [UInt8] {
        let mark = mark?.bytes ?? []
        let content = [UInt8(mark.count)] + mark + record.encoded()
        return try Self.seal(content, of: record, Self.rowVersion, with: key, place: place)
    }

    private static func seal(
        _ content: [UInt8],
        of record: SessionRecord,
        _ version: UInt16,
        with key: StoreKey,
        place: String
    ) throws -> [UInt8] {
        let nonce = AES.GCM.Nonce()
        var header = key.id + BigEndian.bytes(of: record.generation)
        for text in [record.account.issuer, record.account.clientID, record.account.subject] {
            header += BigEndian.bytes(of: UInt32(clamping: text.utf8.count)) + Array(text.utf8)
        }
        header += Array(nonce)
        var bytes = Self.magic + BigEndian.bytes(of: version)
        bytes += BigEndian.bytes(of: UInt32(clamping: header.count)) + header
        bytes += Self.check(bytes[...])
        do {
            let box = try AES.GCM.seal(content, using: key.symmetric, nonce: nonce, authenticating: bytes)
            return bytes + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw StoreError(.system, place: place, detail: "the session could not be sealed")
        }
    }

    static func check(_ bytes: ArraySlice<UInt8>) -> [UInt8] { Array(SHA256.hash(data: bytes).prefix(8)) }

    package static func damaged(_ place: String, _ words: String) -> StoreError {
        StoreError(.corrupt, place: place, detail: words)
    }
}

/// A refresh mark as it stands in the last bytes of a reserved file: sealed for its account, then a magic word.
enum SealedMark {
    static let magic = Array("TESSMARK".utf8)
    /// Nonce, generation and time, tag, magic.
    static let length = 12 + 16 + 16 + 8

    static func seal(_ mark: RefreshMark, for account: AccountKey, with key: StoreKey) throws -> [UInt8] {
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
