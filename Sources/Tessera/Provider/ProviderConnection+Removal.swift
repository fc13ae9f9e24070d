// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

extension ProviderConnection {
    /// Removes an account's record within an activity.
    ///
    /// The record is not removed if the user has consented again by the time the account is locked, in this process or
    /// in another one. A record that cannot be read is removed.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - store: The store.
    ///   - session: The session to end when the removal begins. If it is active again, its record is not removed.
    /// - Throws: ``StoreError`` with the code `postponed` if the activity's time expires before the account is locked.
    ///   If the task is canceled, `CancellationError` is thrown and the removal continues.
    func remove(
        _ account: Account,
        from store: any SessionStore,
        ending session: OAuthSession? = nil
    ) async throws {
        let removal = self.removals.begin(of: account, ending: session)
        try await self.completing(removal, of: session, from: store) {
            try await self.removeRecord(removal, of: session, from: store)
        }
    }

    /// Runs an operation that removes a record, and ends the removal.
    ///
    /// If the task is canceled, the record is removed in the background, because the session has already ended for the
    /// app and must not be restored.
    func completing<Result: Sendable>(
        _ removal: PendingRemovals.Removal,
        of session: OAuthSession?,
        from store: any SessionStore,
        _ operation: () async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await operation()
            self.removals.end(removal)
            return result
        } catch is CancellationError {
            _ = TaskExecutorInheritance.start {
                defer { self.removals.end(removal) }
                try await self.removeRecord(removal, of: session, from: store)
            }
            throw CancellationError()
        } catch {
            self.removals.end(removal)
            throw error
        }
    }

    private func removeRecord(
        _ removal: PendingRemovals.Removal,
        of session: OAuthSession?,
        from store: any SessionStore
    ) async throws {
        let account = removal.account
        try await self.locking("Removing a session") { begin, _ in
            await removal.inspect(store)
            let isWanted: @Sendable (SessionRecord?) -> Bool = { stored in
                !removal.spares(stored) && (session.map { $0.ended != nil } ?? true)
            }
            let isLocked = Mutex(false)
            do {
                try await store.update(account) { entry in
                    isLocked.withLock { $0 = true }
                    try begin()
                    guard isWanted(try? await entry.load()) else { return }
                    try await entry.remove()
                    self.unsaved[account] = nil
                }
            } catch let error as StoreError where error.code == .full && !isLocked.withLock({ $0 }) {
                // A store that has no space to begin an update may still be able to remove. After any other error,
                // the user may consent again in another process while this one waits for the lock a second time.
                guard isWanted(try? await store.load(account)) else { return }
                try await store.remove(account)
                self.unsaved[account] = nil
            }
        }
    }
}
