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

@Suite("RP-initiated and back-channel logout")
struct LogoutTests {
    private static let event = JSONMember(
        name: "events",
        value: .object([JSONMember(name: LogoutToken.event, value: .object([]))])
    )

    /// Creates a logout token of the provider, without a claim whose value is nil.
    private static func token(
        _ environment: TestEnvironment,
        subject: String? = "ada",
        sessionID: String? = nil,
        issuedAt offset: Int64 = 0
    ) throws -> Secret {
        let now = Int64(environment.network.clock.date.timeIntervalSince1970) + offset
        var claims: [JSONMember] = [
            JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)),
            JSONMember(name: "aud", value: .string(ScriptedProvider.clientID)),
            JSONMember(name: "iat", value: .integer(now)), JSONMember(name: "exp", value: .integer(now + 3_600)),
            JSONMember(name: "jti", value: "j"), Self.event,
        ]
        if let subject { claims.append(JSONMember(name: "sub", value: .string(subject))) }
        if let sessionID { claims.append(JSONMember(name: "sid", value: .string(sessionID))) }
        return Secret(
            try environment.network.signingKey.sign(payload: JSONNode.object(claims).serialized(), type: "logout+jwt")
        )
    }

    /// Creates an environment whose provider includes a session ID in ID tokens.
    private static func environment(sessionID: String?) throws -> TestEnvironment {
        let environment = try TestEnvironment()
        guard let sessionID else { return environment }
        environment.network.options.idTokens = { [network = environment.network] claims, isRefresh in
            // A refreshed ID token need not contain the session ID.
            try network.sign(claims + (isRefresh ? [] : [JSONMember(name: "sid", value: .string(sessionID))]))
        }
        return environment
    }

    @Test("Ends the session in memory and in the store when a logout token arrives")
    func subject() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        var events = session.events().makeAsyncIterator()
        let (token, ended) = try await environment.signIn.receive(logoutToken: Self.token(environment))
        #expect(ended == [session.account])
        #expect(token.tokenID == "j")
        await #expect(throws: SessionEndedError(.loggedOut)) { try await session.accessToken() }
        guard case .ended(let end) = await events.next() else {
            Issue.record("no ended event")
            return
        }
        #expect(end.code == .loggedOut)
        #expect(try await environment.signIn.restore() == nil)
        let record = try #require(try await environment.store.load(session.account))
        #expect(record.tokens == nil)
        #expect(record.history.endReason == "loggedOut")
        #expect(record.history.endedAt != nil)
        #expect(try await environment.signIn.receive(logoutToken: Self.token(environment)).ended.isEmpty)
    }

    @Test("Ends the session of an account that the app named, and recognizes its user in other requests")
    func namedAccount() async throws {
        let environment = try TestEnvironment()
        let options = SignInOptions.with { $0.identity = .caller { _ in "user-7" } }
        let session = try await environment.signIn.signIn(scopes: [.openID], options: options)
        #expect(session.account.subject == "user-7")
        #expect(try await session.userInfo()["sub"]?.string == "ada")
        let other = try await environment.signIn.receive(logoutToken: Self.token(environment, subject: "user-7"))
        #expect(other.ended.isEmpty)
        let (_, ended) = try await environment.signIn.receive(logoutToken: Self.token(environment))
        #expect(ended == [session.account])
        await #expect(throws: SessionEndedError(.loggedOut)) { try await session.accessToken() }
    }

    @Test("Does not save pending tokens of a session that the provider ended", .covers(115))
    func unsaved() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        #expect(try await environment.sibling().signIn.receive(logoutToken: Self.token(environment)).ended.count == 1)
        environment.store.before(.save, nil)
        await #expect(throws: SessionEndedError(.loggedOut)) { try await session.accessToken() }
        #expect(try await environment.store.load(session.account)?.tokens == nil)
    }

    @Test("Reports the logout as the reason to another process")
    func otherProcess() async throws {
        let environment = try TestEnvironment()
        let sibling = try environment.sibling()
        _ = try await environment.session()
        let other = try #require(try await sibling.signIn.restore())
        try await environment.signIn.receive(logoutToken: Self.token(environment))
        environment.expire()
        await #expect(throws: SessionEndedError(.loggedOut)) { try await other.accessToken() }
    }

    @Test(
        "Ends only the session that the logout token names, even after a refresh",
        arguments: [
            (nil, "ada", nil, true), (nil, "eve", nil, false), ("s1", "ada", nil, true), ("s1", "ada", "s1", true),
            ("s1", nil, "s1", true), ("s1", "ada", "s2", false), ("s1", nil, "s2", false), ("s1", "eve", "s1", false),
            (nil, "ada", "s1", true), (nil, nil, "s1", false),
        ] as [(String?, String?, String?, Bool)]
    )
    func sessionID(currentID: String?, subject: String?, sessionID: String?, ends: Bool) async throws {
        let environment = try Self.environment(sessionID: currentID)
        let session = try await environment.session()
        try await session.refresh()
        let token = try Self.token(environment, subject: subject, sessionID: sessionID)
        let ended = try await environment.signIn.receive(logoutToken: token).ended
        #expect(ended == (ends ? [session.account] : []))
        #expect((session.ended?.code == .loggedOut) == ends)
        #expect((try await environment.signIn.restore() == nil) == ends)
    }

    @Test("Ignores a logout token that is replayed after a new sign-in")
    func replay() async throws {
        let environment = try TestEnvironment()
        _ = try await environment.session()
        let token = try Self.token(environment)
        #expect(try await environment.signIn.receive(logoutToken: token).ended.count == 1)
        environment.network.clock.advance(by: .seconds(301))
        let session = try await environment.session()
        #expect(try await environment.signIn.receive(logoutToken: token).ended.isEmpty)
        #expect(session.ended == nil)
        _ = try await session.accessToken()
    }

    @Test("Rejects an untrusted logout token without ending the session", .covers(85, 88))
    func forged() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let otherKey = try JWSSigningKey.generate(.es256)
        let payload = try Self.token(environment).withUnredacted { try CompactJWS(parsing: $0).payload }
        for token in [
            Secret(try otherKey.sign(payload: payload, type: "logout+jwt")), try #require(session.idToken),
            Secret(try environment.network.signingKey.sign(payload: payload, type: "at+jwt")), Secret("a.b.c"),
        ] {
            await #expect(throws: ProtocolViolationError.self) {
                try await environment.signIn.receive(logoutToken: token)
            }
        }
        #expect(session.ended == nil)
        _ = try await session.accessToken()
    }

    @Test("Waits for a running refresh before a logout, and discards its tokens", .covers(115))
    func duringRefresh() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let gate = environment.holdTokenEndpoint()
        let caller = Task { try await session.accessToken() }
        await gate.waitForArrival()
        let logout = Task { try await environment.signIn.receive(logoutToken: Self.token(environment)).ended }
        gate.open()
        #expect(try await logout.value == [session.account])
        _ = try? await caller.value
        await #expect(throws: SessionEndedError(.loggedOut)) { try await session.accessToken() }
        #expect(try await environment.store.load(session.account)?.tokens == nil)
    }

    /// Creates an environment whose user agent delivers `response` after a logout at the provider.
    private static func logoutEnvironment(_ response: @escaping @Sendable (_ state: String) -> [String]) throws
        -> TestEnvironment
    {
        let later = ScriptedUserAgent.Replaceable()
        let environment = try TestEnvironment(userAgent: later.agent)
        later.script { [network = environment.network] url in
            guard url.hasPrefix("https://id.example/logout") else { return [try network.consent(to: url)] }
            let parameters = FormParameter.parse(String(url.drop { $0 != "?" }.dropFirst()))
            return response(parameters.first { $0.name == "state" }?.value ?? "")
        }
        return environment
    }

    @Test("Removes the session before the user signs out at the provider", .covers(122))
    func endSession() async throws {
        let environment = try Self.logoutEnvironment { state in
            ["\(ScriptedUserAgent.redirectURI)?state=wrong", "\(ScriptedUserAgent.redirectURI)?state=\(state)"]
        }
        let session = try await environment.session()
        let idToken = try #require(session.idToken?.withUnredacted { $0 })
        try await environment.signIn.endSession(session)
        #expect(session.ended?.code == .signedOut)
        #expect(try await environment.signIn.accounts().isEmpty)
        #expect(environment.userAgent.authorizationURLs.last?.hasPrefix("https://id.example/logout?t=1&") == true)
        #expect(environment.userAgent.parameter("id_token_hint") == idToken)
        #expect(environment.userAgent.parameter("client_id") == "test-client")
        #expect(environment.userAgent.parameter("post_logout_redirect_uri") == ScriptedUserAgent.redirectURI)
        #expect(environment.userAgent.reasons.count == 1)
        #expect(environment.userAgent.pages.map(\.isSignOut) == [false, true])
    }

    @Test(
        "Rejects a session of another client when it signs out or adds scopes",
        .covers(163),
        arguments: ["signs out", "adds scopes"]
    )
    func foreign(_ action: String) async throws {
        let session = try await TestEnvironment().session()
        let other = try TestEnvironment { $0.client.clientID = "other-client" }
        await #expect(throws: InvalidRequestError.self) {
            if action == "signs out" {
                try await other.signIn.endSession(session)
            } else {
                try await other.signIn.addScopes([TestEnvironment.drive], to: session)
            }
        }
        #expect(session.ended == nil)
        #expect(other.userAgent.authorizationURLs.isEmpty)
        #expect(other.network.requests.isEmpty)
    }

    @Test(
        "Ends the session even if the logout at the provider times out or is unsupported",
        .covers(122)
    )
    func unfinished() async throws {
        let environment = try Self.logoutEnvironment { _ in [] }
        let session = try await environment.session()
        await #expect(throws: SignInError(.timedOut)) { try await environment.signIn.endSession(session) }
        #expect(session.ended?.code == .signedOut)
        #expect(try await environment.signIn.accounts().isEmpty)

        var options = ScriptedProvider.Options()
        options.missingMetadata = ["end_session_endpoint"]
        let plain = try TestEnvironment(options)
        let other = try await plain.session()
        await #expect { try await plain.signIn.endSession(other) } throws: {
            ProtocolViolationError.Rule.missingMetadata ~= $0
        }
        #expect(other.ended?.code == .signedOut)
    }
}
