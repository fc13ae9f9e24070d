// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Retries")
struct RetryingTests {
    static let url = "https://api.example/files"
    static let methods: [HTTPRequest.Method] = [.get, .head, .options, .put, .delete, .post, .patch]

    /// Creates a fetcher whose waits end immediately, and the clock that they advance.
    private static func fetcher(
        _ network: ScriptedTransport,
        source: (any AccessTokenSource)? = nil,
        settings: FetchSettings = FetchSettings()
    ) throws -> (AuthorizedFetcher, TestClock) {
        let clock = TestClock()
        var runtime = OAuthRuntime.testing(transport: network, clock: clock)
        runtime.clock = SelfAdvancingClock(moving: clock)
        return (AuthorizedFetcher(try source ?? ScriptedSource(), runtime: runtime, settings: settings), clock)
    }

    /// Returns the number of attempts for a call whose first one fails.
    private static func attempts(
        of method: HTTPRequest.Method,
        _ request: (inout HTTPRequest) -> Void = { _ in },
        body: HTTPBody? = nil,
        options: CallOptions = CallOptions(),
        after failure: @escaping @Sendable () throws -> ScriptedResponse
    ) async throws -> Int {
        let isFirst = Mutex(true)
        let network = ScriptedTransport { _ in
            let fails = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return fails ? try failure() : .json("{}")
        }
        var call = try HTTPRequest(method: method, url: Self.url)
        request(&call)
        let (fetcher, _) = try Self.fetcher(network)
        _ = try? await fetcher.send(call, body: body, options: options)
        return network.requests.count
    }

    /// A policy that reads the bodies of failed responses.
    private struct ReadingPolicy: RetryPolicy {
        func readsBody(of response: HTTPResponse) -> Bool { true }
        func decision(for failure: CallFailure) -> RetryDecision { StandardRetryPolicy().decision(for: failure) }
    }

    @Test(
        "Decides by the status alone if the connection is lost before the end of the error's body",
        arguments: [(429, true), (403, false)]
    )
    func lostBody(status: Int, isRetried: Bool) async throws {
        let isSent = Mutex(false)
        let network = ScriptedTransport { _ in
            guard isSent.setOnce() else { return .json("{}") }
            let body = HTTPBody(AsyncThrowingStream<[UInt8], any Error> { throw TransportError(.connectionLost) })
            return ScriptedResponse(
                HTTPResponse(status: .init(code: status), headerFields: [.retryAfter: "30"]),
                body: body
            )
        }
        let (fetcher, clock) = try Self.fetcher(network, settings: FetchSettings(retryPolicy: ReadingPolicy()))
        let start = clock.now
        let post = try HTTPRequest(method: .post, url: Self.url)
        let (response, _) = try await fetcher.send(post)
        #expect(response.status.code == (isRetried ? 200 : 403))
        #expect(network.requests.count == (isRetried ? 2 : 1))
        #expect(start.duration(to: clock.now) >= (isRetried ? .seconds(30) : .zero))
    }

    @Test(
        "Retries unprocessed calls with any method, and possibly processed ones if idempotent",
        arguments: Self.methods
    )
    func retrying(method: HTTPRequest.Method) async throws {
        let isIdempotent = ![.post, .patch].contains(method)
        for status in [408, 429] {
            let count = try await Self.attempts(of: method) { .status(.init(code: status)) }
            #expect(count == 2, "\(method) \(status)")
        }
        for status in [500, 502, 503, 504] {
            let count = try await Self.attempts(of: method) { .status(.init(code: status)) }
            #expect(count == (isIdempotent ? 2 : 1), "\(method) \(status)")
        }
        for status in [400, 403, 404, 405, 409, 410, 412, 413, 422, 501, 505] {
            let count = try await Self.attempts(of: method) { .status(.init(code: status)) }
            #expect(count == 1, "\(method) \(status)")
        }
        for code in [TransportError.Code.cannotConnect, .nameResolution] {
            #expect(try await Self.attempts(of: method) { throw TransportError(code) } == 2, "\(method) \(code)")
        }
        for code in [TransportError.Code.connectionLost, .timedOut] {
            let count = try await Self.attempts(of: method) { throw TransportError(code) }
            #expect(count == (isIdempotent ? 2 : 1), "\(method) \(code)")
        }
        for code in [TransportError.Code.tls, .insecureURL] {
            #expect(try await Self.attempts(of: method) { throw TransportError(code) } == 1, "\(method) \(code)")
        }
    }

