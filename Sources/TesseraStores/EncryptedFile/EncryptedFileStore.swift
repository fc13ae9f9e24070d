// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
package import TesseraSupport

/// A store that saves each session in an encrypted file, for machines without a keyring.
///
/// The store protects copies of its directory, such as backups, that do not include the key, and detects any change to
/// a record. If the key is in a file, the store does not protect against an attacker who can read all of the user's
/// files. It also does not detect that a record was replaced with an older copy of itself.
///
/// Files have mode 0600 and new directories 0700, regardless of the umask. A key is created at first use and shared by
/// all stores with the same key directory. A program can also supply its keys. If there are records but their key is
/// missing, every call fails with `keyMissing`, and a new key is not created.
///
/// A file lock serializes an account's updates across instances and processes on this machine, and is released when its
/// process exits. Reading does not take the lock. Updates are rejected on a network file system, where locks may not
/// work across machines.
public final class EncryptedFileStore: SessionStore {
    let directory: SessionDirectory
    private let locks: AccountLocks
    /// Runs updates, in order.
    private let executor: BlockingExecutor
    /// Runs reads, which never wait for a save.
    private let reading: BlockingExecutor

    /// Creates a store in a directory, which is created when the first session is saved.
    ///
    /// - Parameters:
    ///   - directory: The directory for the records. A relative path is resolved against the current directory
    ///     immediately.
    ///   - keyDirectory: The directory for the key, which must be outside `directory`. Nil means
    ///     `$XDG_CONFIG_HOME/tessera/keys`, or `~/.config/tessera/keys`. On Apple platforms, nil means `tessera/keys`
    ///     in `Library/Application Support` or, on tvOS, in `Library/Caches`, which the system can empty.
    ///   - forcesNetworkFileSystem: Whether to allow a network file system, which is safe only if a single machine uses
    ///     it.
    ///   - lockTimeout: The time that an update waits for other updates, in this and other processes, before it fails
    ///     with `busy`.
    ///   - clock: The clock that measures the wait.
    public convenience init(
        directory: String,
        keyDirectory: String? = nil,
        forcesNetworkFileSystem: Bool = false,
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            directory: directory,
            keySource: .keyFile(in: keyDirectory),
            forcesNetworkFileSystem: forcesNetworkFileSystem,
            lockTimeout: lockTimeout,
            clock: clock
        )
    }

    /// Creates a store with caller-supplied keys, for example from a key service.
    ///
    /// The store does not read or create a key file.
    ///
    /// - Parameters:
    ///   - directory: The directory for the records. A relative path is resolved against the current directory
    ///     immediately.
    ///   - keys: The key that encrypts new records, and the former keys that encrypted older records.
    ///   - forcesNetworkFileSystem: Whether to allow a network file system, which is safe only if a single machine uses
    ///     it.
    ///   - lockTimeout: The time that an update waits for other updates, in this and other processes, before it fails
    ///     with `busy`.
    ///   - clock: The clock that measures the wait.
    public convenience init(
        directory: String,
        keys: StoreKeys,
        forcesNetworkFileSystem: Bool = false,
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            directory: directory,
            keySource: .given(keys),
            forcesNetworkFileSystem: forcesNetworkFileSystem,
            lockTimeout: lockTimeout,
            clock: clock
        )
    }

    package convenience init(
        directory: String,
        keySource: StoreKeySource,
        forcesNetworkFileSystem: Bool,
        lockTimeout: Duration,
        clock: any Clock<Duration>,
        networkFileSystem: @escaping @Sendable (_ path: String) throws -> String? = { path in
            try StoreError.mapping(NetworkFileSystem.name(at: path))
        }
    ) {
        let sessions = SessionDirectory(
            path: UserFolders.absolute(directory),
            volume: SystemVolume(),
            keySource: keySource,
            allowsNetworkFileSystem: forcesNetworkFileSystem,
            networkFileSystem: networkFileSystem
        )
        // Waiting for a key must not delay the disk access of other stores.
        let isAsked = if case .asked = keySource { true } else { false }
        let executor = isAsked ? BlockingExecutor() : BlockingExecutor.shared
        self.init(
            sessions,
            lockTimeout: lockTimeout,
            clock: clock,
            executor: executor,
            reading: isAsked ? executor : BlockingExecutor.reading
        )
    }

    /// Creates a store on a simulated volume.
    ///
    /// - Parameters:
    ///   - directory: The absolute path of the directory for the records.
    ///   - volume: The volume.
    ///   - keys: The keys.
    ///   - lockTimeout: The time that an update waits for other updates.
    ///   - clock: The clock that measures the wait.
    ///   - executor: The executor that runs all file operations.
    package convenience init(
        directory: String,
        on volume: any Volume,
        keys: StoreKeys,
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration>,
        executor: BlockingExecutor
    ) {
        let sessions = SessionDirectory(
            path: directory,
            volume: volume,
            keySource: .given(keys),
            allowsNetworkFileSystem: true,
            networkFileSystem: { _ in nil }
        )
        self.init(sessions, lockTimeout: lockTimeout, clock: clock, executor: executor, reading: executor)
    }

    private init(
        _ sessions: SessionDirectory,
        lockTimeout: Duration,
        clock: any Clock<Duration>,
        executor: BlockingExecutor,
        reading: BlockingExecutor
    ) {
        self.executor = executor
        self.reading = reading
        self.directory = sessions
        self.locks = AccountLocks(
            timeout: lockTimeout,
            clock: clock,
            executor: executor,
            location: sessions.lockPath,
            opening: { key in
                try sessions.prepare()
                return try StoreError.mapping(sessions.volume.lock(sessions.lockPath(key)))
            },
            settling: sessions.settle
        )
    }

    /// Returns an account's last saved record, or nil if there is none.
    ///
    /// This method does not take the lock, so a `refreshMark` may belong to a refresh that is in progress.
    public func load(_ account: Account) async throws -> SessionRecord? {
        let key = AccountKey(account)
        return try await self.reading.run { [directory] in try directory.read(key) }
    }

    /// Returns every account that has a record, ordered by issuer, client and subject.
    ///
    /// This method does not take the lock and does not need the key.
    public func list() async throws -> [Account] {
        try await self.reading.run { [directory] in try directory.accounts() }
    }

    /// Returns an error for each session file whose account cannot be read.
    ///
    /// ``list()`` skips these files.
    public func unreadableFiles() async throws -> [StoreError] {
        try await self.reading.run { [directory] in try directory.strays() }
    }

    /// Removes an account's record, even if it cannot be read.
    ///
    /// Waits for any update of the record to finish first.
    public func remove(_ account: Account) async throws {
        let directory = self.directory
        guard try await self.executor.run({ try StoreError.mapping(directory.volume.checkDirectory(directory.path)) })
        else { return }
        try await self.update(account) { try await $0.remove() }
    }

    /// Runs a closure while no other task or process on this machine updates the account.
    ///
    /// - Throws: `StoreError`, for example with the code `busy` if the lock cannot be acquired in time, or
    ///   `networkFileSystem`, `permissionDenied` or `full`. Throws `CancellationError` if the task is canceled before
    ///   the lock is acquired, or any error that `body` throws.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        let key = AccountKey(account)
        return try await self.locks.exclusively(key) { tenure in try await body(self.entry(key, tenure)) }
    }

    /// Checks that a session can be saved by writing a file of similar size through every step of a save.
    ///
    /// Only the key and an empty lock file remain afterward.
    public func probe() async throws {
        try await self.locks.exclusively(.probe) { _ in
            try await self.executor.run { [directory] in try directory.probe() }
        }
    }

    private func entry(_ key: AccountKey, _ tenure: EntryLifetime) -> SessionStoreEntry {
        let directory = self.directory
        return SessionStoreEntry(
            of: key,
            at: directory.path,
            during: tenure,
            on: self.executor,
            load: { try directory.read(key) },
            mark: { mark in
                if let mark { try directory.write(mark, of: key) } else { try directory.removeMark(of: key) }
            },
            save: { record in try directory.write(record, of: key) },
            remove: { try directory.remove(key) }
        )
    }
}

extension EncryptedFileStore {
    /// Returns every account with its record, or the error that occurred while reading it, in the order of ``list()``.
    ///
    /// This method blocks the calling thread. Use it on the main thread of a short-lived program, but not in a task.
    /// Returns nil if the key requires a passphrase.
    public func recordsBlocking()
        throws -> [(account: Account, record: Result<SessionRecord, StoreError>)]?
    {
        if case .asked = self.directory.keySource { return nil }
        var records: [(Account, Result<SessionRecord, StoreError>)] = []
        for account in try self.directory.accounts() {
            do {
                guard let record = try self.directory.read(AccountKey(account)) else { continue }
                records.append((account, .success(record)))
            } catch let error as StoreError {
                records.append((account, .failure(error)))
            }
        }
        return records
    }
}
