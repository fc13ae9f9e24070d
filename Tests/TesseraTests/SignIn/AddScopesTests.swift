// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Asking for more scopes")
struct AddScopesTests {
    @Test("Asks for the union, names the account, and updates the session in place")
    func union() async throws {
        let world = try World { $0.incrementalParameters = ["include_granted_scopes": "true"] }
        let session = try await world.session()
        var events = session.events().makeAsyncIterator()
        let grant = try await world.signIn.addScopes([World.drive, .email], to: session)
        #expect(world.userAgent.parameter("scope") == "openid email \(World.drive)")
        #expect(world.userAgent.parameter("login_hint") == "ada@example.com")
        #expect(world.userAgent.parameter("include_granted_scopes") == "true")
        #expect(grant.granted == [.openID, .email, World.drive])
        #expect(session.grant == grant)
        #expect(try await world.store.load(session.account) == session.record)
        #expect(session.record.generation == 2)
        #expect(try await session.accessToken().secret == session.record.tokens?.accessToken)
        guard case .grantChanged(let told) = await events.next() else {
            Issue.record("not told")
            return
        }
        #expect(told == grant)
    }

    @Test("Leaves earlier grants out where the caller wants it, and where the provider documents nothing")
    func optOut() async throws {
        let world = try World { $0.incrementalParameters = ["include_granted_scopes": "true"] }
        let session = try await world.session()
        #expect(world.userAgent.parameter("include_granted_scopes") == nil)
        var options = SignInOptions()
        options.includesEarlierGrants = false
        options.loginHint = "someone"
        try await world.signIn.addScopes([World.drive], to: session, options: options)
        #expect(world.userAgent.parameter("include_granted_scopes") == nil)
        #expect(world.userAgent.parameter("login_hint") == "someone")
        let plain = try World()
        try await plain.signIn.addScopes([World.drive], to: try await plain.session())
        #expect(plain.userAgent.parameter("include_granted_scopes") == nil)
    }