    @Test("Treats a call as idempotent because of its Idempotency-Key, If-Match or options")
    func idempotency() async throws {
        let failure: @Sendable () throws -> ScriptedResponse = { .status(.internalServerError) }
        let key = try #require(HTTPField.Name("Idempotency-Key"))
        #expect(try await Self.attempts(of: .post, { $0.headerFields[key] = "7" }, after: failure) == 2)
        #expect(try await Self.attempts(of: .patch, { $0.headerFields[.ifMatch] = "\"v1\"" }, after: failure) == 2)
        #expect(try await Self.attempts(of: .patch, { $0.headerFields[.ifMatch] = "*" }, after: failure) == 1)
        #expect(try await Self.attempts(of: .post, options: CallOptions(isIdempotent: true), after: failure) == 2)
        #expect(try await Self.attempts(of: .put, options: CallOptions(isIdempotent: false), after: failure) == 1)
    }

    @Test("Resends a replayable body, but not one that can be read only once")
    func bodies() async throws {
        let once = HTTPBody(length: 3, isReplayable: false) {
            var rest: [UInt8]? = [1, 2, 3]
            return {
                defer { rest = nil }
                return rest
            }
        }
        let failure: @Sendable () throws -> ScriptedResponse = { .status(.tooManyRequests) }
        #expect(try await Self.attempts(of: .put, body: once, after: failure) == 1)
        #expect(try await Self.attempts(of: .put, body: HTTPBody("abc"), after: failure) == 2)
    }

    @Test("Waits with exponential backoff and jitter, and returns the last response")
    func exhausted() async throws {
        let times = Mutex<[Int64]>([])
        let clock = TestClock()
        let network = ScriptedTransport { _ in
            times.withLock { $0.append(clock.uptime()) }
            return .json(#"{"busy": true}"#, status: .serviceUnavailable)
        }
        var runtime = OAuthRuntime.testing(transport: network, clock: clock)
        runtime.clock = SelfAdvancingClock(moving: clock)
        let fetcher = AuthorizedFetcher(try ScriptedSource(), runtime: runtime)
        let (response, body) = try await fetcher.send(HTTPRequest(url: Self.url))
        #expect(response.status == .serviceUnavailable)
        #expect(try await body.collect(upTo: 100) == Array(#"{"busy": true}"#.utf8))
        let moments = times.withLock { $0 }
        #expect(moments.count == 7)
        let waits = zip(moments.dropFirst(), moments).map { $0 - $1 }
        for (wait, bound) in zip(waits, [1, 2, 4, 8, 16, 32]) {
            #expect((0...Int64(bound) * 1_000_000_000).contains(wait), "\(waits)")
        }
        #expect(Set(waits).count == 6)
    }

    @Test(
        "Waits at least as long as Retry-After specifies, in seconds or as a date",
        arguments: [("7", 7), ("Tue, 14 Nov 2023 22:13:50 GMT", 30), ("Tue, 14 Nov 2023 22:00:00 GMT", 0)]
    )
    func retryAfter(text: String, seconds: Int) async throws {
        // The test clock starts on Tue, 14 Nov 2023, at 22:13:20.
        let network = ScriptedTransport([
            .status(.tooManyRequests, headerFields: [.retryAfter: text]), .json("{}"),
        ])
        let (fetcher, clock) = try Self.fetcher(network)
        _ = try await fetcher.send(HTTPRequest(method: .post, url: Self.url))
        #expect(network.requests.count == 2)
        #expect((Int64(seconds) * 1_000_000_000...Int64(seconds + 1) * 1_000_000_000).contains(clock.uptime()))
    }

    @Test("Does not wait for a Retry-After beyond the deadline, and reports it in the error")
    func impatient() async throws {
        let fields: HTTPFields = [.retryAfter: "600"]
        let network = ScriptedTransport { _ in .status(.serviceUnavailable, headerFields: fields) }
        let (fetcher, clock) = try Self.fetcher(network)
        await #expect(throws: HTTPStatusError(status: 503, endpoint: "API", retryAfter: 600)) {
            try await fetcher.data(for: HTTPRequest(url: Self.url))
        }
        #expect(network.requests.count == 1)
        #expect(clock.uptime() == 0)
    }

