// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Adding scopes")
struct AddScopesTests {
    @Test("Requests the union of scopes for the same account, and updates the session in place")
    func union() async throws {
        let environment = try TestEnvironment { $0.incrementalParameters = ["include_granted_scopes": "true"] }
        let session = try await environment.session()
        var events = session.events().makeAsyncIterator()
        let granted = try await environment.signIn.addScopes([TestEnvironment.drive, .email], to: session)
        #expect(environment.userAgent.parameter("scope") == "openid email \(TestEnvironment.drive)")
        #expect(environment.userAgent.parameter("login_hint") == "ada@example.com")
        #expect(environment.userAgent.parameter("include_granted_scopes") == "true")
        #expect(granted.granted == [.openID, .email, TestEnvironment.drive])
        #expect(session.grantedScopes == granted)
        #expect(try await environment.store.load(session.account) == session.record)
        #expect(session.record.generation == 2)
        #expect(try await session.accessToken().secret == session.record.tokens?.accessToken)
        guard case .scopesChanged(let reported) = await events.next() else {
            Issue.record("no scopesChanged event")
            return
        }
        #expect(reported == granted)
    }

    @Test("Omits include_granted_scopes if the caller opts out or the provider does not define it")
    func optOut() async throws {
        let environment = try TestEnvironment { $0.incrementalParameters = ["include_granted_scopes": "true"] }
        let session = try await environment.session()
        #expect(environment.userAgent.parameter("include_granted_scopes") == nil)
        var options = SignInOptions()
        options.includesGrantedScopes = false
        options.loginHint = "someone"
        try await environment.signIn.addScopes([TestEnvironment.drive], to: session, options: options)
        #expect(environment.userAgent.parameter("include_granted_scopes") == nil)
        #expect(environment.userAgent.parameter("login_hint") == "someone")
        let plain = try TestEnvironment()
        try await plain.signIn.addScopes([TestEnvironment.drive], to: try await plain.session())
        #expect(plain.userAgent.parameter("include_granted_scopes") == nil)
    }