    @Test("Says so, before anything happens, when every scope is there already, under any spelling")
    func nothingToAsk() async throws {
        let long: Scope = "https://id.example/auth/email"
        let world = try World { $0.scopeAliases = ScopeAliases([long: .email]) }
        let session = try await world.session()
        let requests = world.network.requests.count
        await #expect { try await world.signIn.addScopes([long, .openID], to: session) } throws: {
            SignInError.Code.scopesAlreadyGranted ~= $0
        }
        #expect(world.network.requests.count == requests)
        #expect(world.userAgent.authorizationURLs.count == 1)
    }

    @Test("Refuses another account's answer, and changes nothing")
    func otherAccount() async throws {
        let agent = ScriptedUserAgent.Later()
        let world = try World(userAgent: agent.agent)
        agent.script { [try world.network.consent(to: $0)] }
        let session = try await world.session()
        let before = session.record
        agent.script { [try world.network.consent(to: $0, as: "eve")] }
        await #expect { try await world.signIn.addScopes([World.drive], to: session) } throws: {
            SignInError.Code.accountMismatch ~= $0
        }
        #expect(session.record == before)
        #expect(try await world.signIn.accounts() == [session.account])
        #expect(try await world.store.load(session.account) == before)
        _ = try await session.accessToken()
    }

    @Test("A denial changes nothing, and what the person unticks again is gone")
    func denial() async throws {
        let agent = ScriptedUserAgent.Later()
        let world = try World(userAgent: agent.agent)
        agent.script { [try world.network.consent(to: $0)] }
        let session = try await world.session()
        let before = session.record
        agent.script { [try world.network.denial(of: $0)] }
        await #expect { try await world.signIn.addScopes([World.drive], to: session) } throws: {
            OAuthError.Code.accessDenied ~= $0
        }
        #expect(session.record == before)
        agent.script { [try world.network.consent(to: $0, granting: [.openID, World.drive])] }
        let grant = try await world.signIn.addScopes([World.drive, "more"], to: session)
        #expect(grant.missing == [.email, "more"])
    }

    @Test(
        "Keeps the refresh token where the provider gives no second one, and the session lives on with it",
        .covers(95)
    )
    func keptRefreshToken() async throws {
        let world = try World()
        let session = try await world.session()
        let refreshToken = session.refreshTokenText
        world.network.options.givesRefreshTokens = false
        world.network.clock.advance(by: .seconds(60))
        try await world.signIn.addScopes([World.drive], to: session)
        #expect(session.refreshTokenText == refreshToken)
        // Its ID tokens go on telling of the first sign-in, which is no other person.
        world.expire()
        _ = try await session.accessToken()
    }

    @Test("Keeps the newest refresh token even when it could not be saved before", .covers(115))
    func unsavedRefreshToken() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let replaced = session.refreshTokenText
        world.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        world.store.before(.save, nil)
        world.network.options.givesRefreshTokens = false
        try await world.signIn.addScopes([World.drive], to: session)
        #expect(session.refreshTokenText != replaced)
        world.expire()
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count { $0.formValue("refresh_token") == replaced } == 1)
    }

    @Test("Keeps the redirect URI that the program named, until another consent names another or none")
    func redirectURI() async throws {
        let world = try World()
        let fixed = "http://127.0.0.1:8123/callback"
        let session = try await world.signIn.signIn(scopes: [.openID], options: .with { $0.redirectURI = fixed })
        try await world.signIn.addScopes([World.drive], to: session)
        #expect(session.record.redirectURI == fixed)
        #expect(try await world.store.load(session.account)?.redirectURI == fixed)
        world.expire()
        _ = try await session.accessToken()
        #expect(session.record.redirectURI == fixed)
        let other = "http://127.0.0.1/other"
        try await world.signIn.addScopes(["more"], to: session, options: .with { $0.redirectURI = other })
        #expect(session.record.redirectURI == other)
        #expect(try await world.session([.openID]).record.redirectURI == nil)
    }

    @Test("Asks for consent with offline_access, in every request that contains it")
    func offlineAccess() async throws {
        let world = try World()
        let session = try await world.session([.openID, .offlineAccess])
        #expect(world.userAgent.parameter("prompt") == "consent")
        try await world.signIn.addScopes([World.drive], to: session)
        #expect(world.userAgent.parameter("prompt") == "consent")
        try await world.signIn.addScopes(["more"], to: session, options: SignInOptions(prompt: [.login]))
        #expect(world.userAgent.parameter("prompt") == "login")
        _ = try await world.session([.openID])
        #expect(world.userAgent.parameter("prompt") == nil)
    }

    @Test("Asks for openid again even where the provider does not list it among what it granted")
    func unlistedOpenID() async throws {
        let agent = ScriptedUserAgent.Later()
        let world = try World(userAgent: agent.agent)
        agent.script { [try world.network.consent(to: $0, granting: [.email, World.drive])] }
        let session = try await world.session()
        try await world.signIn.addScopes(["more"], to: session)
        #expect(world.userAgent.parameter("scope")?.split(separator: " ").contains("openid") == true)
    }

    @Test("A refresh that was under way when the consent came does not undo it", .covers(115))
    func duringRefresh() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let gate = Gate()
        world.tokenEndpoint { request in
            if request.formValue("grant_type") == "refresh_token" { await gate.pass() }
            return nil
        }
        let refresh = Task { try await session.accessToken() }
        await gate.arrival()
        let consent = Task { try await world.signIn.addScopes([World.drive], to: session) }
        gate.open()
        _ = try await refresh.value
        _ = try await consent.value
        #expect(session.grant.contains(World.drive))
        #expect(try await world.store.load(session.account) == session.record)
        #expect(session.record.generation == 3)
    }

    @Test("A consent and refreshes in any order leave memory and store the same", .covers(115), arguments: 0..<20)
    func anyOrder(_ round: Int) async throws {
        let world = try World()
        let session = try await world.staleSession()
        async let refreshes = Crowd.results(10) { try await session.accessToken().text }
        async let grant = world.signIn.addScopes([World.drive], to: session)
        _ = try await grant
        for result in await refreshes { _ = try result.get() }
        await session.settle()
        #expect(session.grant.contains(World.drive))
        #expect(try await world.store.load(session.account) == session.record)
        #expect(try await session.accessToken().secret == session.record.tokens?.accessToken)
    }

    @Test("Who signed out while the consent page was open is not signed in again by it")
    func signedOutMeanwhile() async throws {
        let agent = ScriptedUserAgent.Later()
        let world = try World(userAgent: agent.agent)
        agent.script { [try world.network.consent(to: $0)] }
        let session = try await world.session()
        agent.script { url in
            try await session.signOut()
            return [try world.network.consent(to: url)]
        }
        await #expect(throws: SessionEndedError(.signedOut)) {
            try await world.signIn.addScopes([World.drive], to: session)
        }
        #expect(session.ended != nil)
        #expect(try await world.signIn.accounts().isEmpty)
    }
}
