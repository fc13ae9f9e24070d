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

@Suite("A sign-in")
struct SignInTests {
    @Test(
        "Asks by code and PKCE, exchanges the code once, and gives a session with what was granted",
        .covers(16, 25, 63, 64)
    )
    func codeFlow() async throws {
        let world = try World()
        let session = try await world.session([.openID, .email, World.drive])
        #expect(session.grantedScopes == [.openID, .email, World.drive])
        #expect(session.grant.missing.isEmpty)
        #expect(session.identity.email == "ada@example.com")
        #expect(session.account == Account(issuer: ScriptedProvider.issuer, clientID: "test-client", subject: "ada"))
        #expect(world.userAgent.parameter("response_type") == "code")
        #expect(world.userAgent.parameter("code_challenge_method") == "S256")
        #expect(world.userAgent.parameter("nonce")?.isEmpty == false)
        #expect(world.userAgent.parameters.filter { $0.name == "state" }.count == 1)
        let exchanges = world.network.requests("/token")
        #expect(exchanges.count == 1)
        #expect(exchanges[0].formValue("redirect_uri") == ScriptedUserAgent.redirectURI)
        #expect(world.userAgent.pages.map(\.account) == ["ada@example.com"])
        #expect(try await session.accessToken().text == "secret-access-2")
        #expect(world.network.requests("/token").count == 1)
    }

