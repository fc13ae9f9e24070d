// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import Tessera
internal import TesseraSupport

/// Named secrets in encrypted files of a directory: what a keychain is elsewhere, for programs that keep other things
/// than sessions there.
///
/// ```
/// magic    8   "TESSITEM"
/// version  2   1
/// key id   8
/// nonce   12
/// sealed       AES-256-GCM of the secret, and its tag 16; all before and the item's name are associated data
/// ```
/// Protects what an `EncryptedFileStore` protects. An item is replaced as a whole, killed at any moment. Every call blocks.
package struct SealedItems: Sendable {
    private static let magic = Array("TESSITEM".utf8)
    private static let version: UInt16 = 1
    /// The most that an item may have, in bytes.
    private static let maximumLength = 1 << 20

    private let directory: String
    private let keySource: StoreKeySource

    /// The items of a directory, which is made with the first of them.
    package init(directory: String, keySource: StoreKeySource) {
        self.directory = directory
        self.keySource = keySource
    }

    /// The items of this user, whose key lies where those of the encrypted file stores do.
    ///
    /// - Throws: `unavailable` without a home directory.
    package static func ofUser() throws -> SealedItems {
        guard let directory = UserPlaces.current.itemDirectory else {
            throw StoreError(.unavailable, place: "the home directory", detail: "HOME is not set")
        }
        return SealedItems(directory: directory, keySource: .keyFile(in: nil))
    }

    /// Where an item lies.
    package func path(_ name: String) -> String {
        self.directory + "/" + Hexadecimal.text(SHA256.hash(data: Array(name.utf8))) + ".item"
    }

    /// The secret of that name, nil where there is none.
    ///
    /// - Throws: `corrupt`, `newerFormat`, `keyMissing`, and what the disk says.
    package func read(_ name: String) throws -> [UInt8]? {
        let path = self.path(name)
        guard let bytes = try StoreError.mapping(FileSystem.contents(of: path, limit: Self.maximumLength)) else {
            return nil
        }
        var reader = ByteReader(bytes[...])
        guard reader.take(8).map(Array.init) == Self.magic, let version: UInt16 = reader.integer(),
            let keyID = reader.take(8), let nonce = reader.take(12)
        else { throw StoreError(.corrupt, place: path, detail: "it does not begin as an item does") }
        guard version == Self.version else {
            throw StoreError(.newerFormat, place: path, detail: "format \(version), known is 1")
        }
        guard let key = try self.keySource.existing().key(Array(keyID)) else {
            throw StoreError(
                .keyMissing,
                place: self.keySource.place,
                detail: "another key than this one sealed \(path)"
            )
        }
        let associated = bytes[..<reader.position] + Array(name.utf8)
        do {
            return try AES.GCM.open(
                bytes[reader.position...],
                nonce: nonce,
                using: key.symmetric,
                authenticating: associated
            )
        } catch {
            throw StoreError(.corrupt, place: path, detail: "it is not what was written")
        }
    }

    /// Puts a secret in place of the one of that name, if there is one.
    ///
    /// - Throws: `keyMissing` where items are and their key is not; what the disk says.
    package func write(_ secret: [UInt8], as name: String) throws {
        try StoreError.mapping(FileSystem.makeDirectory(self.directory))
        let key = try self.keySource
            .forWriting {
                try StoreError.mapping(FileSystem.names(in: self.directory))?.contains { $0.hasSuffix(".item") } == true
            }
            .current
        let nonce = AES.GCM.Nonce()
        let header = Self.magic + BigEndian.bytes(of: Self.version) + key.id + Array(nonce)
        let sealed: [UInt8]
        do {
            let associated = header + Array(name.utf8)
            let box = try AES.GCM.seal(secret, using: key.symmetric, nonce: nonce, authenticating: associated)
            sealed = Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw StoreError(.system, place: self.path(name), detail: "the item could not be sealed")
        }
        try StoreError.mapping(FileSystem.replace(self.path(name), with: header + sealed))
    }

    /// Removes the secret of that name, readable or not.
    ///
    /// - Returns: whether there was one.
    package func remove(_ name: String) throws -> Bool {
        let path = self.path(name)
        guard try StoreError.mapping(FileSystem.exists(path)) else { return false }
        try StoreError.mapping(FileSystem.remove(path))
        try StoreError.mapping(FileSystem.synchronize(directory: self.directory))
        return true
    }
}
