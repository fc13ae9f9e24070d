// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
public import TesseraOAuth
internal import TesseraSupport

extension EncryptedFileStore {
    /// Creates a store with a passphrase, for a directory that is copied, moved or backed up as a whole.
    ///
    /// The key is created at first use and stored in the directory, encrypted with a key that scrypt derives from the
    /// passphrase (RFC 7914). By default, N = 2¹⁷, r = 8 and p = 1, so each guess takes 128 MiB of memory and a large
    /// fraction of a second. The parameters are in the header of the key file. The passphrase is requested once per
    /// process, on the store's private thread, and is not retained. Its UTF-8 is used without normalization.
    ///
    /// A passphrase that is easy to guess is rejected with the code `weakPassphrase` when the key is created, but not
    /// when it is opened. ``generatePassphrase()`` returns a strong one.
    ///
    /// - Parameters:
    ///   - directory: The directory for the records. A relative path is resolved against the current directory
    ///     immediately.
    ///   - parameters: The scrypt parameters for a new key. An existing key has its own parameters.
    ///   - forcesNetworkFileSystem: Whether to allow a network file system, which is safe only if a single machine uses
    ///     it.
    ///   - lockTimeout: The time that an update waits for other updates, in this and other processes, before it fails
    ///     with `busy`.
    ///   - clock: The clock that measures the wait.
    ///   - passphrase: A closure that returns the passphrase. It can block to prompt the user. After a wrong
    ///     passphrase, it is called again only when the store is next used.
    public convenience init(
        directory: String,
        parameters: ScryptParameters = .standard,
        forcesNetworkFileSystem: Bool = false,
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock(),
        passphrase: @escaping @Sendable (PassphrasePurpose) throws -> Secret
    ) {
        let directory = UserFolders.absolute(directory)
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

    /// Changes a store's passphrase and scrypt parameters without rewriting any record.
    ///
    /// Copies of the directory keep their old passphrase. Programs that have already opened the store are not affected.
    ///
    /// - Throws: `StoreError` with the code `wrongPassphrase` if the old passphrase is wrong, `weakPassphrase` if the
    ///   new one is easy to guess, `keyMissing` if the store does not have a passphrase, or any error from a file
    ///   operation.
    public static func changePassphrase(
        ofStore directory: String,
        from old: Secret,
        to new: Secret,
        parameters: ScryptParameters = .standard
    ) async throws {
        let path = PassphraseKeyFile.path(inStore: UserFolders.absolute(directory))
        try await BlockingExecutor().run { try PassphraseKeyFile.change(at: path, from: old, to: new, parameters) }
    }
}

/// The reason for requesting a passphrase.
public enum PassphrasePurpose: Sendable, Hashable {
    /// The passphrase opens the key of an existing store.
    case open
    /// The passphrase protects the key of a new store, whose sessions are lost if the passphrase is forgotten.
    case choose
}

/// A file that contains a store's key, protected by a passphrase.
///
/// Every method blocks the calling thread.
struct PassphraseKeyFile: Sendable {
    let path: String
    let parameters: ScryptParameters
    let passphrase: @Sendable (PassphrasePurpose) throws -> Secret

    /// Returns the path of the key file in a store's directory.
    ///
    /// The file is next to the records, so a copy of the directory is complete but cannot be read without the
    /// passphrase.
    static func path(inStore directory: String) -> String { directory + "/passphrase.key" }

    /// A key that requests the passphrase once, at first use.
    var asked: PromptedKey {
        PromptedKey(
            location: self.path,
            existing: { try StoreError.mapping(FileSystem.status(of: self.path)) != nil },
            reading: { try self.read() },
            making: { try self.make() }
        )
    }

    private func read() throws -> StoreKey? {
        guard let sealed = try Self.sealedKey(at: self.path) else { return nil }
        return try sealed.open(with: try self.passphrase(.open), location: self.path)
    }

    /// Creates the key, or returns the key that another process has created in the meantime.
    private func make() throws -> StoreKey {
        let passphrase = try self.passphrase(.choose)
        try Self.checkStrength(of: passphrase, location: self.path)
        let key = StoreKey.random()
        let bytes = try SealedKey.seal(key, with: passphrase, self.parameters, location: self.path)
        try StoreError.mapping(FileSystem.make(self.path, holding: bytes))
        guard let made = try StoreError.mapping(FileSystem.contents(of: self.path, limit: Self.limit)) else {
            throw StoreError(.keyMissing, location: self.path)
        }
        if made == bytes { return key }
        return try SealedKey(parsing: made, location: self.path).open(with: passphrase, location: self.path)
    }

    /// Encrypts the same key with a different passphrase.
    ///
    /// The replacement is atomic. If the process is killed, either the old or the new passphrase opens the key.
    static func change(
        at path: String,
        from old: Secret,
        to new: Secret,
        _ parameters: ScryptParameters
    ) throws {
        guard let sealed = try Self.sealedKey(at: path) else { throw StoreError(.keyMissing, location: path) }
        try Self.checkStrength(of: new, location: path)
        let key = try sealed.open(with: old, location: path)
        let bytes = try SealedKey.seal(key, with: new, parameters, location: path)
        try StoreError.mapping(FileSystem.replace(path, with: bytes))
    }

    /// Throws an error if a passphrase is too weak for a new key.
    ///
    /// An existing key is never checked, because its passphrase has already been accepted.
    private static func checkStrength(of passphrase: Secret, location: String) throws {
        guard let weakness = EncryptedFileStore.weakness(ofPassphrase: passphrase) else { return }
        throw StoreError(.weakPassphrase, location: location, detail: weakness)
    }

    private static let limit = 4096

    private static func sealedKey(at path: String) throws -> SealedKey? {
        guard let bytes = try StoreError.mapping(FileSystem.contents(of: path, limit: Self.limit)) else { return nil }
        return try SealedKey(parsing: bytes, location: path)
    }
}
