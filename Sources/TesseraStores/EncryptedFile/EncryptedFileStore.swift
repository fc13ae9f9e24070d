// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraSupport

/// Keeps each session in an encrypted file: the store for a machine without a keyring.
///
/// It protects a copy of the store's directory, such as a backup, that comes without the key, and it notices every
/// change of a record. With the key in a file it does not protect against anyone who can read this user's files, key and all, nor against
/// somebody who puts back an older copy of the same record.
///
/// Files have mode 0600 and new directories 0700 whatever the umask. One key, made at first use, serves all stores of
/// a key directory; a program may also give the keys itself. Where records are and their key is not, every call fails with `keyMissing`, and no new key is made.
///
/// Updates of one account exclude each other across instances and across processes of this machine, by a lock on a
/// file; a process that dies, however, lets go of it. Reading takes no lock. On a network file system, where locks of
/// several machines may not know of each other, updates are refused.
public final class EncryptedFileStore: SessionStore {
    let directory: SessionDirectory
    private let locks: AccountLocks
    /// What waits for the disk, in order.
    private let executor: BlockingExecutor
    /// What only reads: it never waits for a save.
    private let reading: BlockingExecutor

    /// A store in a directory, which is made when the first session is saved.
    ///
    /// - Parameters:
    ///   - directory: where the records lie. A relative path starts at the current directory of this moment.
    ///   - keyDirectory: The key's directory, outside `directory`; nil for `$XDG_CONFIG_HOME/tessera/keys`, or
    ///     `~/.config/tessera/keys`. On Apple platforms nil is `tessera/keys` in `Library/Application Support`, and in
    ///     `Library/Caches`, which the system may empty, on tvOS.
    ///   - forcesNetworkFileSystem: takes a network file system too: right only where one machine alone uses it.
    ///   - lockTimeout: how long an update may wait for others, of this process and of all, before it fails with `busy`.
    ///   - clock: what waits.
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

    /// A store whose keys the caller has, from a key service for example: no key file is read or made.
    ///
    /// - Parameters:
    ///   - directory: where the records lie. A relative path starts at the current directory of this moment.
    ///   - keys: the key that seals what is written, and those that older records were sealed with.
    ///   - forcesNetworkFileSystem: takes a network file system too: right only where one machine alone uses it.
    ///   - lockTimeout: how long an update may wait for others, of this process and of all, before it fails with `busy`.
    ///   - clock: what waits.
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

    package init(
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
            path: UserPlaces.absolute(directory),
            keySource: keySource,
            allowsNetworkFileSystem: forcesNetworkFileSystem,
            networkFileSystem: networkFileSystem
        )
        // Whoever waits for a key keeps nobody else from the disk.
        let isAsked = if case .asked = keySource { true } else { false }
        let executor = isAsked ? BlockingExecutor() : BlockingExecutor.shared
        self.executor = executor
        self.reading = isAsked ? executor : BlockingExecutor.reading
        self.directory = sessions
        self.locks = AccountLocks(
            timeout: lockTimeout,
            clock: clock,
            executor: executor,
            place: sessions.lockPath,
            opening: { key in
                try sessions.prepare()
                return try StoreError.mapping(FileLock(path: sessions.lockPath(key)))
            },
            settling: sessions.settle
        )
    }

    /// The record of an account as it was last saved, nil where there is none.
    ///
    /// Takes no lock: a `refreshMark` may be that of a refresh which runs at this moment.
    public func load(_ account: Account) async throws -> SessionRecord? {
        let key = AccountKey(account)
        return try await self.reading.run { [directory] in try directory.read(key) }
    }

    /// Every account that has a record, ordered by issuer, client and subject.
    ///
    /// Takes no lock and needs no key.
    public func list() async throws -> [Account] {
        try await self.reading.run { [directory] in try directory.accounts() }
    }

    /// Returns an error for each file of a session whose account cannot be read; ``list()`` leaves such files out.
    public func unreadableFiles() async throws -> [StoreError] {
        try await self.reading.run { [directory] in try directory.strays() }
    }

    /// Removes an account's record, even one that cannot be read.
    ///
    /// Waits for an update of it to end.
    public func remove(_ account: Account) async throws {
        let directory = self.directory
        guard try await self.executor.run({ try StoreError.mapping(FileSystem.status(of: directory.path)) != nil })
        else { return }
        try await self.update(account) { try await $0.remove() }
    }

    /// Runs `body` while nobody else updates this account, in this process or another one of this machine.
    ///
    /// - Throws: `StoreError` `busy` when the lock cannot be had in time, `networkFileSystem`, `permissionDenied`,
    ///   `full`, …; what `body` throws; `CancellationError` when the task is cancelled before its turn.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        let key = AccountKey(account)
        return try await self.locks.exclusively(key) { tenure in try await body(self.entry(key, tenure)) }
    }

    /// Goes all the way of a save with a file of a session's size, and leaves nothing behind but the key and a lock's
    /// empty file.
    public func probe() async throws {
        try await self.locks.exclusively(.probe) { _ in
            try await self.executor.run { [directory] in try directory.probe() }
        }
    }

    private func entry(_ key: AccountKey, _ tenure: Tenure) -> SessionStoreEntry {
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
    /// Returns every account with its record, or why that cannot be read, in the order of ``list()``.
    ///
    /// It reads in the calling thread and blocks it: for a short program's main thread, never for a task. Nil if the key
    /// depends on a passphrase.
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
