// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
package import Tessera
internal import TesseraSupport

/// The encrypted form of a session record: a plaintext header followed by ciphertext.
///
/// The ciphertext's tag also authenticates the header.
///
/// ```
/// magic    8   "TESSERA\n"
/// version  2   1 or 2                 ┐ framing: the same in every version, so that an older program can tell
/// length   4   of the header          │ a newer file from a damaged one
/// header       key id 8, generation 8, issuer, client, subject (4 + UTF-8 each), nonce 12
/// check    8   of everything above    ┘
/// sealed       AES-256-GCM of the record, with its 16-byte tag; everything above is associated data
/// ```
/// Integers are big-endian. The check detects accidental damage. Only the tag authenticates the record.
///
/// In version 2, the length of the refresh mark in one byte, 0 or 16, and the mark itself precede the record in the
/// ciphertext. It is the format of database rows, and of files that were saved with a mark. Version 1 is the format of
/// other files, and of rows that earlier versions wrote, which have their mark in columns that are not authenticated.
package struct SealedRecord {
    /// The version of a record without a refresh mark.
    static let version: UInt16 = 1
    /// The version of a record that can have a refresh mark.
    static let markedVersion: UInt16 = 2
    static let magic = Array("TESSERA\n".utf8)

    package let account: Account
    package let generation: Int64
    package let keyID: [UInt8]
    /// Whether the refresh mark is encrypted together with the record.
    let holdsMark: Bool
    let nonce: [UInt8]
    let associated: ArraySlice<UInt8>
    let sealed: ArraySlice<UInt8>

    /// Parses the framing and the header without decrypting the record.
    ///
    /// - Parameters:
    ///   - bytes: The encrypted record.
    ///   - location: The location of the record, for error messages.
    /// - Throws: `StoreError` with the code `newerFormat` or `corrupt`.
    package init(parsing bytes: [UInt8], location: String) throws {
        var reader = ByteReader(bytes[...])
        guard reader.take(8).map(Array.init) == Self.magic,
            let version: UInt16 = reader.integer(),
            let length: UInt32 = reader.integer(),
            let header = reader.take(Int(clamping: length))
        else { throw Self.damaged(location, "it does not begin with a session header") }
        let framed = bytes[..<reader.position]
        guard reader.take(8).map(Array.init) == Self.check(framed) else {
            throw Self.damaged(location, "its header does not match its checksum")
        }
        guard version <= Self.markedVersion else {
            throw StoreError(
                .newerFormat,
                location: location,
                detail: "format \(version), but only formats up to \(Self.markedVersion) are supported"
            )
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
        else { throw Self.damaged(location, "its header is malformed") }
        self.account = Account(issuer: issuer, clientID: client, subject: subject)
        self.generation = generation
        self.keyID = Array(keyID)
        self.holdsMark = version == Self.markedVersion
        self.nonce = Array(nonce)
        self.associated = bytes[..<reader.position]
        self.sealed = bytes[reader.position...]
    }

    /// Returns the decrypted record after verifying that it was written with the store's key for this account.
    ///
    /// The result includes the refresh mark if the mark is encrypted with the record.
    ///
    /// - Throws: `StoreError` with the code `corrupt`, or `keyMissing` if the record was encrypted with a different
    ///   key.
    package func open(
        with keys: StoreKeys,
        of keyLocation: String,
        location: String
    ) throws -> SessionRecord {
        guard let key = keys.key(self.keyID) else {
            throw StoreError(
                .keyMissing,
                location: keyLocation,
                detail: "\(location) was encrypted with a different key"
            )
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
            throw Self.damaged(location, "decryption failed")
        }
        var content = ByteReader(plain[...])
        var mark: RefreshMark?
        if self.holdsMark, let length: UInt8 = content.integer(), length > 0 {
            mark = content.take(Int(length)).flatMap { RefreshMark(bytes: Array($0)) }
            if mark == nil { throw Self.damaged(location, "its refresh mark is malformed") }
        }
        var record = try SessionRecord(decoding: Array(plain[content.position...]), location: location)
        record.refreshMark = mark
        guard record.account == self.account, record.generation == self.generation else {
            throw Self.damaged(location, "its header and its encrypted contents belong to different sessions")
        }
        return record
    }

    /// Returns a record and its refresh mark encrypted for a file.
    package static func seal(_ record: SessionRecord, with key: StoreKey, location: String) throws -> [UInt8] {
        if record.refreshMark != nil { return try Self.sealRow(record, with: key, location: location) }
        return try Self.seal(record.encoded(), of: record, Self.version, with: key, location: location)
    }

    /// Returns a record and its refresh mark encrypted for a database row.
    package static func sealRow(_ record: SessionRecord, with key: StoreKey, location: String) throws -> [UInt8] {
        let mark = record.refreshMark?.bytes ?? []
        let content = [UInt8(mark.count)] + mark + record.encoded()
        return try Self.seal(content, of: record, Self.markedVersion, with: key, location: location)
    }

    private static func seal(
        _ content: [UInt8],
        of record: SessionRecord,
        _ version: UInt16,
        with key: StoreKey,
        location: String
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
            throw StoreError(.system, location: location, detail: "the session could not be encrypted")
        }
    }

    static func check(_ bytes: ArraySlice<UInt8>) -> [UInt8] { Array(SHA256.hash(data: bytes).prefix(8)) }

    package static func damaged(_ location: String, _ words: String) -> StoreError {
        StoreError(.corrupt, location: location, detail: words)
    }
}

/// The refresh mark at the end of a pending file, encrypted for its account and followed by a magic word.
enum SealedMark {
    static let magic = Array("TESSMARK".utf8)
    /// The total length in bytes of the nonce, the generation and time, the tag and the magic word.
    static let length = 12 + 16 + 16 + 8

    static func seal(_ mark: RefreshMark, for account: AccountKey, with key: StoreKey) throws -> [UInt8] {
        do {
            let box = try AES.GCM.seal(mark.bytes, using: key.symmetric, authenticating: Self.associated(account))
            return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag) + Self.magic
        } catch {
            throw StoreError(.system, location: account.name, detail: "the refresh mark could not be encrypted")
        }
    }

    /// Returns the mark, or nil if it is missing or incomplete, which means that its refresh was never sent.
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
    /// The mark in 16 bytes: the generation followed by the time.
    package var bytes: [UInt8] {
        BigEndian.bytes(of: self.generation)
            + BigEndian.bytes(of: self.begunAt.timeIntervalSinceReferenceDate.bitPattern)
    }

    /// Creates a mark from its ``bytes``, or returns nil if they are malformed.
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
