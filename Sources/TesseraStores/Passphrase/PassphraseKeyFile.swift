// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// Where a key lies that a passphrase opens: every call blocks.
struct PassphraseKeyFile: Sendable {
    let path: String
    let parameters: ScryptParameters
    let passphrase: @Sendable (PassphrasePurpose) throws(StoreError) -> Secret

    /// The key file of a store's directory.
    ///
    /// It lies among the records: a copy of the directory is complete, and opens nothing without the passphrase.
    static func path(inStore directory: String) -> String { directory + "/passphrase.key" }

    /// Asks for the passphrase once, at first use.
    var asked: AskedKey {
        AskedKey(
            place: self.path,
            reading: { () throws(StoreError) in try self.read() },
            making: { () throws(StoreError) in try self.make() }
        )
    }

    private func read() throws(StoreError) -> StoreKey? {
        guard let sealed = try Self.sealedKey(at: self.path) else { return nil }
        return try sealed.open(with: try self.passphrase(.open), place: self.path)
    }

    /// Makes the key, or takes the one that another process has made meanwhile.
    private func make() throws(StoreError) -> StoreKey {
        let passphrase = try self.passphrase(.choose)
        try Self.checkStrength(of: passphrase, place: self.path)
        let key = StoreKey.random()
        let bytes = try SealedKey.seal(key, with: passphrase, self.parameters, place: self.path)
        try StoreError.mapping(FileSystem.make(self.path, holding: bytes))
        guard let made = try StoreError.mapping(FileSystem.contents(of: self.path, limit: Self.limit)) else {
            throw StoreError(.keyMissing, place: self.path)
        }
        if made == bytes { return key }
        return try SealedKey(parsing: made, place: self.path).open(with: passphrase, place: self.path)
    }

    /// Seals the same key with another passphrase; killed at any moment, the old one or the new one opens it.
    static func change(
        at path: String,
        from old: Secret,
        to new: Secret,
        _ parameters: ScryptParameters
    ) throws(StoreError) {
        guard let sealed = try Self.sealedKey(at: path) else { throw StoreError(.keyMissing, place: path) }
        try Self.checkStrength(of: new, place: path)
        let key = try sealed.open(with: old, place: path)
        let bytes = try SealedKey.seal(key, with: new, parameters, place: path)
        try StoreError.mapping(FileSystem.replace(path, with: bytes))
    }

    /// Checks a passphrase that is to seal a key; one that opens a key was accepted, or is as weak as it may be.
    private static func checkStrength(of passphrase: Secret, place: String) throws(StoreError) {
        guard let weakness = EncryptedFileStore.weakness(ofPassphrase: passphrase) else { return }
        throw StoreError(.weakPassphrase, place: place, detail: weakness)
    }

    private static let limit = 4096

    private static func sealedKey(at path: String) throws(StoreError) -> SealedKey? {
        guard let bytes = try StoreError.mapping(FileSystem.contents(of: path, limit: Self.limit)) else { return nil }
        return try SealedKey(parsing: bytes, place: path)
    }
}
