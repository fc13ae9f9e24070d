// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

@Suite("Signing out at the provider, and by it")
struct LogoutTests {
    private static let event = JSONMember(
        name: "events",
        value: .object([JSONMember(name: LogoutToken.event, value: .object([]))])
    )

    /// A logout token of the world's provider; nil leaves a claim out.
    private static func token(
        _ world: World,
        subject: String? = "ada",
        sessionID: String? = nil,
        issuedAt offset: Int64 = 0
    ) throws -> Secret {
        let now = Int64(world.network.clock.date.timeIntervalSince1970) + offset
        var claims: [JSONMember] = [
            JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)),
            JSONMember(name: "aud", value: .string(ScriptedProvider.clientID)),
            JSONMember(name: "iat", value: .integer(now)), JSONMember(name: "exp", value: .integer(now + 3_600)),
            JSONMember(name: "jti", value: "j"), Self.event,
        ]
        if let subject { claims.append(JSONMember(name: "sub", value: .string(subject))) }
        if let sessionID { claims.append(JSONMember(name: "sid", value: .string(sessionID))) }
        return Secret(
            try world.network.signingKey.sign(payload: JSONNode.object(claims).serialized(), type: "logout+jwt")
        )
    }

    /// A world whose provider names its session in the ID token.
    private static func world(sessionID: String?) throws -> World {
        let world = try World()
        guard let sessionID else { return world }
        world.network.options.idTokens = { [network = world.network] claims, isRefresh in
            // A refreshed ID token need not repeat it.
            try network.sign(claims + (isRefresh ? [] : [JSONMember(name: "sid", value: .string(sessionID))]))
        }
        return world
    }

    @Test("A logout token ends the person's session, in memory, in the store, and with an event")
    func subject() async throws {
        let world = try World()
        let session = try await world.session()
        var events = session.events().makeAsyncIterator()
        let (token, ended) = try await world.signIn.receive(logoutToken: Self.token(world))
        #expect(ended == [session.account])
        #expect(token.tokenID == "j")
        await #expect(throws: SessionEndedError(.loggedOut)) { try await session.accessToken() }
        guard case .ended(let end) = await events.next() else {
            Issue.record("no event")
            return
        }
        #expect(end.code == .loggedOut)
        #expect(try await world.signIn.restore() == nil)
        let record = try #require(try await world.store.load(session.account))
        #expect(record.tokens == nil)
        #expect(record.history.endReason == "loggedOut")
        #expect(record.history.endedAt != nil)
        #expect(try await world.signIn.receive(logoutToken: Self.token(world)).ended.isEmpty)
    }

    @Test("Tokens that could not be saved do not bring back a session that the provider ended", .covers(115))
    func unsaved() async throws {
        let world = try World()
        let session = try await world.staleSession()
        world.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        #expect(try await world.sibling().signIn.receive(logoutToken: Self.token(world)).ended.count == 1)
        world.store.before(.save, nil)
        await #expect(throws: SessionEndedError(.loggedOut)) { try await session.accessToken() }
        #expect(try await world.store.load(session.account)?.tokens == nil)
    }

    @Test("Another process finds the session ended, and says why")
    func otherProcess() async throws {
        let world = try World()
        let sibling = try world.sibling()
        _ = try await world.session()
        let other = try #require(try await sibling.signIn.restore())
        try await world.signIn.receive(logoutToken: Self.token(world))
        world.expire()
        await #expect(throws: SessionEndedError(.loggedOut)) { try await other.accessToken() }
    }

    @Test(
        "Only the session that is named ends, also after a refresh whose ID token does not name it",
        arguments: [
            (nil, "ada", nil, true), (nil, "eve", nil, false), ("s1", "ada", nil, true), ("s1", "ada", "s1", true),
            ("s1", nil, "s1", true), ("s1", "ada", "s2", false), ("s1", nil, "s2", false), ("s1", "eve", "s1", false),
            (nil, "ada", "s1", true), (nil, nil, "s1", false),
        ] as [(String?, String?, String?, Bool)]
    )
    func sessionID(own: String?, subject: String?, sessionID: String?, ends: Bool) async throws {
        let world = try Self.world(sessionID: own)
        let session = try await world.session()
        try await session.refresh()
        let token = try Self.token(world, subject: subject, sessionID: sessionID)
        let ended = try await world.signIn.receive(logoutToken: token).ended
        #expect(ended == (ends ? [session.account] : []))
        #expect((session.ended?.code == .loggedOut) == ends)
        #expect((try await world.signIn.restore() == nil) == ends)
    }

    @Test("A token that is sent again after the person has signed in anew ends nothing")
    func replay() async throws {
        let world = try World()
        _ = try await world.session()
        let token = try Self.token(world)
        #expect(try await world.signIn.receive(logoutToken: token).ended.count == 1)
        world.network.clock.advance(by: .seconds(301))
        let session = try await world.session()
        #expect(try await world.signIn.receive(logoutToken: token).ended.isEmpty)
        #expect(session.ended == nil)
        _ = try await session.accessToken()
    }

    @Test("A token that must not be trusted ends nothing", .covers(85, 88))
    func forged() async throws {
        let world = try World()
        let session = try await world.session()
        let stranger = try JWSSigningKey.generate(.es256)
        let honest = try Self.token(world).withUnredacted { try CompactJWS(parsing: $0).payload }
        for token in [
            Secret(try stranger.sign(payload: honest, type: "logout+jwt")), try #require(session.idToken),
            Secret(try world.network.signingKey.sign(payload: honest, type: "at+jwt")), Secret("a.b.c"),
        ] {
            await #expect(throws: ProtocolViolationError.self) { try await world.signIn.receive(logoutToken: token) }
        }
        #expect(session.ended == nil)
        _ = try await session.accessToken()
    }

    @Test("A logout waits for a refresh on the wire, whose tokens are not given out", .covers(115))
    func duringRefresh() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let gate = world.holdTokenEndpoint()
        let caller = Task { try await session.accessToken() }
        await gate.arrival()
        let logout = Task { try await world.signIn.receive(logoutToken: Self.token(world)).ended }
        gate.open()
        #expect(try await logout.value == [session.account])
        _ = try? await caller.value
        await #expect(throws: SessionEndedError(.loggedOut)) { try await session.accessToken() }
        #expect(try await world.store.load(session.account)?.tokens == nil)
    }

    /// A world whose provider has an end-session endpoint, and a person who comes back from it.
    private static func leavingWorld(_ answer: @escaping @Sendable (_ state: String) -> [String]) throws -> World {
        let later = ScriptedUserAgent.Later()
        let world = try World(userAgent: later.agent)
        later.script { [network = world.network] url in
            guard url.hasPrefix("https://id.example/logout") else { return [try network.consent(to: url)] }
            let parameters = FormParameter.parse(String(url.drop { $0 != "?" }.dropFirst()))
            return answer(parameters.first { $0.name == "state" }?.value ?? "")
        }
        return world
    }

    @Test("The person signs out at the provider and comes back; the session is forgotten here before", .covers(122))
    func endSession() async throws {
        let world = try Self.leavingWorld { state in
            ["\(ScriptedUserAgent.redirectURI)?state=wrong", "\(ScriptedUserAgent.redirectURI)?state=\(state)"]
        }
        let session = try await world.session()
        let idToken = try #require(session.idToken?.withUnredacted { $0 })
        try await world.signIn.endSession(session)
        #expect(session.ended?.code == .signedOut)
        #expect(try await world.signIn.accounts().isEmpty)
        #expect(world.userAgent.authorizationURLs.last?.hasPrefix("https://id.example/logout?t=1&") == true)
        #expect(world.userAgent.parameter("id_token_hint") == idToken)
        #expect(world.userAgent.parameter("client_id") == "test-client")
        #expect(world.userAgent.parameter("post_logout_redirect_uri") == ScriptedUserAgent.redirectURI)
        #expect(world.userAgent.reasons.count == 1)
        #expect(world.userAgent.pages.map(\.isSignOut) == [false, true])
    }

    @Test(
        "A session of another client or provider is refused: its ID token is not for this one, nor its address",
        .covers(163),
        arguments: ["signs out", "adds scopes"]
    )
    func foreign(_ action: String) async throws {
        let session = try await World().session()
        let other = try World { $0.client.clientID = "other-client" }
        await #expect(throws: InvalidRequestError.self) {
            if action == "signs out" {
                try await other.signIn.endSession(session)
            } else {
                try await other.signIn.addScopes([World.drive], to: session)
            }
        }
        #expect(session.ended == nil)
        #expect(other.userAgent.authorizationURLs.isEmpty)
        #expect(other.network.requests.isEmpty)
    }

    @Test(
        "A person who does not come back, or a provider that cannot do it: the session is over here all the same",
        .covers(122)
    )
    func unfinished() async throws {
        let world = try Self.leavingWorld { _ in [] }
        let session = try await world.session()
        await #expect(throws: SignInError(.timedOut)) { try await world.signIn.endSession(session) }
        #expect(session.ended?.code == .signedOut)
        #expect(try await world.signIn.accounts().isEmpty)

        var options = ScriptedProvider.Options()
        options.missingMetadata = ["end_session_endpoint"]
        let plain = try World(options)
        let other = try await plain.session()
        await #expect { try await plain.signIn.endSession(other) } throws: {
            ProtocolViolationError.Rule.missingMetadata ~= $0
        }
        #expect(other.ended?.code == .signedOut)
    }
}
