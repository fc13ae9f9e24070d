// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite(
    "The protocol at django-oauth-toolkit, another provider from elsewhere",
    .serialized,  // They share one instance and its person, whose last sign-in is in every ID token.
    .enabled(
        if: DjangoOAuthToolkitInstance.missing == nil,
        "\(DjangoOAuthToolkitInstance.missing ?? "")"
    ),
    .enabled("needs PyPI once, and python3-venv: Scripts/django-oauth-toolkit install") {
        await DjangoOAuthToolkitInstance.isInstallable.value
    },
    SharedDjangoOAuthToolkit()
)
struct DjangoOAuthToolkitProtocolTests {
    private static let scopes: [Scope] = [.openID, .email, "files"]

    /// A program and its person at the instance.
    private struct Home {
        let person: DjangoOAuthToolkitPerson
        let program: ProviderProgram
        /// Introspection is for confidential clients alone.
        let resourceServer: ProviderProgram

        init(
            _ client: KeyPath<DjangoOAuthToolkitInstance, ProviderClient> = \.publicClient,
            dpop: DPoPPolicy = .never,
            refuses: Bool = false,
            changes: [String: JSONNode] = [:]
        ) async throws {
            let instance = try #require(DjangoOAuthToolkitInstance.shared)
            let client = try instance[keyPath: client].oauthClient
            try await self.init(client, dpop: dpop, refuses: refuses, changes: changes, at: instance)
        }

        init(
            _ client: OAuthClient,
            dpop: DPoPPolicy = .never,
            refuses: Bool = false,
            changes: [String: JSONNode] = [:],
            at instance: DjangoOAuthToolkitInstance
        ) async throws {
            var provider = try Provider.issuer(instance.issuer, client: client, insecure: .loopbackHTTP)
            provider.metadata = try await instance.metadata(changes)
            provider.dpop = dpop
            self.person = try DjangoOAuthToolkitPerson(at: instance, refuses: refuses)
            self.program = try await ProviderProgram(provider, userAgent: self.person.userAgent)
            provider.client = try instance.confidentialClient.oauthClient
            self.resourceServer = try await ProviderProgram(provider, userAgent: self.person.userAgent)
        }

        func session(_ options: SignInOptions = SignInOptions()) async throws -> OAuthSession {
            try await self.program.signIn.signIn(scopes: DjangoOAuthToolkitProtocolTests.scopes, options: options)
        }

        func introspect(_ session: OAuthSession) async throws -> Introspection {
            try await self.resourceServer.introspect(try await session.accessToken().secret)
        }

        /// Who it is where no ID token tells: what the provider says about the access token.
        var identity: SignInOptions {
            var options = SignInOptions()
            options.identity = .caller { token in
                try #require(try await self.resourceServer.introspect(token).username)
            }
            return options
        }

