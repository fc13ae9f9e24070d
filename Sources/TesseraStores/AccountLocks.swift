// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera
package import TesseraSupport

/// Locks that serialize the updates of each account.
///
/// Updates in the same store take turns. A file lock prevents concurrent updates by other stores and processes. The
/// kernel releases it when its holder exits.
package final class AccountLocks: Sendable {
    private let timeout: Duration
    private let clock: any Clock<Duration>
    private let executor: BlockingExecutor
    private let turns = AccountQueue()
    private let location: @Sendable (AccountKey) -> String
    private let open: @Sendable (AccountKey) throws -> any VolumeLock
    private let settle: @Sendable (AccountKey) throws -> Void

    /// Creates the locks for a store.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait for a lock.
    ///   - clock: The clock that measures the wait.
    ///   - executor: The executor for blocking calls.
    ///   - location: Returns the location of an account's lock, for error messages.
    ///   - open: Creates an account's lock without acquiring it.
    ///   - settle: Called immediately after a lock is acquired.
    package init(
        timeout: Duration,
        clock: any Clock<Duration>,
        executor: BlockingExecutor,
        location: @escaping @Sendable (AccountKey) -> String,
        opening open: @escaping @Sendable (AccountKey) throws -> any VolumeLock,
        settling settle: @escaping @Sendable (AccountKey) throws -> Void = { _ in }
    ) {
        self.timeout = timeout
        self.clock = clock
        self.executor = executor
        self.location = location
        self.open = open
        self.settle = settle
    }

    /// Creates locks that are files in a separate directory.
    package convenience init(
        in directory: LockDirectory,
        timeout: Duration,
        clock: any Clock<Duration>,
        executor: BlockingExecutor
    ) {
        self.init(
            timeout: timeout,
            clock: clock,
            executor: executor,
            location: directory.lockPath,
            opening: directory.lock
        )
    }

    /// Runs a closure while no other task or process updates the account.
    ///
    /// - Parameters:
    ///   - key: The account.
    ///   - body: The closure to run. Its `Tenure` ends when it returns.
    /// - Returns: The result of `body`.
    /// - Throws: `StoreError` with the code `busy` if the lock cannot be acquired in time, `CancellationError` if the
    ///   task is canceled before that, or any error from creating the lock or from `body`.
    package func exclusively<Result: Sendable>(
        _ key: AccountKey,
        _ body: (EntryLifetime) async throws -> Result
    ) async throws -> Result {
        let timeout = LockTimeout(self.clock, for: self.timeout)
        let busy = StoreError(.busy, location: self.location(key))
        try await self.turns.take(key, within: self.timeout, clock: self.clock, expired: busy)
        defer { self.turns.pass(key) }
        let lock = try await self.executor.run { [open] in try open(key) }
        try await self.take(lock, of: key, timeout, busy)
        let tenure = EntryLifetime()
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body(tenure)) } catch { outcome = .failure(error) }
        try await self.executor.run {
            tenure.end()
            lock.release()
        }
        return try outcome.get()
    }

    private func take(
        _ lock: any VolumeLock,
        of key: AccountKey,
        _ timeout: LockTimeout,
        _ busy: StoreError
    ) async throws {
        do {
            for pause in LockTimeout.pauses {
                let isOurs = try await self.executor.run { [settle] in
                    guard try StoreError.mapping(lock.tryLock()) else { return false }
                    try settle(key)
                    return true
                }
                if isOurs { return }
                guard timeout.remains else { break }
                try await self.clock.sleep(for: pause)
            }
            throw busy
        } catch {
            // Closing the file also releases a lock that was acquired at the last moment.
            try await self.executor.run { lock.release() }
            throw error
        }
    }
}

