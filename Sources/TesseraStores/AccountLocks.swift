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

    /// Locks that are waited for during `timeout` at most; everything that blocks runs on `executor`.
    package init(timeout: Duration, clock: any Clock<Duration>, executor: BlockingExecutor = .shared) {
        self.timeout = timeout
        self.clock = clock
        self.executor = executor
    }

    /// Runs `body` while nobody else has the account.
    ///
    /// - Parameters:
    ///   - key: the account.
    ///   - place: what an error names.
    ///   - open: makes the lock, which is not taken yet.
    ///   - settle: runs as soon as the lock is had, and before `body`.
    ///   - body: what is to be done; its tenure ends with it.
    /// - Returns: what `body` returns.
    /// - Throws: `StoreError` `busy` when others have the account for too long; what `open`, `settle` and `body` throw;
    ///   `CancellationError` when the task is cancelled before its turn.
    package func exclusively<Result: Sendable>(
        _ key: AccountKey,
        place: String,
        opening open: @escaping @Sendable () throws(StoreError) -> FileLock,
        settling settle: @escaping @Sendable () throws(StoreError) -> Void = {},
        _ body: (Tenure) async throws -> Result
    ) async throws -> Result {
        let patience = Patience(self.clock, for: self.timeout)
        let busy = StoreError(.busy, place: place)
        try await self.turns.take(key, within: self.timeout, clock: self.clock, expired: busy)
        defer { self.turns.pass(key) }
        let lock = try await self.executor.run(open)
        try await self.take(lock, patience, busy, settle)
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
        _ patience: Patience,
        _ busy: StoreError,
        _ settle: @escaping @Sendable () throws(StoreError) -> Void
    ) async throws {
        do {
            for pause in Patience.pauses {
                let isOurs = try await self.executor.run {
                    guard try StoreError.mapping(lock.tryLock()) else { return false }
                    try settle()
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
    package func lock(_ account: AccountKey) throws(StoreError) -> FileLock {
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
