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

@Suite("Metadata of a provider, in time")
struct MetadataLifetimeTests {
    private static let path = "/.well-known/openid-configuration"

    private static func fetches(_ world: World) -> Int { world.network.requests(self.path).count }

    /// A world with a session, whose metadata were fetched once; then so much time passes.
    private static func world(after duration: Duration, maxAge: String? = nil) async throws -> (World, OAuthSession) {
        let world = try World()
        if let maxAge {
            let other = try ScriptedProvider()
            world.network.intercept(self.path) { request in
                let (head, body) = try await other.send(request.head, body: nil)
                var answer = ScriptedAnswer(head, body: body)
                answer.head.headerFields[.cacheControl] = maxAge
                return answer
            }
        }
        let session = try await world.session()
        #expect(self.fetches(world) == 1)
        world.network.clock.advance(by: duration)
        return (world, session)
    }

    @Test("The document serves for a day, and is then asked for again, once however many callers come")
    func lifetime() async throws {
        let (world, session) = try await Self.world(after: .seconds(86_399))
        _ = try await session.accessToken()
        #expect(Self.fetches(world) == 1)
        world.network.clock.advance(by: .seconds(1))
        let results = await Crowd.results(50) { try await session.userInfo()["sub"]?.string }
        #expect(results.count == 50)
        #expect(Self.fetches(world) == 2)
    }

    @Test(
        "The document's own lifetime shortens the day, and neither lengthens nor abolishes it",
        arguments: [
            ("public, max-age=3600", 3_600), ("max-age=1", 300), ("no-store, max-age=0", 300), ("max-age=9e9", 86_400),
            ("max-age=99999999", 86_400), ("max-age=-5", 300), ("", 86_400), ("no-cache", 86_400),
        ]
    )
    func maxAge(field: String, lifetime: Int) async throws {
        let (world, session) = try await Self.world(after: .seconds(lifetime - 1), maxAge: field)
        try await session.refresh()
        #expect(Self.fetches(world) == 1)
        world.network.clock.advance(by: .seconds(1))
        try await session.refresh()
        #expect(Self.fetches(world) == 2)
    }

    @Test(
        "While the provider's document is out of reach the old one serves, and is asked for once in a minute",
        .covers(73),
        arguments: [
            { _ in .status(.serviceUnavailable) }, { _ in throw TransportError(.cannotConnect) },
        ] as [ScriptedProvider.Script]
    )
    func stale(script: @escaping ScriptedProvider.Script) async throws {
        let (world, session) = try await Self.world(after: .seconds(86_400))
        world.network.intercept(Self.path, script)
        _ = try await session.accessToken()
        try await session.refresh()
        #expect(Self.fetches(world) == 2)
        world.network.clock.advance(by: .seconds(60))
        try await session.refresh()
        #expect(Self.fetches(world) == 3)
        world.network.intercept(Self.path, nil)
        world.network.clock.advance(by: .seconds(60))
        try await session.refresh()
        world.network.clock.advance(by: .seconds(86_399))
        try await session.refresh()
        #expect(Self.fetches(world) == 4)
    }

    @Test("Many tokens that anyone may send cost one request in a minute while there is no document", .covers(133))
    func receivedTokens() async throws {
        let world = try World()
        world.network.intercept(Self.path) { _ in .status(.serviceUnavailable) }
        func flood() async {
            for _ in 0..<20 {
                await #expect(throws: HTTPStatusError.self) {
                    try await world.signIn.verify(Secret("a.b.c"), fromApps: [])
                }
                await #expect(throws: HTTPStatusError.self) {
                    try await world.signIn.receive(logoutToken: Secret("a.b.c"))
                }
            }
        }
        await flood()
        #expect(Self.fetches(world) == 1)
        world.network.clock.advance(by: .seconds(60))
        await flood()
        #expect(Self.fetches(world) == 2)
        // A sign-in is the user's own wish, and asks at once.
        world.network.intercept(Self.path, nil)
        _ = try await world.session()
        await #expect(throws: ProtocolViolationError.self) {
            try await world.signIn.verify(Secret("a.b.c"), fromApps: [])
        }
    }

    @Test(
        "A new document that breaks the protocol is an error; the old one is not used in its place",
        .covers(1, 6),
        arguments: [
            (#"{"issuer":"https://evil.example"}"#, ProtocolViolationError.Rule.issuerMatch),
            ("<html>", .metadataFormat),
        ]
    )
    func broken(text: String, rule: ProtocolViolationError.Rule) async throws {
        let (world, session) = try await Self.world(after: .seconds(86_400))
        world.network.intercept(Self.path) { _ in .json(text) }
        await #expect { try await session.accessToken() } throws: { rule ~= $0 }
        #expect(session.ended == nil)
        #expect(world.network.refreshes.isEmpty)
        world.network.intercept(Self.path, nil)
        _ = try await session.accessToken()
    }

    @Test("Metadata that the program brought are never asked for")
    func given() async throws {
        let other = try World()
        _ = try await other.session()
        let metadata = try await other.session().provider.metadata
        let world = try World { $0.metadata = metadata }
        let session = try await world.session()
        world.network.clock.advance(by: .seconds(10 * 86_400))
        _ = try await session.accessToken()
        #expect(Self.fetches(world) == 0)
    }
}