        /// A refresh token that the provider does not take any more.
        func checkRefused(_ refreshToken: Secret) async {
            await #expect {
                try await self.program.client.send(TokenRequest.refresh(refreshToken))
            } throws: {
                OAuthError.Code.invalidGrant ~= $0
            }
        }
    }

    @Test("It describes itself in two documents, each of which lacks what the other has")
    func discovery() async throws {
        let instance = try #require(DjangoOAuthToolkitInstance.shared)
        let openID = try await instance.metadata(.openIDConnect)
        let server = try await instance.metadata(.authorizationServer)
        #expect(openID.issuer.url == instance.issuer)
        #expect(server.issuer.url == instance.issuer)
        #expect(openID.userinfoEndpoint != nil)
        #expect(openID.endSessionEndpoint != nil)
        #expect(openID.revocationEndpoint == nil)
        #expect(openID.introspectionEndpoint == nil)
        #expect(openID.registrationEndpoint == nil)
        #expect(openID.deviceAuthorizationEndpoint == nil)
        #expect(server.userinfoEndpoint == nil)
        #expect(server.endSessionEndpoint == nil)
        #expect(server.revocationEndpoint != nil)
        #expect(server.introspectionEndpoint != nil)
        #expect(server.registrationEndpoint != nil)
        #expect(server.deviceAuthorizationEndpoint == nil)

        // What is found by itself is enough for a sign-in.
        let person = try DjangoOAuthToolkitPerson(at: instance)
        let provider = try Provider.issuer(
            instance.issuer,
            client: try instance.publicClient.oauthClient,
            insecure: .loopbackHTTP
        )
        let program = try await ProviderProgram(provider, userAgent: person.userAgent)
        #expect(try await program.signIn.signIn(scopes: Self.scopes).account.issuer == instance.issuer)
    }

    @Test(
        "A person signs in by code and PKCE; the same request without its challenge is refused",
        arguments: [false, true]
    )
    func code(isPublic: Bool) async throws {
        let home = try await Home(isPublic ? \.publicClient : \.confidentialClient)
        let session = try await home.session()
        #expect(Set(session.grantedScopes) == Set(Self.scopes))
        #expect(session.idToken != nil)
        #expect(try await session.userInfo()["sub"]?.string == session.account.subject)

        let shown = try #require(home.person.browser.visited.first)
        #expect(shown.contains("code_challenge_method=S256"))
        let bare = shown.replacing(/&code_challenge=[^&]*/, with: "")
        #expect(try await home.person.consent(bare).contains("error=invalid_request"))
    }

    @Test(
        "A no comes without the iss that is announced, and is not taken; where none is announced it is a no",
        .covers(32)
    )
    func refusal() async throws {
        let home = try await Home(refuses: true)
        await #expect { try await home.session() } throws: { ProtocolViolationError.Rule.redirectIssuer ~= $0 }

        let changes = ["authorization_response_iss_parameter_supported": JSONNode.bool(false)]
        let trusting = try await Home(refuses: true, changes: changes)
        await #expect { try await trusting.session() } throws: { OAuthError.Code.accessDenied ~= $0 }
    }

    @Test("A refresh token is used once, and brings an ID token; one that comes again ends the family and the session")
    func rotation() async throws {
        let home = try await Home()
        let session = try await home.session()
        let first = try #require(session.refreshToken)
        let (access, idToken) = (try await session.accessToken(), try #require(session.idToken))
        #expect(try await session.refresh() != access)
        #expect(session.refreshToken != first)
        #expect(try #require(session.idToken) != idToken)
        #expect(try await home.introspect(session).isActive)

        await home.checkRefused(first)
        await #expect { try await session.refresh() } throws: { SessionEndedError.Code.refused ~= $0 }
    }

    @Test(
        "A refreshed ID token tells of the person's last sign-in anywhere, which is not the session's: it ends",
        .covers(95)
    )
    func laterSignIn() async throws {
        let home = try await Home()
        let session = try await home.session()
        let before = try Self.authenticationTime(of: session)
        // In whole seconds.
        while try Self.authenticationTime(of: try await Home().session()) == before {}
        await #expect { try await session.refresh() } throws: { SessionEndedError.Code.identityChanged ~= $0 }
        #expect(session.ended?.code == .identityChanged)
    }

    private static func authenticationTime(of session: OAuthSession) throws -> Double {
        let idToken = try #require(session.idToken)
        let claims = try idToken.withUnredacted { try JSONValue(parsing: CompactJWS(parsing: $0).payload) }
        return try #require(try claims["auth_time"]?.double())
    }

    @Test("Tokens that are bound to a key, and pushed requests, are refused before anybody is asked", .covers(10, 105))
    func notOffered() async throws {
        let bound = try await Home(dpop: .required)
        await #expect { try await bound.session() } throws: { ProtocolViolationError.Rule.dpopAlgorithm ~= $0 }
        #expect(bound.person.browser.visited.isEmpty)

        let pushed = try await Home()
        var options = SignInOptions()
        options.pushesAuthorizationRequest = true
        await #expect {
            try await pushed.session(options)
        } throws: {
            ProtocolViolationError.Rule.missingMetadata ~= $0
        }
        #expect(pushed.person.browser.visited.isEmpty)
    }

    @Test("A person says yes on another device; no ID token comes of it, so the program names the account")
    func device() async throws {
        let home = try await Home(\.deviceClient)
        await #expect {
            try await home.program.signIn.signInOnDevice(scopes: Self.scopes) { try await home.person.approve($0) }
        } throws: {
            ProtocolViolationError.Rule.idTokenMissing ~= $0
        }

        let session = try await home.program.signIn.signInOnDevice(scopes: ["files"], options: home.identity) {
            // The first question comes before the person has decided.
            let question = TokenRequest.deviceCode($0.deviceCode)
            await #expect { try await home.program.client.send(question) } throws: {
                OAuthError.Code.authorizationPending ~= $0
            }
            try await home.person.approve($0)
        }
        #expect(session.account.subject == "ada")
        #expect(session.grantedScopes == ["files"])
        #expect(try await home.introspect(session).clientID == "tessera-device")
        try await session.refresh()
        #expect(try await home.introspect(session).isActive)
    }

    @Test(
        "What was revoked is not active any more, for a public client too",
        arguments: [false, true]
    )
    func revocation(isPublic: Bool) async throws {
        let home = try await Home(isPublic ? \.publicClient : \.confidentialClient)
        let session = try await home.session()
        let (access, refresh) = (try await session.accessToken().secret, try #require(session.refreshToken))
        #expect(try await home.resourceServer.introspect(access).isActive)
        try await session.disconnect()
        #expect(try await !home.resourceServer.introspect(access).isActive)
        await home.checkRefused(refresh)
        #expect(try await home.program.store.list().isEmpty)

        let other = try await home.session()
        let token = try await other.accessToken().secret
        let endpoint = try home.program.client.endpoint(\.revocationEndpoint, "revocation_endpoint")
        try await home.program.client.send(RevocationRequest.accessToken(token, at: endpoint))
        #expect(try await !home.resourceServer.introspect(token).isActive)
    }

    @Test("The provider says whose an access token is, and what for; it knows no other tokens, and public clients not")
    func introspection() async throws {
        let home = try await Home()
        let session = try await home.session()
        let introspection = try await home.introspect(session)
        #expect(introspection.clientID == "tessera-public")
        #expect(introspection.username == "ada")
        #expect(Set(introspection.scopes) == Set(Self.scopes))
        #expect(try await !home.resourceServer.introspect(try #require(session.refreshToken)).isActive)
        #expect(try await !home.resourceServer.introspect(Secret("not-a-token")).isActive)
        await #expect(throws: HTTPStatusError(status: 403, endpoint: "introspection endpoint")) {
            try await home.program.introspect(try await session.accessToken().secret)
        }
    }

    @Test("A program registers, signs a person in, changes its registration, and takes it away")
    func registration() async throws {
        let instance = try #require(DjangoOAuthToolkitInstance.shared)
        let home = try await Home()
        let server = home.program.client
        // It does not say when the secret ends.
        await #expect { try await Self.register(at: server) } throws: { ProtocolViolationError.Rule.registration ~= $0 }
        let registration = try await Self.register(at: server, requiresSecretExpiry: false)
        let newcomer = try await Home(registration.client, at: instance)
        // It has no algorithm for its ID tokens, and nobody can register one.
        await #expect(throws: HTTPStatusError(status: 500, endpoint: "token endpoint")) { try await newcomer.session() }
        let session = try await newcomer.program.signIn.signIn(scopes: ["files"], options: newcomer.identity)
        #expect(session.account.clientID == registration.clientID)
        #expect(session.account.subject == "ada")
        try await session.refresh()
        #expect(try await home.introspect(session).clientID == registration.clientID)

        var changed = registration.metadata
        changed.clientName = "Settler"
        let settled = try await server.send(RegistrationRequest.update(registration, to: changed))
        #expect(settled.clientSecret == registration.clientSecret)
        #expect(try await server.send(RegistrationRequest.read(settled)).metadata.clientName == "Settler")

        // An update replaces the token of the registration; a deletion ends it.
        #expect(settled.registrationAccessToken != registration.registrationAccessToken)
        try await server.send(RegistrationDeletion(settled))
        for ended in [registration, settled] {
            let error = await #expect(throws: OAuthError.self) {
                try await server.send(RegistrationRequest.read(ended))
            }
            #expect(error?.code.rawValue == "invalid_token")
        }
    }

    private static func register(
        at server: RegisteredClient,
        requiresSecretExpiry: Bool = true
    ) async throws -> ClientRegistration {
        var metadata = ClientMetadata(
            clientName: "Newcomer",
            redirectURIs: [try RedirectURI(WalkingUserAgent.redirectURI)]
        )
        metadata.grantTypes = ["authorization_code", "refresh_token"]
        return try await RegisteredClient.register(
            metadata,
            at: server.metadata,
            requiresSecretExpiry: requiresSecretExpiry,
            runtime: server.runtime
        )
    }

    @Test("A person signs out here and there")
    func endSession() async throws {
        let home = try await Home()
        let session = try await home.session()
        let (access, refresh) = (try await session.accessToken().secret, try #require(session.refreshToken))
        #expect(try await home.person.isSignedIn())
        try await home.program.signIn.endSession(session)
        #expect(try await !home.person.isSignedIn())
        #expect(try await !home.resourceServer.introspect(access).isActive)
        await home.checkRefused(refresh)
        #expect(try await home.program.signIn.restore() == nil)
    }

    @Test("A token that the provider does not know is refused with a challenge")
    func unknownToken() async throws {
        let client = try await Home().program.client
        let endpoint = try client.endpoint(\.userinfoEndpoint, "userinfo_endpoint")
        let error = await #expect(throws: BearerChallengeError.self) {
            try await client.send(UserInfoRequest(Secret("not-a-token"), at: endpoint, subject: nil))
        }
        #expect(error?.error == "invalid_token")
    }
}
