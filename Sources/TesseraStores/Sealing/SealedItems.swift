// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import Tessera
internal import TesseraSupport

/// Named secrets stored in a directory of encrypted files.
///
/// Programs use this type instead of a keychain, for secrets other than sessions.
///
/// ```
/// magic    8   "TESSITEM"
/// version  2   1
/// key id   8
/// nonce   12
/// sealed       AES-256-GCM of the secret, with its 16-byte tag; associated data: everything above and the item's name
/// ```
/// The protection is the same as with `EncryptedFileStore`. Replacing an item is atomic, even if the process is killed.
/// Every method blocks the calling thread.
package struct SealedItems: Sendable {
    private static let magic = Array("TESSITEM".utf8)
    private static let version: UInt16 = 1
    /// The maximum length of an item's file in bytes.
    private static let maximumLength = 1 << 20

    private let directory: String
    private let keySource: StoreKeySource

    /// Creates a collection of items in a directory, which is created along with the first item.
    package init(directory: String, keySource: StoreKeySource) {
        self.directory = directory
        self.keySource = keySource
    }

    /// Returns the current user's items, which use the same key file as the encrypted file stores.
    ///
    /// - Throws: `StoreError` with the code `unavailable` if there is no home directory.
    package static func currentUser() throws -> SealedItems {
        guard let directory = UserFolders.current.itemDirectory else {
            throw StoreError(.unavailable, location: "the home directory", detail: "HOME is not set")
        }
        return SealedItems(directory: directory, keySource: .keyFile(in: nil))
    }

    /// Returns the path of an item's file.
    package func path(_ name: String) -> String {
        self.directory + "/" + Hexadecimal.text(SHA256.hash(data: Array(name.utf8))) + ".item"
    }

    /// Returns the secret stored under a name, or nil if it does not exist.
    ///
    /// - Throws: `StoreError` with the code `corrupt`, `newerFormat` or `keyMissing`, or any error from a file
    ///   operation.
    package func read(_ name: String) throws -> [UInt8]? {
        let path = self.path(name)
        guard let bytes = try StoreError.mapping(FileSystem.contents(of: path, limit: Self.maximumLength)) else {
            return nil
        }
        var reader = ByteReader(bytes[...])
        guard reader.take(8).map(Array.init) == Self.magic, let version: UInt16 = reader.integer(),
            let keyID = reader.take(8), let nonce = reader.take(12)
        else { throw StoreError(.corrupt, location: path, detail: "it does not begin with an item header") }
        guard version == Self.version else {
            throw StoreError(
                .newerFormat,
                location: path,
                detail: "format \(version), but only format \(Self.version) is supported"
            )
        }
        guard let key = try self.keySource.existing().key(Array(keyID)) else {
            throw StoreError(
                .keyMissing,
                location: self.keySource.location,
                detail: "\(path) was encrypted with a different key"
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
            throw StoreError(.corrupt, location: path, detail: "decryption failed")
        }
    }

    /// Saves a secret, replacing any existing secret with the same name.
    ///
    /// - Throws: `StoreError` with the code `keyMissing` if there are items but their key is missing, or any error from
    ///   a file operation.
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
            throw StoreError(.system, location: self.path(name), detail: "the item could not be encrypted")
        }
        try StoreError.mapping(FileSystem.replace(self.path(name), with: header + sealed))
    }

    /// Removes the secret stored under a name, even if it cannot be read.
    ///
    /// - Returns: Whether the secret existed.
    package func remove(_ name: String) throws -> Bool {
        let path = self.path(name)
        guard try StoreError.mapping(FileSystem.exists(path)) else { return false }
        try StoreError.mapping(FileSystem.remove(path))
        try StoreError.mapping(FileSystem.synchronize(directory: self.directory))
        return true
    }
}
