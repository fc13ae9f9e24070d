// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// Limits the number of concurrent calls to a host.
///
/// Waiting calls proceed in order of priority. Share a limiter between fetchers to limit their calls together. A call
/// occupies its slot until its response has been read or released. A call that is waiting to be retried does not occupy
/// one.
public final class HostLimiter: Sendable {
    private struct Waiter {
        let id: UInt64
        let priority: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Host {
        var running = 0
        /// The waiting calls, ordered by priority and then by arrival.
        var waiting: [Waiter] = []
    }

    private struct State {
        var hosts: [String: Host] = [:]
        var nextID: UInt64 = 0
    }

    /// The maximum number of concurrent calls to a host.
    public let callsPerHost: Int
    private let state = Mutex(State())

    /// Creates a limiter that permits at least one concurrent call.
    public init(callsPerHost: Int) { self.callsPerHost = max(1, callsPerHost) }

    /// Returns the number of calls that are waiting for a host.
    package func waiting(at host: String) -> Int { self.state.withLock { $0.hosts[host]?.waiting.count ?? 0 } }

    /// Waits until a call may proceed, or throws a `CancellationError`.
    func enter(_ host: String, priority: Int) async throws -> HostPermit {
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
        return HostPermit(self, host)
    }

    private func add(_ waiter: Waiter, to host: String) {
        let cause = self.state.withLock { state -> Result<Void, any Error>? in
            // Check while holding the lock, so that a later cancellation finds the waiter in the list.
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
        if let cause { waiter.continuation.resume(with: cause) }
    }

    /// Releases a call's slot and gives it to the next waiting call.
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

/// Permission for a call to a host, which ends when the body has been read or the last reference is released.
final class HostPermit: Sendable {
    private let limiter: HostLimiter
    private let host: String
    private let isOver = Mutex(false)

    fileprivate init(_ limiter: HostLimiter, _ host: String) {
        self.limiter = limiter
        self.host = host
    }

    deinit { self.end() }

    func end() {
        if self.isOver.setOnce() { self.limiter.leave(self.host) }
    }
}

/// A response body that releases its call's slot once it has been read.
final class PermitHoldingBody: HTTPBodySource {
    private let body: HTTPBody
    private let turn: HostPermit

    init(_ body: HTTPBody, _ turn: HostPermit) {
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