    @Test("Fails without a request if all scopes were granted, even under an alias")
    func nothingToAsk() async throws {
        let long: Scope = "https://id.example/auth/email"
        let environment = try TestEnvironment { $0.scopeAliases = ScopeAliases([long: .email]) }
        let session = try await environment.session()
        let requests = environment.network.requests.count
        await #expect { try await environment.signIn.addScopes([long, .openID], to: session) } throws: {
            SignInError.Code.scopesAlreadyGranted ~= $0
        }
        #expect(environment.network.requests.count == requests)
        #expect(environment.userAgent.authorizationURLs.count == 1)
    }

    @Test("Rejects a response for another account without changing the session")
    func otherAccount() async throws {
        let agent = ScriptedUserAgent.Replaceable()
        let environment = try TestEnvironment(userAgent: agent.agent)
        agent.script { [try environment.network.consent(to: $0)] }
        let session = try await environment.session()
        let before = session.record
        agent.script { [try environment.network.consent(to: $0, as: "eve")] }
        await #expect { try await environment.signIn.addScopes([TestEnvironment.drive], to: session) } throws: {
            SignInError.Code.accountMismatch ~= $0
        }
        #expect(session.record == before)
        #expect(try await environment.signIn.accounts() == [session.account])
        #expect(try await environment.store.load(session.account) == before)
        _ = try await session.accessToken()
    }

    @Test("Keeps the session after a denial, and drops scopes that the user deselects")
    func denial() async throws {
        let agent = ScriptedUserAgent.Replaceable()
        let environment = try TestEnvironment(userAgent: agent.agent)
        agent.script { [try environment.network.consent(to: $0)] }
        let session = try await environment.session()
        let before = session.record
        agent.script { [try environment.network.denial(of: $0)] }
        await #expect { try await environment.signIn.addScopes([TestEnvironment.drive], to: session) } throws: {
            OAuthError.Code.accessDenied ~= $0
        }
        #expect(session.record == before)
        agent.script { [try environment.network.consent(to: $0, granting: [.openID, TestEnvironment.drive])] }
        let granted = try await environment.signIn.addScopes([TestEnvironment.drive, "more"], to: session)
        #expect(granted.missing == [.email, "more"])
    }

    @Test(
        "Keeps the refresh token if the provider does not issue a new one",
        .covers(95)
    )
    func keptRefreshToken() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let refreshToken = session.refreshTokenText
        environment.network.options.issuesRefreshTokens = false
        environment.network.clock.advance(by: .seconds(60))
        try await environment.signIn.addScopes([TestEnvironment.drive], to: session)
        #expect(session.refreshTokenText == refreshToken)
        // The refreshed ID tokens describe the first sign-in, which was by the same user.
        environment.expire()
        _ = try await session.accessToken()
    }

    @Test("Keeps the newest refresh token even if it could not be saved before", .covers(115))
    func unsavedRefreshToken() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let replaced = session.refreshTokenText
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        environment.store.before(.save, nil)
        environment.network.options.issuesRefreshTokens = false
        try await environment.signIn.addScopes([TestEnvironment.drive], to: session)
        #expect(session.refreshTokenText != replaced)
        environment.expire()
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count { $0.formValue("refresh_token") == replaced } == 1)
    }

    @Test("Stores the redirect URI of the latest consent")
    func redirectURI() async throws {
        let environment = try TestEnvironment()
        let fixed = "http://127.0.0.1:8123/callback"
        let session = try await environment.signIn.signIn(scopes: [.openID], options: .with { $0.redirectURI = fixed })
        try await environment.signIn.addScopes([TestEnvironment.drive], to: session)
        #expect(session.record.redirectURI == fixed)
        #expect(try await environment.store.load(session.account)?.redirectURI == fixed)
        environment.expire()
        _ = try await session.accessToken()
        #expect(session.record.redirectURI == fixed)
        let other = "http://127.0.0.1/other"
        try await environment.signIn.addScopes(["more"], to: session, options: .with { $0.redirectURI = other })
        #expect(session.record.redirectURI == other)
        #expect(try await environment.session([.openID]).record.redirectURI == nil)
    }

    @Test("Sets the consent prompt for offline_access unless the caller sets another one")
    func offlineAccess() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session([.openID, .offlineAccess])
        #expect(environment.userAgent.parameter("prompt") == "consent")
        try await environment.signIn.addScopes([TestEnvironment.drive], to: session)
        #expect(environment.userAgent.parameter("prompt") == "consent")
        try await environment.signIn.addScopes(["more"], to: session, options: SignInOptions(prompt: [.login]))
        #expect(environment.userAgent.parameter("prompt") == "login")
        _ = try await environment.session([.openID])
        #expect(environment.userAgent.parameter("prompt") == nil)
    }

    @Test("Requests openid again even if the provider does not list it as granted")
    func unlistedOpenID() async throws {
        let agent = ScriptedUserAgent.Replaceable()
        let environment = try TestEnvironment(userAgent: agent.agent)
        agent.script { [try environment.network.consent(to: $0, granting: [.email, TestEnvironment.drive])] }
        let session = try await environment.session()
        try await environment.signIn.addScopes(["more"], to: session)
        #expect(environment.userAgent.parameter("scope")?.split(separator: " ").contains("openid") == true)
    }

    @Test("Does not undo a consent when a concurrent refresh completes", .covers(115))
    func duringRefresh() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let gate = Gate()
        environment.tokenEndpoint { request in
            if request.formValue("grant_type") == "refresh_token" { await gate.pass() }
            return nil
        }
        let refresh = Task { try await session.accessToken() }
        await gate.waitForArrival()
        let consent = Task { try await environment.signIn.addScopes([TestEnvironment.drive], to: session) }
        gate.open()
        _ = try await refresh.value
        _ = try await consent.value
        #expect(session.grantedScopes.contains(TestEnvironment.drive))
        #expect(try await environment.store.load(session.account) == session.record)
        #expect(session.record.generation == 3)
    }

    @Test("Keeps memory and store consistent when refreshes and a consent overlap", .covers(115), arguments: 0..<20)
    func anyOrder(_ round: Int) async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        async let refreshes = ConcurrentTasks.results(10) { try await session.accessToken().text }
        async let granted = environment.signIn.addScopes([TestEnvironment.drive], to: session)
        _ = try await granted
        for result in await refreshes { _ = try result.get() }
        await session.settle()
        #expect(session.grantedScopes.contains(TestEnvironment.drive))
        #expect(try await environment.store.load(session.account) == session.record)
        #expect(try await session.accessToken().secret == session.record.tokens?.accessToken)
    }

    @Test("Does not revive a session that was signed out while the consent page was open")
    func signedOutMeanwhile() async throws {
        let agent = ScriptedUserAgent.Replaceable()
        let environment = try TestEnvironment(userAgent: agent.agent)
        agent.script { [try environment.network.consent(to: $0)] }
        let session = try await environment.session()
        agent.script { url in
            try await session.signOut()
            return [try environment.network.consent(to: url)]
        }
        await #expect(throws: SessionEndedError(.signedOut)) {
            try await environment.signIn.addScopes([TestEnvironment.drive], to: session)
        }
        #expect(session.ended != nil)
        #expect(try await environment.signIn.accounts().isEmpty)
    }
}
