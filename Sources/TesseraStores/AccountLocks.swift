// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera
package import TesseraSupport

/// Keeps the updates of one account apart: those of this store by turns, and those of other stores and processes by a lock
/// that the kernel frees when its holder dies.
package final class AccountLocks: Sendable {
    private let timeout: Duration
    private let clock: any Clock<Duration>
    private let executor: BlockingExecutor
    private let turns = AccountTurns()
    private let place: @Sendable (AccountKey) -> String
    private let open: @Sendable (AccountKey) throws -> FileLock
    private let settle: @Sendable (AccountKey) throws -> Void

    /// Creates the locks of a store.
    ///
    /// - Parameters:
    ///   - timeout: How long a lock is waited for.
    ///   - clock: Measures the wait.
    ///   - executor: Runs everything that blocks.
    ///   - place: Names an account's lock in errors.
    ///   - open: Makes an account's lock, which is not acquired yet.
    ///   - settle: Runs as soon as a lock is acquired.
    package init(
        timeout: Duration,
        clock: any Clock<Duration>,
        executor: BlockingExecutor,
        place: @escaping @Sendable (AccountKey) -> String,
        opening open: @escaping @Sendable (AccountKey) throws -> FileLock,
        settling settle: @escaping @Sendable (AccountKey) throws -> Void = { _ in }
    ) {
        self.timeout = timeout
        self.clock = clock
        self.executor = executor
        self.place = place
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
            place: directory.lockPath,
            opening: directory.lock
        )
    }

    /// Runs `body` while no other task or process has the account.
    ///
    /// - Parameters:
    ///   - key: The account.
    ///   - body: The work; its tenure ends with it.
    /// - Returns: The result of `body`.
    /// - Throws: `StoreError` `busy` if others have the account for too long; what making the lock and `body` throw;
    ///   `CancellationError` if the task is cancelled before its turn.
    package func exclusively<Result: Sendable>(
        _ key: AccountKey,
        _ body: (Tenure) async throws -> Result
    ) async throws -> Result {
        let patience = Patience(self.clock, for: self.timeout)
        let busy = StoreError(.busy, place: self.place(key))
        try await self.turns.take(key, within: self.timeout, clock: self.clock, expired: busy)
        defer { self.turns.pass(key) }
        let lock = try await self.executor.run { [open] in try open(key) }
        try await self.take(lock, of: key, patience, busy)
        let tenure = Tenure()
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body(tenure)) } catch { outcome = .failure(error) }
        try await self.executor.run {
            tenure.end()
            lock.release()
        }
        return try outcome.get()
    }

    private func take(
        _ lock: FileLock,
        of key: AccountKey,
        _ patience: Patience,
        _ busy: StoreError
    ) async throws {
        do {
            for pause in Patience.pauses {
                let isOurs = try await self.executor.run { [settle] in
                    guard try StoreError.mapping(lock.tryLock()) else { return false }
                    try settle(key)
                    return true
                }
                if isOurs { return }
                guard patience.remains else { break }
                try await self.clock.sleep(for: pause)
            }
            throw busy
        } catch {
            // Whoever gives up closes the file too: a lock that came in the last moment is let go.
            try await self.executor.run { lock.release() }
            throw error
        }
    }
}

extension SessionStoreEntry {
    /// Creates an entry whose calls block a queue, each only as long as the update lasts.
    ///
    /// The queue is serial: an entry's work never runs while its lock is released.
    ///
    /// - Parameters:
    ///   - account: The account, whose records alone are saved.
    ///   - place: Names the store in errors.
    ///   - tenure: The time of the update.
    ///   - executor: The queue.
    ///   - load: Reads the record with its mark.
    ///   - mark: Writes the mark down, or takes it back.
    ///   - save: Replaces the record and clears the mark.
    ///   - remove: Removes the record.
    package init(
        of account: AccountKey,
        at place: String,
        during tenure: Tenure,
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
                    guard AccountKey(record.account) == account else { throw StoreError.foreignRecord(place: place) }
                    try save(record)
                }
            },
            remove: { try await run(remove) }
        )
    }

    /// Creates an entry of a store that writes a record and its mark together: whether there is space for both is known
    /// before a refresh is sent.
    package init(
        of account: AccountKey,
        at place: String,
        during tenure: Tenure,
        on executor: BlockingExecutor,
        read: @escaping @Sendable () throws -> SessionRecord?,
        write: @escaping @Sendable (SessionRecord) throws -> Void,
        remove: @escaping @Sendable () throws -> Void
    ) {
        @Sendable func put(_ record: SessionRecord, _ mark: RefreshMark?) throws {
            var record = record
            record.refreshMark = mark
            try write(record)
        }
        self.init(
            of: account,
            at: place,
            during: tenure,
            on: executor,
            load: read,
            mark: { mark in if let record = try read() { try put(record, mark) } },
            save: { record in try put(record, nil) },
            remove: remove
        )
    }
}

/// How long to go on trying for a lock that somebody else has, and how long to pause in between.
package struct Patience: Sendable {
    private let isLeft: @Sendable () -> Bool

    package init(_ clock: some Clock<Duration>, for limit: Duration) {
        let end = clock.now.advanced(by: limit)
        self.isLeft = { clock.now < end }
    }

    package var remains: Bool { self.isLeft() }

    /// Pauses that double from a millisecond to 64, for ever.
    package static var pauses: some Sequence<Duration> {
        sequence(first: .milliseconds(1)) { min($0 * 2, .milliseconds(64)) }
    }
}

/// A directory that holds nothing but the locks of accounts: for stores that are no directory themselves.
package struct LockDirectory: Sendable {
    private let path: String
    /// What is missing where `path` is no path.
    private let missing: String

    package init(path: String) {
        self.path = path
        self.missing = "neither XDG_RUNTIME_DIR nor a home directory is known"
    }

    /// A directory in the container that an app shares with its extensions; nil where the app has no such container.
    ///
    /// - Parameters:
    ///   - container: The container's path.
    ///   - group: The app group.
    ///   - places: Places of the system's layout: only Caches is certain to be writable on tvOS.
    package init(inContainer container: String?, ofAppGroup group: String, places: UserPlaces = .current) {
        self.path = container.map { places.inContainer($0).lockDirectory } ?? ""
        self.missing =
            "the app has no container for the app group \(group); add the group to its App Groups entitlement"
    }

    package func lockPath(_ account: AccountKey) -> String { "\(self.path)/\(account.name).lock" }

    /// The account's lock, not taken yet; the directory is made for it.
    ///
    /// - Throws: `unavailable` where no directory is known; `networkFileSystem`, where locks cannot be trusted.
    package func lock(_ account: AccountKey) throws -> FileLock {
        guard self.path.hasPrefix("/") else {
            throw StoreError(
                .unavailable,
                place: "locks",
                detail: self.missing
            )
        }
        try StoreError.mapping(FileSystem.makeDirectory(self.path))
        if let name = try StoreError.mapping(NetworkFileSystem.name(at: self.path)) {
            throw StoreError(.networkFileSystem, place: self.path, detail: name)
        }
        return try StoreError.mapping(FileLock(path: self.lockPath(account)))
    }
}