extension SessionStoreEntry {
    /// Creates an entry whose operations run on a blocking executor, for as long as the update lasts.
    ///
    /// The executor is serial, so no operation runs while the lock is being released.
    ///
    /// - Parameters:
    ///   - account: The account that the entry belongs to. Records of other accounts are rejected.
    ///   - location: The location of the store, for error messages.
    ///   - tenure: The tenure of the update, which limits the entry's lifetime.
    ///   - executor: The executor.
    ///   - load: Reads the record with its refresh mark.
    ///   - mark: Writes or removes the refresh mark.
    ///   - save: Replaces the record and its refresh mark.
    ///   - remove: Removes the record.
    package init(
        of account: AccountKey,
        at location: String,
        during tenure: EntryLifetime,
        on executor: BlockingExecutor,
        load: @escaping @Sendable () throws -> SessionRecord?,
        mark: @escaping @Sendable (RefreshMark?) throws -> Void,
        save: @escaping @Sendable (SessionRecord) throws -> Void,
        remove: @escaping @Sendable () throws -> Void
    ) {
        @Sendable func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
            try await executor.run {
                try tenure.check()
                return try work()
            }
        }
        self.init(
            load: { try await run(load) },
            mark: { value in try await run { try mark(value) } },
            save: { record in
                try await run {
                    guard AccountKey(record.account) == account else {
                        throw StoreError.foreignRecord(location: location)
                    }
                    try save(record)
                }
            },
            remove: { try await run(remove) }
        )
    }

    /// Creates an entry for a store that writes a record together with its refresh mark.
    ///
    /// Writing the mark shows whether there is enough space for both before a refresh request is sent.
    package init(
        of account: AccountKey,
        at location: String,
        during tenure: EntryLifetime,
        on executor: BlockingExecutor,
        read: @escaping @Sendable () throws -> SessionRecord?,
        write: @escaping @Sendable (SessionRecord) throws -> Void,
        remove: @escaping @Sendable () throws -> Void
    ) {
        self.init(
            of: account,
            at: location,
            during: tenure,
            on: executor,
            load: read,
            mark: { mark in
                guard var record = try read() else { return }
                record.refreshMark = mark
                try write(record)
            },
            save: write,
            remove: remove
        )
    }
}

/// A time limit for acquiring a lock, including the pauses between attempts.
package struct LockTimeout: Sendable {
    private let isLeft: @Sendable () -> Bool

    package init(_ clock: some Clock<Duration>, for limit: Duration) {
        let end = clock.now.advanced(by: limit)
        self.isLeft = { clock.now < end }
    }

    package var remains: Bool { self.isLeft() }

    /// An infinite sequence of pauses that double from 1 to 64 milliseconds.
    package static var pauses: some Sequence<Duration> {
        sequence(first: .milliseconds(1)) { min($0 * 2, .milliseconds(64)) }
    }
}

/// A directory for the account locks of stores that are not directories themselves.
package struct LockDirectory: Sendable {
    private let path: String
    /// The explanation to include in the error if `path` is not an absolute path.
    private let missing: String

    package init(path: String) {
        self.path = path
        self.missing = "neither XDG_RUNTIME_DIR nor a home directory is available"
    }

    /// Creates a lock directory in the container that an app shares with its extensions.
    ///
    /// - Parameters:
    ///   - container: The path of the container, or nil if the app does not have one.
    ///   - group: The app group.
    ///   - places: The system's folders, because only Caches is guaranteed to be writable on tvOS.
    package init(inContainer container: String?, ofAppGroup group: String, places: UserFolders = .current) {
        self.path = container.map { places.inContainer($0).lockDirectory } ?? ""
        self.missing =
            "the app does not have a container for the app group \(group). Add the group to its App Groups entitlement"
    }

    package func lockPath(_ account: AccountKey) -> String { "\(self.path)/\(account.name).lock" }

    /// Returns the account's lock without acquiring it, and creates the directory if necessary.
    ///
    /// - Throws: `StoreError` with the code `unavailable` if no directory is known, or `networkFileSystem` on a network
    ///   file system, where locks are unreliable.
    package func lock(_ account: AccountKey) throws -> FileLock {
        guard self.path.hasPrefix("/") else {
            throw StoreError(
                .unavailable,
                location: "locks",
                detail: self.missing
            )
        }
        try StoreError.mapping(FileSystem.makeDirectory(self.path))
        if let name = try StoreError.mapping(NetworkFileSystem.name(at: self.path)) {
            throw StoreError(.networkFileSystem, location: self.path, detail: name)
        }
        return try StoreError.mapping(FileLock(path: self.lockPath(account)))
    }
}
