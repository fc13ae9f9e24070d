// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
public import TesseraOAuth
internal import TesseraSupport

extension EncryptedFileStore {
    /// A store whose key a passphrase opens: for a directory that is copied, carried or backed up as a whole.
    ///
    /// The key is created at first use and is in the directory, sealed with a key that scrypt derives from the passphrase
    /// (RFC 7914; by default N = 2¹⁷, r = 8, p = 1: each guess takes 128 MiB of memory and a good part of a second). The
    /// parameters are in that file's header. The passphrase is requested once in a process, on a thread of the store's
    /// own, and is not stored; its UTF-8 is used as it is, without normalization.
    ///
    /// A passphrase that anyone would try first is refused when the key is created, with `StoreError` `weakPassphrase`,
    /// and never when it is opened. ``generatePassphrase()`` makes a strong one.
    ///
    /// - Parameters:
    ///   - directory: where the records lie. A relative path starts at the current directory of this moment.
    ///   - parameters: what a try of a passphrase costs, where the key is made; a key that is there has its own.
    ///   - forcesNetworkFileSystem: takes a network file system too: right only where one machine alone uses it.
    ///   - lockTimeout: how long an update may wait for others, of this process and of all, before it fails with `busy`.
    ///   - clock: what waits.
    ///   - passphrase: gives the passphrase; it may block and ask somebody, and is called again after a wrong one only at
    ///     the store's next use.
    public convenience init(
        directory: String,
        parameters: ScryptParameters = .standard,
        forcesNetworkFileSystem: Bool = false,
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock(),
        passphrase: @escaping @Sendable (PassphrasePurpose) throws -> Secret
    ) {
        let directory = UserPlaces.absolute(directory)
        let file = PassphraseKeyFile(
            path: PassphraseKeyFile.path(inStore: directory),
            parameters: parameters,
            passphrase: passphrase
        )
        self.init(
            directory: directory,
            keySource: .asked(file.asked),
            forcesNetworkFileSystem: forcesNetworkFileSystem,
            lockTimeout: lockTimeout,
            clock: clock
        )
    }

    /// Changes the passphrase of the store in a directory, and what a try costs; no record is written anew.
    ///
    /// Copies of the directory keep the passphrase that they were made with. Programs that have opened the store go on.
    ///
    /// - Throws: `StoreError` `wrongPassphrase`; `weakPassphrase` for a new one that anyone would try first; `keyMissing`
    ///   where no passphrase opens this store; and what the disk says.
    public static func changePassphrase(
        ofStore directory: String,
        from old: Secret,
        to new: Secret,
        parameters: ScryptParameters = .standard
    ) async throws {
        let path = PassphraseKeyFile.path(inStore: UserPlaces.absolute(directory))
        try await BlockingExecutor().run { try PassphraseKeyFile.change(at: path, from: old, to: new, parameters) }
    }
}

/// What a passphrase is asked for.
public enum PassphrasePurpose: Sendable, Hashable {
    /// To open the key of a store that is there.
    case open
    /// To seal the key of a new store: whoever forgets it loses the sessions.
    case choose
}

/// Where a key lies that a passphrase opens: every call blocks.
struct PassphraseKeyFile: Sendable {
    let path: String
    let parameters: ScryptParameters
    let passphrase: @Sendable (PassphrasePurpose) throws -> Secret

    /// The key file of a store's directory.
    ///
    /// It lies among the records: a copy of the directory is complete, and opens nothing without the passphrase.
    static func path(inStore directory: String) -> String { directory + "/passphrase.key" }

    /// Asks for the passphrase once, at first use.
    var asked: AskedKey {
        AskedKey(
            place: self.path,
            reading: { try self.read() },
            making: { try self.make() }
        )
    }

    private func read() throws -> StoreKey? {
        guard let sealed = try Self.sealedKey(at: self.path) else { return nil }
        return try sealed.open(with: try self.passphrase(.open), place: self.path)
    }

    /// Makes the key, or takes the one that another process has made meanwhile.
    private func make() throws -> StoreKey {
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
    ) throws {
        guard let sealed = try Self.sealedKey(at: path) else { throw StoreError(.keyMissing, place: path) }
        try Self.checkStrength(of: new, place: path)
        let key = try sealed.open(with: old, place: path)
        let bytes = try SealedKey.seal(key, with: new, parameters, place: path)
        try StoreError.mapping(FileSystem.replace(path, with: bytes))
    }

    /// Checks a passphrase that is to seal a key; one that opens a key was accepted, or is as weak as it may be.
    private static func checkStrength(of passphrase: Secret, place: String) throws {
        guard let weakness = EncryptedFileStore.weakness(ofPassphrase: passphrase) else { return }
        throw StoreError(.weakPassphrase, place: place, detail: weakness)
    }

    private static let limit = 4096

    private static func sealedKey(at path: String) throws -> SealedKey? {
        guard let bytes = try StoreError.mapping(FileSystem.contents(of: path, limit: Self.limit)) else { return nil }
        return try SealedKey(parsing: bytes, place: path)
    }
}
