// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Signing in with a browser")
struct SignInTests {
    @Test(
        "Requests a code with PKCE, exchanges it once, and returns the granted scopes",
        .covers(16, 25, 63, 64)
    )
    func codeFlow() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session([.openID, .email, TestEnvironment.drive])
        #expect(session.grantedScopes.granted == [.openID, .email, TestEnvironment.drive])
        #expect(session.grantedScopes.missing.isEmpty)
        #expect(session.identity.email == "ada@example.com")
        #expect(session.account == Account(issuer: ScriptedProvider.issuer, clientID: "test-client", subject: "ada"))
        #expect(environment.userAgent.parameter("response_type") == "code")
        #expect(environment.userAgent.parameter("code_challenge_method") == "S256")
        #expect(environment.userAgent.parameter("nonce")?.isEmpty == false)
        #expect(environment.userAgent.parameters.filter { $0.name == "state" }.count == 1)
        let exchanges = environment.network.requests("/token")
        #expect(exchanges.count == 1)
        #expect(exchanges[0].formValue("redirect_uri") == ScriptedUserAgent.redirectURI)
        #expect(environment.userAgent.pages.map(\.account) == ["ada@example.com"])
        #expect(try await session.accessToken().text == "secret-access-2")
        #expect(environment.network.requests("/token").count == 1)
    }

    @Test("Probes the store before it opens the browser, and saves before it returns the session", .covers(115))
    func order() async throws {
        let environment = try TestEnvironment()
        environment.store.before(.probe) { #expect(environment.userAgent.authorizationURLs.isEmpty) }
        environment.store.before(.save) {
            #expect(environment.userAgent.pages.isEmpty)
            #expect(environment.network.requests("/token").count == 1)
        }
        let session = try await environment.session()
        #expect(environment.store.journal == [.probe, .update, .entryLoad, .save])
        #expect(try await environment.store.load(session.account) == session.record)
    }

    @Test("Opens no browser if the store is unusable")
    func brokenStore() async throws {
        let environment = try TestEnvironment()
        environment.store.fail(.probe, .full)
        await #expect(throws: StoreError(.full, location: "test")) { try await environment.session() }
        #expect(environment.userAgent.authorizationURLs.isEmpty)
        #expect(environment.network.requests.isEmpty)
    }

    @Test("Replaces a damaged record at sign-in and when scopes are added", .covers(119))
    func damagedRecord() async throws {
        let environment = try TestEnvironment()
        environment.store.fail(.entryLoad, .corrupt)
        let session = try await environment.session()
        #expect(try await environment.store.load(session.account) == session.record)
        try await environment.signIn.addScopes([TestEnvironment.drive], to: session)
        #expect(session.grantedScopes.granted == [.openID, .email, TestEnvironment.drive])
        environment.store.before(.entryLoad, nil)
        _ = try await session.refresh()
        #expect(try await environment.store.load(session.account) == session.record)
    }

    @Test("Never completes a sign-in with the redirect of a concurrent one", .covers(30, 35, 99))
    func together() async throws {
        let openedURLs = Mutex<[String]>([])
        let (first, second) = (Gate(), Gate())
        let agent = ScriptedUserAgent.Replaceable()
        let environment = try TestEnvironment(userAgent: agent.agent)
        agent.script { url in
            let number = openedURLs.withLock { openedURLs in
                openedURLs.append(url)
                return openedURLs.count
            }
            // Each sign-in first receives the redirect of the other one, while both are pending.
            if number == 1 { second.open() } else { first.open() }
            await (number == 1 ? first : second).pass()
            let urls = openedURLs.withLock { $0 }
            let (own, other) = number == 1 ? (urls[0], urls[1]) : (urls[1], urls[0])
            return [
                try environment.network.consent(to: other, as: number == 1 ? "bob" : "ada"),
                try environment.network.consent(to: own, as: number == 1 ? "ada" : "bob"),
            ]
        }
        async let one = environment.session()
        async let two = environment.session()
        let subjects = try await [one.account.subject, two.account.subject]
        #expect(Set(subjects) == ["ada", "bob"])
        #expect(environment.userAgent.reasons.count == 2)
        #expect(environment.network.requests("/token").count == 2)
    }

    @Test("Returns no session if it could not be saved")
    func unsaved() async throws {
        let environment = try TestEnvironment()
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError(.full, location: "test")) { try await environment.session() }
        #expect(environment.userAgent.pages.isEmpty)
        #expect(try await environment.signIn.restore() == nil)
    }

    @Test("Reports the scopes that the user did not grant")
    func partialGrant() async throws {
        let network = ScriptedUserAgent.Replaceable()
        let environment = try TestEnvironment(userAgent: network.agent)
        network.script { [try environment.network.consent(to: $0, granting: [.openID, .email])] }
        let session = try await environment.session([.openID, .email, TestEnvironment.drive])
        #expect(session.grantedScopes.granted == [.openID, .email])
        #expect(session.grantedScopes.requested == [.openID, .email, TestEnvironment.drive])
        #expect(session.grantedScopes.missing == [TestEnvironment.drive])
        #expect(environment.userAgent.pages.map(\.missing) == [[TestEnvironment.drive]])
    }

    @Test("Assumes that the requested scopes were granted if the response lists none", .covers(76))
    func silentGrant() async throws {
        var options = ScriptedProvider.Options()
        options.includesScopes = false
        let session = try await TestEnvironment(options).session([.openID, TestEnvironment.drive])
        #expect(session.grantedScopes.granted == [.openID, TestEnvironment.drive])
    }

    @Test("Treats aliases of a scope as equal, and never reports openid as unrequested")
    func aliases() {
        let long: Scope = "https://api.example/auth/email"
        let aliases = ScopeAliases([long: .email])
        let granted = GrantedScopes(
            requested: [.email],
            granted: [long, .openID, TestEnvironment.drive],
            aliases: aliases
        )
        #expect(granted.contains(.email))
        #expect(granted.contains(long))
        #expect(granted.missing.isEmpty)
        #expect(granted.unrequested == [TestEnvironment.drive])
    }

    @Test("Fails if the user denies access, and saves nothing")
    func denial() async throws {
        let agent = ScriptedUserAgent.Replaceable()
        let environment = try TestEnvironment(userAgent: agent.agent)
        agent.script { [try environment.network.denial(of: $0)] }
        await #expect { try await environment.session() } throws: { OAuthError.Code.accessDenied ~= $0 }
        #expect(environment.network.requests("/token").isEmpty)
        #expect(environment.store.count(.save) == 0)
    }

    @Test("Ignores forged redirects and accepts the valid one once", .covers(26, 27, 29, 30))
    func forgery() async throws {
        let agent = ScriptedUserAgent.Replaceable()
        let environment = try TestEnvironment(userAgent: agent.agent)
        agent.script { url in
            [
                ScriptedUserAgent.redirectURI + "?error=access_denied",
                ScriptedUserAgent.redirectURI + "?code=stolen&state=guessed",
                ScriptedUserAgent.redirectURI + "favicon.ico",
                try environment.network.consent(to: url),
                ScriptedUserAgent.redirectURI + "?code=late&state=guessed",
            ]
        }
        _ = try await environment.session()
        #expect(environment.userAgent.reasons.count == 3)
        #expect(!environment.userAgent.reasons.joined().contains("stolen"))
        #expect(environment.network.requests("/token").count == 1)
    }

    @Test("Rejects the redirect of another pending sign-in", .covers(30, 35, 99))
    func crossedRedirects() async throws {
        let agent = ScriptedUserAgent.Replaceable()
        let environment = try TestEnvironment(userAgent: agent.agent)
        let first = SharedValue<String>()
        agent.script { url in
            if let earlier = first.value { return [try environment.network.consent(to: earlier)] }
            first.value = url
            return []
        }
        await #expect { try await environment.session() } throws: { SignInError.Code.timedOut ~= $0 }
        await #expect { try await environment.session() } throws: { SignInError.Code.timedOut ~= $0 }
        #expect(environment.network.requests("/token").isEmpty)
    }

    @Test("Requires openid or an identity from the caller")
    func anonymous() async throws {
        let environment = try TestEnvironment()
        await #expect(throws: InvalidRequestError.self) { try await environment.session([.email]) }
        #expect(environment.network.requests.isEmpty)
        #expect(environment.store.journal.isEmpty)
        var options = SignInOptions()
        options.identity = .caller { _ in "user-7" }
        let session = try await environment.signIn.signIn(scopes: [TestEnvironment.drive], options: options)
        #expect(session.account.subject == "user-7")
        #expect(session.idToken == nil)
        try await environment.signIn.addScopes(["more"], to: session, options: options)
        #expect(session.grantedScopes.granted == [TestEnvironment.drive, "more"])
    }

    @Test("Accepts the ID token algorithms of the metadata if the client specifies none", .covers(140))
    func listedAlgorithms() async throws {
        func environment(listing algorithms: String?, client: [JWSAlgorithm]?) throws -> TestEnvironment {
            let environment = try TestEnvironment { $0.client.idTokenAlgorithms = client }
            let path = "/.well-known/openid-configuration"
            guard let algorithms else { return environment }
            environment.network.intercept(path) { request in
                let origin = ScriptedProvider.issuer
                return .json(
                    """
                    {"issuer": "\(origin)", "authorization_endpoint": "\(origin)/authorize", \
                    "token_endpoint": "\(origin)/token", "jwks_uri": "\(origin)/keys", \
                    "token_endpoint_auth_methods_supported": ["client_secret_post"], \
                    "authorization_response_iss_parameter_supported": true, \
                    "id_token_signing_alg_values_supported": \(algorithms)}
                    """
                )
            }
            return environment
        }
        let listed = try environment(listing: #"["RS256", "ES256", "none"]"#, client: nil)
        let session = try await listed.session()
        #expect(session.provider.client.idTokenAlgorithms == nil)
        listed.expire()
        _ = try await session.accessToken()
        for (algorithms, client) in [
            (#"["RS256", "ES256"]"#, [.ps256]), (#"["HS256", "none"]"#, nil), (#"["ES256K"]"#, [.es256]),
        ] as [(String, [JWSAlgorithm]?)] {
            let environment = try environment(listing: algorithms, client: client)
            let error = await #expect(throws: InvalidRequestError.self) { try await environment.session() }
            #expect(error?.name == "id_token_signed_response_alg")
            #expect(environment.userAgent.authorizationURLs.isEmpty)
            #expect(environment.network.requests("/token").isEmpty)
        }
        // A provider that lists no algorithms uses RS256, but this one signs with ES256.
        let unlisted = try environment(listing: nil, client: nil)
        await #expect { try await unlisted.session() } throws: { ProtocolViolationError.Rule.jwsAlgorithm ~= $0 }
        #expect(unlisted.store.count(.save) == 0)
    }

    @Test("Fails the sign-in if a required claim has another value")
    func requiredClaims() async throws {
        let environment = try TestEnvironment()
        var options = SignInOptions()
        options.requiredClaims = ["hd": "other.example"]
        await #expect { try await environment.signIn.signIn(scopes: [.openID], options: options) } throws: {
            SignInError.Code.domainMismatch ~= $0
        }
        #expect(environment.store.count(.save) == 0)
        options.requiredClaims = ["hd": "example.com"]
        _ = try await environment.signIn.signIn(scopes: [.openID], options: options)
    }

    @Test(
        "Fetches the provider's metadata again for each consent, because endpoints can change"
    )
    func movedEndpoints() async throws {
        let environment = try TestEnvironment()
        _ = try await environment.session()
        let later = try environment.sibling()
        let restored = try #require(try await later.signIn.restore())
        let documents = environment.network.requests("/.well-known/openid-configuration").count
        try await restored.refresh()
        #expect(environment.network.requests("/.well-known/openid-configuration").count == documents)
        _ = try await later.session()
        #expect(environment.network.requests("/.well-known/openid-configuration").count == documents + 1)
    }

    @Test("Falls back to the RFC 8414 metadata only if there is no OpenID configuration", .covers(4))
    func otherDocument() async throws {
        let environment = try TestEnvironment()
        environment.network.intercept("/.well-known/openid-configuration") { _ in .status(.notFound) }
        await #expect(throws: HTTPStatusError.self) { try await environment.session() }
        #expect(environment.network.requests("/.well-known/oauth-authorization-server").count == 1)
        environment.network.intercept("/.well-known/openid-configuration") { _ in .status(.internalServerError) }
        await #expect(throws: HTTPStatusError(status: 500, endpoint: "metadata endpoint")) {
            try await environment.session()
        }
        #expect(environment.network.requests("/.well-known/oauth-authorization-server").count == 1)
    }
}
