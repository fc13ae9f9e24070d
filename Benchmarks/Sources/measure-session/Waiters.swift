// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import HTTPTypes
internal import Synchronization
internal import Tessera

/// Measures many callers that wait for one refresh.
///
/// It prints the number of token requests and the time from the response until the last caller resumes.
enum Waiters {
    static func measure(count: Int) async throws {
        let endpoint = HeldTokenEndpoint()
        let session = try await BenchmarkSession.make(isExpired: true, transport: endpoint)
        let started = Counter()
        let waiters = (0..<count)
            .map { _ in
                Task.detached {
                    started.increment()
                    _ = try await session.accessToken()
                    return ContinuousClock.now
                }
            }
        while started.value < count { try await Task.sleep(for: .milliseconds(1)) }
        // All callers have started. Give them time to begin waiting.
        try await Task.sleep(for: .milliseconds(200))
        let responded = endpoint.response()
        var last = responded
        for waiter in waiters { last = max(last, try await waiter.value) }
        print("waiters", count)
        print("waiters_token_requests", endpoint.requestCount)
        print("waiters_resumed_ms", (last - responded) / .milliseconds(1))
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { self.count.withLock { $0 } }
    func increment() { self.count.withLock { $0 += 1 } }
}

/// A token endpoint that delays its response until `response()` is called.
private final class HeldTokenEndpoint: HTTPTransport {
    private let requests = Mutex(0)
    private let released: AsyncStream<Void>
    private let release: AsyncStream<Void>.Continuation

    init() { (self.released, self.release) = AsyncStream.makeStream() }

    var requestCount: Int { self.requests.withLock { $0 } }

    func response() -> ContinuousClock.Instant {
        defer { self.release.finish() }
        return ContinuousClock.now
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        self.requests.withLock { $0 += 1 }
        for await _ in self.released {}
        let response = #"{"access_token": "new", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "r2"}"#
        return (
            HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]),
            HTTPBody(response)
        )
    }
}