    @Test("Tries the store before the person sees a browser, and saves before it returns the session", .covers(115))
    func order() async throws {
        let world = try World()
        world.store.before(.probe) { #expect(world.userAgent.authorizationURLs.isEmpty) }
        world.store.before(.save) {
            #expect(world.userAgent.pages.isEmpty)
            #expect(world.network.requests("/token").count == 1)
        }
        let session = try await world.session()
        #expect(world.store.journal == [.probe, .update, .entryLoad, .save])
        #expect(try await world.store.load(session.account) == session.record)
    }

    @Test("Shows no browser when the store cannot keep a session")
    func brokenStore() async throws {
        let world = try World()
        world.store.fail(.probe, .full)
        await #expect(throws: StoreError(.full, place: "test")) { try await world.session() }
        #expect(world.userAgent.authorizationURLs.isEmpty)
        #expect(world.network.requests.isEmpty)
    }

    @Test("Replaces a damaged record, and a damaged one of the same session when scopes are added", .covers(119))
    func damagedRecord() async throws {
        let world = try World()
        world.store.fail(.entryLoad, .corrupt)
        let session = try await world.session()
        #expect(try await world.store.load(session.account) == session.record)
        try await world.signIn.addScopes([World.drive], to: session)
        #expect(session.grantedScopes == [.openID, .email, World.drive])
        world.store.before(.entryLoad, nil)
        _ = try await session.refresh()
        #expect(try await world.store.load(session.account) == session.record)
    }

    @Test("Two that are open at the same time never complete each other's redirects", .covers(30, 35, 99))
    func together() async throws {
        let shown = Mutex<[String]>([])
        let (first, second) = (Gate(), Gate())
        let agent = ScriptedUserAgent.Later()
        let world = try World(userAgent: agent.agent)
        agent.script { url in
            let number = shown.withLock { shown in
                shown.append(url)
                return shown.count
            }
            // Each is handed the other's answer first, while both are open.
            if number == 1 { second.open() } else { first.open() }
            await (number == 1 ? first : second).pass()
            let urls = shown.withLock { $0 }
            let (own, other) = number == 1 ? (urls[0], urls[1]) : (urls[1], urls[0])
            return [
                try world.network.consent(to: other, as: number == 1 ? "bob" : "ada"),
                try world.network.consent(to: own, as: number == 1 ? "ada" : "bob"),
            ]
        }
        async let one = world.session()
        async let two = world.session()
        let people = try await [one.account.subject, two.account.subject]
        #expect(Set(people) == ["ada", "bob"])
        #expect(world.userAgent.reasons.count == 2)
        #expect(world.network.requests("/token").count == 2)
    }

    @Test("Gives no session when it could not be saved")
    func unsaved() async throws {
        let world = try World()
        world.store.fail(.save, .full)
        await #expect(throws: StoreError(.full, place: "test")) { try await world.session() }
        #expect(world.userAgent.pages.isEmpty)
        #expect(try await world.signIn.restore() == nil)
    }

    @Test("Says which scopes the person left unticked")
    func partialGrant() async throws {
        let network = ScriptedUserAgent.Later()
        let world = try World(userAgent: network.agent)
        network.script { [try world.network.consent(to: $0, granting: [.openID, .email])] }
        let session = try await world.session([.openID, .email, World.drive])
        #expect(session.grantedScopes == [.openID, .email])
        #expect(session.grant.requested == [.openID, .email, World.drive])
        #expect(session.grant.missing == [World.drive])
        #expect(world.userAgent.pages.map(\.missing) == [[World.drive]])
    }

    @Test("Takes the provider's silence about scopes for what was asked", .covers(76))
    func silentGrant() async throws {
        var options = ScriptedProvider.Options()
        options.tellsScopes = false
        let session = try await World(options).session([.openID, World.drive])
        #expect(session.grantedScopes == [.openID, World.drive])
    }

    @Test("Knows two spellings of one scope, and is not surprised by an openid that nobody asked for")
    func aliases() {
        let long: Scope = "https://api.example/auth/email"
        let aliases = ScopeAliases([long: .email])
        let grant = Grant(requested: [.email], granted: [long, .openID, World.drive], aliases: aliases)
        #expect(grant.contains(.email))
        #expect(grant.contains(long))
        #expect(grant.missing.isEmpty)
        #expect(grant.unrequested == [World.drive])
    }

    @Test("Is refused when the person says no, and leaves nothing behind")
    func denial() async throws {
        let agent = ScriptedUserAgent.Later()
        let world = try World(userAgent: agent.agent)
        agent.script { [try world.network.denial(of: $0)] }
        await #expect { try await world.session() } throws: { OAuthError.Code.accessDenied ~= $0 }
        #expect(world.network.requests("/token").isEmpty)
        #expect(world.store.count(.save) == 0)
    }

    @Test("Waits on after a forged redirect, and takes the good one once", .covers(26, 27, 29, 30))
    func forgery() async throws {
        let agent = ScriptedUserAgent.Later()
        let world = try World(userAgent: agent.agent)
        agent.script { url in
            [
                ScriptedUserAgent.redirectURI + "?error=access_denied",
                ScriptedUserAgent.redirectURI + "?code=stolen&state=guessed",
                ScriptedUserAgent.redirectURI + "favicon.ico",
                try world.network.consent(to: url),
                ScriptedUserAgent.redirectURI + "?code=late&state=guessed",
            ]
        }
        _ = try await world.session()
        #expect(world.userAgent.reasons.count == 3)
        #expect(!world.userAgent.reasons.joined().contains("stolen"))
        #expect(world.network.requests("/token").count == 1)
    }

    @Test("Refuses the redirect of another sign-in that is open at the same time", .covers(30, 35, 99))
    func crossedRedirects() async throws {
        let agent = ScriptedUserAgent.Later()
        let world = try World(userAgent: agent.agent)
        let first = Sent<String>()
        agent.script { url in
            if let earlier = first.value { return [try world.network.consent(to: earlier)] }
            first.value = url
            return []
        }
        await #expect { try await world.session() } throws: { SignInError.Code.timedOut ~= $0 }
        await #expect { try await world.session() } throws: { SignInError.Code.timedOut ~= $0 }
        #expect(world.network.requests("/token").isEmpty)
    }

    @Test("Needs openid, or another way to know the person, before anything happens")
    func anonymous() async throws {
        let world = try World()
        await #expect(throws: InvalidRequestError.self) { try await world.session([.email]) }
        #expect(world.network.requests.isEmpty)
        #expect(world.store.journal.isEmpty)
        var options = SignInOptions()
        options.identity = .caller { _ in "user-7" }
        let session = try await world.signIn.signIn(scopes: [World.drive], options: options)
        #expect(session.account.subject == "user-7")
        #expect(session.idToken == nil)
        try await world.signIn.addScopes(["more"], to: session, options: options)
        #expect(session.grantedScopes == [World.drive, "more"])
    }

    @Test("Accepts the algorithms that the provider's metadata lists, for a client that names none", .covers(140))
    func listedAlgorithms() async throws {
        func world(listing algorithms: String?, client: [JWSAlgorithm]?) throws -> World {
            let world = try World { $0.client.idTokenAlgorithms = client }
            let path = "/.well-known/openid-configuration"
            guard let algorithms else { return world }
            world.network.intercept(path) { request in
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
            return world
        }
        let listed = try world(listing: #"["RS256", "ES256", "none"]"#, client: nil)
        let session = try await listed.session()
        #expect(session.provider.client.idTokenAlgorithms == nil)
        listed.expire()
        _ = try await session.accessToken()
        for (algorithms, client) in [
            (#"["RS256", "ES256"]"#, [.ps256]), (#"["HS256", "none"]"#, nil), (#"["ES256K"]"#, [.es256]),
        ] as [(String, [JWSAlgorithm]?)] {
            let world = try world(listing: algorithms, client: client)
            let error = await #expect(throws: InvalidRequestError.self) { try await world.session() }
            #expect(error?.name == "id_token_signed_response_alg")
            #expect(world.userAgent.authorizationURLs.isEmpty)
            #expect(world.network.requests("/token").isEmpty)
        }
        // RS256 is the algorithm of a provider that lists none, and this one signs by ES256.
        let unlisted = try world(listing: nil, client: nil)
        await #expect { try await unlisted.session() } throws: { ProtocolViolationError.Rule.jwsAlgorithm ~= $0 }
        #expect(unlisted.store.count(.save) == 0)
    }

    @Test("Insists on the claims that the program requires")
    func requiredClaims() async throws {
        let world = try World()
        var options = SignInOptions()
        options.requiredClaims = ["hd": "other.example"]
        await #expect { try await world.signIn.signIn(scopes: [.openID], options: options) } throws: {
            SignInError.Code.domainMismatch ~= $0
        }
        #expect(world.store.count(.save) == 0)
        options.requiredClaims = ["hd": "example.com"]
        _ = try await world.signIn.signIn(scopes: [.openID], options: options)
    }

    @Test(
        "Finds the provider's endpoints anew for each consent, since it may have moved them after a session was stored"
    )
    func movedEndpoints() async throws {
        let world = try World()
        _ = try await world.session()
        let later = try world.sibling()
        let restored = try #require(try await later.signIn.restore())
        let documents = world.network.requests("/.well-known/openid-configuration").count
        try await restored.refresh()
        #expect(world.network.requests("/.well-known/openid-configuration").count == documents)
        _ = try await later.session()
        #expect(world.network.requests("/.well-known/openid-configuration").count == documents + 1)
    }

    @Test("Falls back to the document of RFC 8414 only where there is no OpenID document", .covers(4))
    func otherDocument() async throws {
        let world = try World()
        world.network.intercept("/.well-known/openid-configuration") { _ in .status(.notFound) }
        await #expect(throws: HTTPStatusError.self) { try await world.session() }
        #expect(world.network.requests("/.well-known/oauth-authorization-server").count == 1)
        world.network.intercept("/.well-known/openid-configuration") { _ in .status(.internalServerError) }
        await #expect(throws: HTTPStatusError(status: 500, endpoint: "metadata endpoint")) { try await world.session() }
        #expect(world.network.requests("/.well-known/oauth-authorization-server").count == 1)
    }
}
