// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
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
        passphrase: @escaping @Sendable (PassphrasePurpose) throws(StoreError) -> Secret
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
