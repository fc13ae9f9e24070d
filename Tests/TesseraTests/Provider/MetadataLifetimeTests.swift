// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Metadata lifetime")
struct MetadataLifetimeTests {
    private static let path = "/.well-known/openid-configuration"

    private static func fetches(_ environment: TestEnvironment) -> Int { environment.network.requests(self.path).count }

    /// Creates a session whose metadata was fetched once, then advances the clock by `duration`.
    private static func environment(after duration: Duration, maxAge: String? = nil) async throws -> (
        TestEnvironment, OAuthSession
    ) {
        let environment = try TestEnvironment()
        if let maxAge {
            let other = try ScriptedProvider()
            environment.network.intercept(self.path) { request in
                let (head, body) = try await other.send(request.head, body: nil)
                var response = ScriptedResponse(head, body: body)
                response.head.headerFields[.cacheControl] = maxAge
                return response
            }
        }
        let session = try await environment.session()
        #expect(self.fetches(environment) == 1)
        environment.network.clock.advance(by: duration)
        return (environment, session)
    }

    @Test("Fetches the metadata again after a day, once for all callers")
    func lifetime() async throws {
        let (environment, session) = try await Self.environment(after: .seconds(86_399))
        _ = try await session.accessToken()
        #expect(Self.fetches(environment) == 1)
        environment.network.clock.advance(by: .seconds(1))
        let results = await ConcurrentTasks.results(50) { try await session.userInfo()["sub"]?.string }
        #expect(results.count == 50)
        #expect(Self.fetches(environment) == 2)
    }

    @Test(
        "Honors a max-age between 5 minutes and a day",
        arguments: [
            ("public, max-age=3600", 3_600), ("max-age=1", 300), ("no-store, max-age=0", 300), ("max-age=9e9", 86_400),
            ("max-age=99999999", 86_400), ("max-age=-5", 300), ("", 86_400), ("no-cache", 86_400),
        ]
    )
    func maxAge(field: String, lifetime: Int) async throws {
        let (environment, session) = try await Self.environment(after: .seconds(lifetime - 1), maxAge: field)
        try await session.refresh()
        #expect(Self.fetches(environment) == 1)
        environment.network.clock.advance(by: .seconds(1))
        try await session.refresh()
        #expect(Self.fetches(environment) == 2)
    }

    @Test(
        "Uses stale metadata during an outage, and retries once a minute",
        .covers(73),
        arguments: [
            { _ in .status(.serviceUnavailable) }, { _ in throw TransportError(.cannotConnect) },
        ] as [ScriptedProvider.Script]
    )
    func stale(script: @escaping ScriptedProvider.Script) async throws {
        let (environment, session) = try await Self.environment(after: .seconds(86_400))
        environment.network.intercept(Self.path, script)
        _ = try await session.accessToken()
        try await session.refresh()
        #expect(Self.fetches(environment) == 2)
        environment.network.clock.advance(by: .seconds(60))
        try await session.refresh()
        #expect(Self.fetches(environment) == 3)
        environment.network.intercept(Self.path, nil)
        environment.network.clock.advance(by: .seconds(60))
        try await session.refresh()
        environment.network.clock.advance(by: .seconds(86_399))
        try await session.refresh()
        #expect(Self.fetches(environment) == 4)
    }

    @Test("Fetches unavailable metadata at most once a minute for received tokens", .covers(133))
    func receivedTokens() async throws {
        let environment = try TestEnvironment()
        environment.network.intercept(Self.path) { _ in .status(.serviceUnavailable) }
        func flood() async {
            for _ in 0..<20 {
                await #expect(throws: HTTPStatusError.self) {
                    try await environment.signIn.verify(Secret("a.b.c"), fromApps: [])
                }
                await #expect(throws: HTTPStatusError.self) {
                    try await environment.signIn.receive(logoutToken: Secret("a.b.c"))
                }
            }
        }
        await flood()
        #expect(Self.fetches(environment) == 1)
        environment.network.clock.advance(by: .seconds(60))
        await flood()
        #expect(Self.fetches(environment) == 2)
        // The user initiates a sign-in, so it fetches the metadata immediately.
        environment.network.intercept(Self.path, nil)
        _ = try await environment.session()
        await #expect(throws: ProtocolViolationError.self) {
            try await environment.signIn.verify(Secret("a.b.c"), fromApps: [])
        }
    }

    @Test(
        "Fails if new metadata violates the protocol, instead of using the old metadata",
        .covers(1, 6),
        arguments: [
            (#"{"issuer":"https://evil.example"}"#, ProtocolViolationError.Rule.issuerMatch),
            ("<html>", .metadataFormat),
        ]
    )
    func broken(text: String, rule: ProtocolViolationError.Rule) async throws {
        let (environment, session) = try await Self.environment(after: .seconds(86_400))
        environment.network.intercept(Self.path) { _ in .json(text) }
        await #expect { try await session.accessToken() } throws: { rule ~= $0 }
        #expect(session.ended == nil)
        #expect(environment.network.refreshes.isEmpty)
        environment.network.intercept(Self.path, nil)
        _ = try await session.accessToken()
    }

    @Test("Does not fetch metadata that the app supplied")
    func given() async throws {
        let other = try TestEnvironment()
        _ = try await other.session()
        let metadata = try await other.session().provider.metadata
        let environment = try TestEnvironment { $0.metadata = metadata }
        let session = try await environment.session()
        environment.network.clock.advance(by: .seconds(10 * 86_400))
        _ = try await session.accessToken()
        #expect(Self.fetches(environment) == 0)
    }
}