    @Test("Begins no attempt after the deadline, and only one with Backoff.once")
    func deadline() async throws {
        let clock = TestClock()
        let network = ScriptedTransport { _ in
            clock.advance(by: .seconds(50))
            throw TransportError(.timedOut)
        }
        var runtime = OAuthRuntime.testing(transport: network, clock: clock)
        runtime.clock = SelfAdvancingClock(moving: clock)
        let fetcher = AuthorizedFetcher(try ScriptedSource(), runtime: runtime)
        await #expect { try await fetcher.data(for: HTTPRequest(url: Self.url)) } throws: {
            TransportError.Code.timedOut ~= $0
        }
        #expect(network.requests.count == 3)
        let options = CallOptions(backoff: Backoff.once)
        _ = try? await fetcher.send(HTTPRequest(url: Self.url), options: options)
        #expect(network.requests.count == 4)
    }

    @Test("Repeats an idempotent call from data(for:) if its response is interrupted")
    func brokenOff() async throws {
        let count = Mutex(0)
        let network = ScriptedTransport { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let body = HTTPBody(length: 2, isReplayable: false) {
                var step = 0
                return {
                    step += 1
                    if step == 1 { return [0x7B] }
                    if number == 1 { throw TransportError(.connectionLost) }
                    return step == 2 ? [0x7D] : nil
                }
            }
            return ScriptedResponse(HTTPResponse(status: .ok), body: body)
        }
        let (fetcher, _) = try Self.fetcher(network)
        #expect(try await fetcher.data(for: HTTPRequest(url: Self.url)) == Array("{}".utf8))
        await #expect(throws: TransportError.self) {
            count.withLock { $0 = 0 }
            _ = try await fetcher.data(for: HTTPRequest(method: .post, url: Self.url))
        }
    }

    @Test(
        "Retries a token failure before a body that can be read only once was sent, but not afterward",
        .covers(117),
        arguments: [false, true]
    )
    func singleUseBody(isSent: Bool) async throws {
        let network = ScriptedTransport(isSent ? [.status(.unauthorized)] : [.json("{}")])
        let source = FailingSource(isSent ? [nil, TransportError(.timedOut)] : [TransportError(.timedOut)])
        let (fetcher, _) = try Self.fetcher(network, source: source)
        let rest = Mutex<[UInt8]?>([1, 2, 3])
        let body = HTTPBody(length: nil, isReplayable: false) { { rest.withLock { $0.take() } } }
        let request = try HTTPRequest(method: .post, url: Self.url)
        if isSent {
            await #expect(throws: TransportError.self) { try await fetcher.send(request, body: body) }
        } else {
            _ = try await fetcher.send(request, body: body)
        }
        #expect(network.requests.map(\.body) == [[1, 2, 3]])
    }

    @Test("Retries after a temporary token failure, but not after the session has ended")
    func tokens() async throws {
        let network = ScriptedTransport { _ in .json("{}") }
        let source = FailingSource([
            HTTPStatusError(status: 503, endpoint: "token endpoint"), TransportError(.timedOut),
        ])
        let (fetcher, _) = try Self.fetcher(network, source: source)
        _ = try await fetcher.send(HTTPRequest(method: .post, url: Self.url), body: HTTPBody("x"))
        #expect(network.requests.count == 1)
        let ended = FailingSource([SessionEndedError(.refused)])
        let (endedFetcher, _) = try Self.fetcher(network, source: ended)
        await #expect(throws: SessionEndedError(.refused)) { try await endedFetcher.send(HTTPRequest(url: Self.url)) }
        #expect(network.requests.count == 1)
    }

    @Test("Stops waiting for a retry when canceled")
    func cancelled() async throws {
        let clock = TestClock()
        let network = ScriptedTransport { _ in .status(.tooManyRequests, headerFields: [.retryAfter: "30"]) }
        let runtime = OAuthRuntime.testing(transport: network, clock: clock)
        let fetcher = AuthorizedFetcher(try ScriptedSource(), runtime: runtime)
        let task = Task { try await fetcher.send(HTTPRequest(url: Self.url)) }
        await clock.sleeperCount(reaches: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(network.requests.count == 1)
    }

    @Test("Asks the retry policy once per failure", arguments: [false, true])
    func askedOnce(isDownload: Bool) async throws {
        let network = ScriptedTransport { _ in throw TransportError(.timedOut) }
        let policy = CountingPolicy()
        let settings = FetchSettings(retryPolicy: policy, backoff: Backoff(attempts: 4))
        let (fetcher, _) = try Self.fetcher(network, settings: settings)
        let path = FileManager.default.temporaryDirectory.path + "/asked-" + UUID().uuidString
        await #expect(throws: TransportError.self) {
            let request = try HTTPRequest(url: Self.url)
            if isDownload { try await fetcher.download(request, to: path) } else { _ = try await fetcher.send(request) }
        }
        #expect(network.requests.count == 4)
        #expect(policy.count.withLock { $0 } == 3)
    }

    @Test("Applies a custom retry policy that reads the response body")
    func ownPolicy() async throws {
        struct BodyPolicy: RetryPolicy {
            func readsBody(of response: HTTPResponse) -> Bool { response.status == .forbidden }
            func decision(for failure: CallFailure) -> RetryDecision {
                guard case .response(_, let body?) = failure.cause else { return .fail }
                return body == Array("slow down".utf8) ? .retry(notBefore: .seconds(3)) : .fail
            }
        }
        let network = ScriptedTransport([
            .json("slow down", status: .forbidden), .json("no", status: .forbidden), .status(.serviceUnavailable),
        ])
        let (fetcher, clock) = try Self.fetcher(network, settings: FetchSettings(retryPolicy: BodyPolicy()))
        let (response, body) = try await fetcher.send(HTTPRequest(method: .post, url: Self.url))
        #expect(response.status == .forbidden)
        #expect(try await body.collect(upTo: 100) == Array("no".utf8))
        #expect(network.requests.count == 2)
        #expect(clock.uptime() >= 3_000_000_000)
        #expect(try await fetcher.send(HTTPRequest(url: Self.url)).0.status == .serviceUnavailable)
        #expect(network.requests.count == 3)
    }
}

/// A token source that throws the given errors in order, or returns a token for nil and after them.
private final class FailingSource: AccessTokenSource {
    let authorizedOrigins: [OriginPattern]
    private let failures: Mutex<[(any Error)?]>

    init(_ failures: [(any Error)?]) {
        self.authorizedOrigins = (try? OriginPattern("https://api.example")).map { [$0] } ?? []
        self.failures = Mutex(failures)
    }

    func accessToken() async throws -> AccessToken {
        let failure = self.failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let failure { throw failure }
        return AccessToken(Secret("token"), expiresAt: nil)
    }

    func replacement(forRejected token: AccessToken) async throws -> AccessToken { try await self.accessToken() }
}

/// The standard policy, with a count of its decisions.
private final class CountingPolicy: RetryPolicy {
    let count = Mutex(0)

    func decision(for failure: CallFailure) -> RetryDecision {
        self.count.withLock { $0 += 1 }
        return StandardRetryPolicy().decision(for: failure)
    }
}
