// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import HTTPTypes
internal import Synchronization
internal import Tessera

/// Many callers, one expired token: how many requests that costs, and how long after the answer the last caller goes on.
enum Waiters {
    static func measure(count: Int) async throws {
        let endpoint = HeldTokenEndpoint()
        let session = try await BenchmarkSession.make(isExpired: true, transport: endpoint)
        let asking = Counter()
        let waiters = (0..<count)
            .map { _ in
                Task.detached {
                    asking.increment()
                    _ = try await session.accessToken()
                    return ContinuousClock.now
                }
            }
        while asking.value < count { try await Task.sleep(for: .milliseconds(1)) }
        // Each has said that it asks; a moment later each is waiting.
        try await Task.sleep(for: .milliseconds(200))
        let answered = endpoint.answer()
        var last = answered
        for waiter in waiters { last = max(last, try await waiter.value) }
        print("waiters", count)
        print("waiters_token_requests", endpoint.requestCount)
        print("waiters_resumed_ms", (last - answered) / .milliseconds(1))
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { self.count.withLock { $0 } }
    func increment() { self.count.withLock { $0 += 1 } }
}

/// A token endpoint that answers when it is told to.
private final class HeldTokenEndpoint: HTTPTransport {
    private let requests = Mutex(0)
    private let released: AsyncStream<Void>
    private let release: AsyncStream<Void>.Continuation

    init() { (self.released, self.release) = AsyncStream.makeStream() }

    var requestCount: Int { self.requests.withLock { $0 } }

    func answer() -> ContinuousClock.Instant {
        defer { self.release.finish() }
        return ContinuousClock.now
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        self.requests.withLock { $0 += 1 }
        for await _ in self.released {}
        let answer = #"{"access_token": "new", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "r2"}"#
        return (
            HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]),
            HTTPBody(answer)
        )
    }
}
