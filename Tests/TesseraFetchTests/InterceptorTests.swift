// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Fetch interceptors")
struct InterceptorTests {
    static let url = "https://api.example/files"

    /// An interceptor that adds a header field and records the requests it receives.
    private final class RecordingInterceptor: FetchInterceptor {
        let seen = Mutex<[String]>([])
        private let name: String

        init(_ name: String) { self.name = name }

        func intercept(
            _ request: HTTPRequest,
            body: HTTPBody?,
            next: FetchChain
        ) async throws -> (HTTPResponse, HTTPBody) {
            var request = request
            self.seen.withLock {
                $0.append("\(request.headerFields[.userAgent] ?? "-") \(request.headerFields[.authorization] ?? "-")")
            }
            request.headerFields[.userAgent] = self.name
            return try await next(request, body)
        }
    }

    @Test("Calls interceptors in order for every attempt, without the token")
    func order() async throws {
        let network = ScriptedTransport([.status(.serviceUnavailable), .json("{}")])
        let clock = TestClock()
        var runtime = OAuthRuntime.testing(transport: network, clock: clock)
        runtime.clock = SelfAdvancingClock(moving: clock)
        let (first, second) = (RecordingInterceptor("first"), RecordingInterceptor("second"))
        let settings = FetchSettings(interceptors: [first, second])
        let fetcher = AuthorizedFetcher(try ScriptedSource(), runtime: runtime, settings: settings)
        _ = try await fetcher.send(HTTPRequest(url: Self.url))
        #expect(first.seen.withLock { $0 } == ["- -", "- -"])
        #expect(second.seen.withLock { $0 } == ["first -", "first -"])
        #expect(network.requests.map { $0.head.headerFields[.userAgent] } == ["second", "second"])
        #expect(network.requests.allSatisfy { $0.head.headerFields[.authorization] == "Bearer token-1" })
    }

    @Test("Rejects a call that an interceptor redirects to an unauthorized origin", .covers(120))
    func elsewhere() async throws {
        struct RedirectingInterceptor: FetchInterceptor {
            func intercept(
                _ request: HTTPRequest,
                body: HTTPBody?,
                next: FetchChain
            ) async throws -> (HTTPResponse, HTTPBody) {
                var request = request
                request.authority = "evil.example"
                return try await next(request, body)
            }
        }
        let source = try ScriptedSource()
        let network = ScriptedTransport([.json("{}")])
        let fetcher = AuthorizedFetcher(
            source,
            transport: network,
            settings: FetchSettings(interceptors: [RedirectingInterceptor()])
        )
        await #expect(throws: UnauthorizedOriginError.self) { try await fetcher.send(HTTPRequest(url: Self.url)) }
        #expect(source.journal.isEmpty)
        #expect(network.requests.isEmpty)
    }

    @Test("Lets an interceptor respond itself, and redacts the token of a rejected call", .covers(124))
    func response() async throws {
        struct Cache: FetchInterceptor {
            func intercept(
                _ request: HTTPRequest,
                body: HTTPBody?,
                next: FetchChain
            ) async throws -> (HTTPResponse, HTTPBody) {
                if request.path == "/cached" { return (HTTPResponse(status: .ok), HTTPBody("cached")) }
                return try await next(request, body)
            }
        }
        let challenge: HTTPFields = [
            .wwwAuthenticate: #"Bearer error="invalid_token", error_description="not token-2""#
        ]
        let network = ScriptedTransport { _ in .status(.unauthorized, headerFields: challenge) }
        let fetcher = AuthorizedFetcher(
            try ScriptedSource(),
            transport: network,
            settings: FetchSettings(interceptors: [Cache()])
        )
        #expect(try await fetcher.data(for: HTTPRequest(url: "https://api.example/cached")) == Array("cached".utf8))
        #expect(network.requests.isEmpty)
        let refusal = await #expect(throws: BearerChallengeError.self) {
            try await fetcher.data(for: HTTPRequest(url: Self.url))
        }
        #expect(refusal?.error == "invalid_token")
        #expect(refusal?.serverDescription?.contains("token-2") == false)
    }
}
