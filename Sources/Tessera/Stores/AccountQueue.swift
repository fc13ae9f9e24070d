// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// A set of per-account locks, which callers acquire in the order of their requests without blocking a thread.
package final class AccountQueue: Sendable {
    private struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var lastNumber: UInt64 = 0
        /// The callers waiting for each locked account, or an empty array if none is waiting.
        var queues: [AccountKey: [Waiter]] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Locks an account.
    ///
    /// The caller must call ``pass(_:)`` once to unlock it.
    ///
    /// - Throws: `CancellationError` if the task is canceled while waiting. The account is then not locked.
    package func take(_ key: AccountKey) async throws { try await self.take(key) { _ in nil } }

    /// Locks an account if it becomes available within `limit`.
    ///
    /// - Throws: `expired` if the account is not available in time, or `CancellationError` if the task is canceled.
    package func take(
        _ key: AccountKey,
        within limit: Duration,
        clock: any Clock<Duration>,
        expired: StoreError
    ) async throws {
        try await self.take(key) { number in
            TaskExecutorInheritance.start {
                try await clock.sleep(for: limit)
                self.leave(key, number, with: expired)
            }
        }
    }

    /// Unlocks an account, or passes its lock to the caller that has waited longest.
    package func pass(_ key: AccountKey) {
        let next = self.state.withLock { state -> Waiter? in
            guard let waiting = state.queues[key], !waiting.isEmpty else {
                state.queues[key] = nil
                return nil
            }
            return state.queues[key]?.removeFirst()
        }
        next?.continuation.resume()
    }

    private func take(_ key: AccountKey, _ start: (UInt64) -> Task<Void, any Error>?) async throws {
        let number = self.state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if let outcome = self.join(key, Waiter(number: number, continuation: continuation)) {
                    continuation.resume(with: outcome)
                } else {
                    timer = start(number)
                }
            }
        } onCancel: {
            self.leave(key, number, with: CancellationError())
        }
    }

    /// Returns the result for the waiter if it is available immediately, or enqueues the waiter and returns nil.
    private func join(_ key: AccountKey, _ waiter: Waiter) -> Result<Void, any Error>? {
        self.state.withLock { state in
            // The cancellation handler may have run before this waiter was in the queue.
            if Task.isCancelled { return .failure(CancellationError()) }
            guard state.queues[key] != nil else {
                state.queues[key] = []
                return .success(())
            }
            state.queues[key]?.append(waiter)
            return nil
        }
    }

    private func leave(_ key: AccountKey, _ number: UInt64, with error: any Error) {
        let waiter = self.state.withLock { state -> Waiter? in
            guard let index = state.queues[key]?.firstIndex(where: { $0.number == number }) else { return nil }
            return state.queues[key]?.remove(at: index)
        }
        waiter?.continuation.resume(throwing: error)
    }
}

/// The lifetime of an entry, which ends with its update.
package final class EntryLifetime: Sendable {
    private let isOver = Mutex(false)

    package init() {}

    package func end() { self.isOver.withLock { $0 = true } }

    /// - Throws: ``StoreError`` with the code `system` if the update has ended.
    package func check() throws {
        if self.isOver.withLock({ $0 }) {
            throw StoreError(
                .system,
                location: "SessionStoreEntry",
                detail: "an entry was used after its update ended"
            )
        }
    }
}
