// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Lets one caller at a time have an account, in the order in which they asked, without blocking a thread.
package final class AccountTurns: Sendable {
    private struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var lastNumber: UInt64 = 0
        /// An account that is here is taken; its array holds those who wait.
        var queues: [AccountKey: [Waiter]] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits for the account's turn; the caller must call ``pass(_:)`` once after that.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before its turn; then nothing is to be passed on.
    package func take(_ key: AccountKey) async throws { try await self.take(key) { _ in nil } }

    /// Waits for the account's turn for at most `limit`.
    ///
    /// - Throws: `expired` if the turn does not come in time; `CancellationError`.
    package func take(
        _ key: AccountKey,
        within limit: Duration,
        clock: any Clock<Duration>,
        expired: StoreError
    ) async throws {
        try await self.take(key) { number in
            Task {
                try await clock.sleep(for: limit)
                self.leave(key, number, with: expired)
            }
        }
    }

    /// Gives the account to whoever has waited longest.
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

    /// What the waiter can be told at once, nil when it has to wait.
    private func join(_ key: AccountKey, _ waiter: Waiter) -> Result<Void, any Error>? {
        self.state.withLock { state in
            // The cancellation handler may have come and gone before there was anybody to take out of the queue.
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

/// The time in which an entry may be used: from the start of an update to its end.
package final class Tenure: Sendable {
    private let isOver = Mutex(false)

    package init() {}

    package func end() { self.isOver.withLock { $0 = true } }

    /// - Throws: when an entry was kept and is used after its update.
    package func check() throws {
        if self.isOver.withLock({ $0 }) {
            throw StoreError(
                .system,
                place: "SessionStoreEntry",
                detail: "an entry was used after its update had ended"
            )
        }
    }
}
