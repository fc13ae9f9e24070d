// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// Limits how many calls go to one host at a time; the others wait, those with a higher priority first.
///
/// Share one between fetchers to count their calls together. A call is counted until its response has been read or
/// released, but not while it waits to be made again.
public final class HostLimiter: Sendable {
    private struct Waiter {
        let id: UInt64
        let priority: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Host {
        var running = 0
        /// By priority, then by arrival.
        var waiting: [Waiter] = []
    }

    private struct State {
        var hosts: [String: Host] = [:]
        var nextID: UInt64 = 0
    }

    /// The most calls to one host at a time.
    public let callsPerHost: Int
    private let state = Mutex(State())

    /// Creates a limiter of at least one call.
    public init(callsPerHost: Int) { self.callsPerHost = max(1, callsPerHost) }

    /// Returns how many calls wait for a host.
    package func waiting(at host: String) -> Int { self.state.withLock { $0.hosts[host]?.waiting.count ?? 0 } }

    /// Waits for a turn, or throws a `CancellationError`.
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
            // Checked under the lock: a later cancellation finds the waiter in the list.
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

    /// Ends a turn, which another call gets.
    fileprivate func leave(_ host: String) {
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

/// A call's turn at a host, which ends with the body of the response or with the last reference.
final class HostTurn: Sendable {
    private let limiter: HostLimiter
    private let host: String
    private let isOver = Mutex(false)

    fileprivate init(_ limiter: HostLimiter, _ host: String) {
        self.limiter = limiter
        self.host = host
    }

    deinit { self.end() }

    func end() {
        let isFirst = self.isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { self.limiter.leave(self.host) }
    }
}

/// The body of a response whose call has its turn until the end is read.
final class HeldBody: HTTPBodySource {
    private let body: HTTPBody
    private let turn: HostTurn

    init(_ body: HTTPBody, _ turn: HostTurn) {
        self.body = body
        self.turn = turn
    }

    func start() -> HTTPBody.Next {
        var chunks = self.body.makeAsyncIterator()
        return {
            do {
                if let chunk = try await chunks.next() { return chunk }
            } catch {
                self.turn.end()
                throw error
            }
            self.turn.end()
            return nil
        }
    }

    func collect(upTo limit: Int) async throws -> [UInt8] {
        defer { self.turn.end() }
        return try await self.body.collect(upTo: limit)
    }
}
