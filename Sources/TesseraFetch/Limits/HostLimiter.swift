// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Lets so many calls go to one host at a time; the others wait their turn, the more urgent ones first.
///
/// Share one between fetchers to count their calls together. A call counts until its answer was read, or let go of; not
/// while it waits to be made again.
public final class HostLimiter: Sendable {
    private struct Waiter {
        let id: UInt64
        let priority: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Host {
        var running = 0
        /// The most urgent first, and of equals the one that came first.
        var waiting: [Waiter] = []
    }

    private struct State {
        var hosts: [String: Host] = [:]
        var nextID: UInt64 = 0
    }

    /// How many.
    public let callsPerHost: Int
    private let state = Mutex(State())

    /// A limiter; at least one call is let through.
    public init(callsPerHost: Int) { self.callsPerHost = max(1, callsPerHost) }

    /// How many calls wait for a turn at a host now.
    public func waiting(at host: String) -> Int { self.state.withLock { $0.hosts[host]?.waiting.count ?? 0 } }

    /// Waits for a turn.
    ///
    /// - Throws: `CancellationError`; the turn is another one's then.
    func enter(_ host: String, priority: Int) async throws -> HostTurn {
        try Task.checkCancellation()
        let id = self.state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.add(Waiter(id: id, priority: priority, continuation: continuation), to: host)
            }
        } onCancel: {
            let waiter = self.state.withLock { state -> Waiter? in
                guard let index = state.hosts[host]?.waiting.firstIndex(where: { $0.id == id }) else { return nil }
                return state.hosts[host]?.waiting.remove(at: index)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
        return HostTurn(self, host)
    }

    private func add(_ waiter: Waiter, to host: String) {
        let outcome = self.state.withLock { state -> Result<Void, any Error>? in
            // Looked at under the lock: a cancellation after this finds the waiter in the list.
            if Task.isCancelled { return .failure(CancellationError()) }
            var entry = state.hosts[host] ?? Host()
            defer { state.hosts[host] = entry }
            if entry.running < self.callsPerHost {
                entry.running += 1
                return .success(())
            }
            let index = entry.waiting.firstIndex { $0.priority < waiter.priority } ?? entry.waiting.endIndex
            entry.waiting.insert(waiter, at: index)
            return nil
        }
        if let outcome { waiter.continuation.resume(with: outcome) }
    }

    /// The next one's turn.
    func leave(_ host: String) {
        let next = self.state.withLock { state -> Waiter? in
            guard var entry = state.hosts[host] else { return nil }
            if !entry.waiting.isEmpty {
                let next = entry.waiting.removeFirst()
                state.hosts[host] = entry
                return next
            }
            entry.running -= 1
            state.hosts[host] = entry.running == 0 ? nil : entry
            return nil
        }
        next?.continuation.resume()
    }
}
