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
    "Protocol tests with django-oauth-toolkit",
    .serialized,  // The tests share one instance and its user, whose last sign-in is in every ID token.
    .enabled(
        if: DjangoOAuthToolkitInstance.missing == nil,
        "\(DjangoOAuthToolkitInstance.missing ?? "")"
    ),
    .enabled("needs python3-venv, and PyPI for the first run: Scripts/django-oauth-toolkit install") {
        await DjangoOAuthToolkitInstance.isInstallable.value
    },
    SharedDjangoOAuthToolkit()
)
struct DjangoOAuthToolkitProtocolTests {
    private static let scopes: [Scope] = [.openID, .email, "files"]

    /// A client program and a user of the shared instance.
    private struct Setup {
        let user: DjangoOAuthToolkitUser
        let program: ProviderProgram
        /// A confidential client, which the provider requires for introspection.
        let resourceServer: ProviderProgram

        init(
            _ client: KeyPath<DjangoOAuthToolkitInstance, ProviderClient> = \.publicClient,
            dpop: DPoPPolicy = .never,
            denies: Bool = false,
            changes: [String: JSONNode] = [:]
        ) async throws {
            let instance = try #require(DjangoOAuthToolkitInstance.shared)
            let client = try instance[keyPath: client].oauthClient
            try await self.init(client, dpop: dpop, denies: denies, changes: changes, at: instance)
        }

        init(
            _ client: OAuthClient,
            dpop: DPoPPolicy = .never,
            denies: Bool = false,
            changes: [String: JSONNode] = [:],
            at instance: DjangoOAuthToolkitInstance
        ) async throws {
            var provider = try Provider.issuer(instance.issuer, client: client, insecure: .loopbackHTTP)
            provider.metadata = try await instance.metadata(changes)
            provider.dpop = dpop
            self.user = try DjangoOAuthToolkitUser(at: instance, denies: denies)
            self.program = try await ProviderProgram(provider, userAgent: self.user.userAgent)
            provider.client = try instance.confidentialClient.oauthClient
            self.resourceServer = try await ProviderProgram(provider, userAgent: self.user.userAgent)
        }

        func session(_ options: SignInOptions = SignInOptions()) async throws -> OAuthSession {
            try await self.program.signIn.signIn(scopes: DjangoOAuthToolkitProtocolTests.scopes, options: options)
        }

        func introspect(_ session: OAuthSession) async throws -> Introspection {
            try await self.resourceServer.introspect(try await session.accessToken().secret)
        }

        /// Sign-in options that take the user from the introspection of the access token instead of an ID token.
        var identity: SignInOptions {
            var options = SignInOptions()
            options.identity = .caller { token in
                try #require(try await self.resourceServer.introspect(token).username)
            }
            return options
        }

        /// Expects the provider to reject a refresh token.
        func expectRejection(of refreshToken: Secret) async {
            await #expect {
                try await self.program.client.send(TokenRequest.refresh(refreshToken))
            } throws: {
                OAuthError.Code.invalidGrant ~= $0
            }
        }
    }

    @Test("Discovers two metadata documents with different endpoints")
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

        // Discovery alone is sufficient for a sign-in.
        let user = try DjangoOAuthToolkitUser(at: instance)
        let provider = try Provider.issuer(
            instance.issuer,
            client: try instance.publicClient.oauthClient,
            insecure: .loopbackHTTP
        )
        let program = try await ProviderProgram(provider, userAgent: user.userAgent)
        #expect(try await program.signIn.signIn(scopes: Self.scopes).account.issuer == instance.issuer)
    }

    @Test(
        "django-oauth-toolkit issues a code with PKCE and rejects a request without a challenge",
        arguments: [false, true]
    )
    func code(isPublic: Bool) async throws {
        let setup = try await Setup(isPublic ? \.publicClient : \.confidentialClient)
        let session = try await setup.session()
        #expect(Set(session.grantedScopes.granted) == Set(Self.scopes))
        #expect(session.idToken != nil)
        #expect(try await session.userInfo()["sub"]?.string == session.account.subject)

        let url = try #require(setup.user.browser.visited.first)
        #expect(url.contains("code_challenge_method=S256"))
        let bare = url.replacing(/&code_challenge=[^&]*/, with: "")
        #expect(try await setup.user.consent(bare).contains("error=invalid_request"))
    }

    @Test(
        "Rejects a denial without the announced iss and accepts it if no iss is announced",
        .covers(32)
    )
    func refusal() async throws {
        let setup = try await Setup(denies: true)
        await #expect { try await setup.session() } throws: { ProtocolViolationError.Rule.redirectIssuer ~= $0 }

        let changes = ["authorization_response_iss_parameter_supported": JSONNode.bool(false)]
        let lenient = try await Setup(denies: true, changes: changes)
        await #expect { try await lenient.session() } throws: { OAuthError.Code.accessDenied ~= $0 }
    }

    @Test("Rotates refresh tokens and ends the session after an old one is reused")
    func rotation() async throws {
        let setup = try await Setup()
        let session = try await setup.session()
        let first = try #require(session.refreshToken)
        let (access, idToken) = (try await session.accessToken(), try #require(session.idToken))
        #expect(try await session.refresh() != access)
        #expect(session.refreshToken != first)
        #expect(try #require(session.idToken) != idToken)
        #expect(try await setup.introspect(session).isActive)

        await setup.expectRejection(of: first)
        await #expect { try await session.refresh() } throws: { SessionEndedError.Code.refused ~= $0 }
    }

    @Test(
        "Ends the session if a refreshed ID token is from a later sign-in of the user",
        .covers(95)
    )
    func laterSignIn() async throws {
        let setup = try await Setup()
        let session = try await setup.session()
        let before = try Self.authenticationTime(of: session)
        // `auth_time` is in whole seconds.
        while try Self.authenticationTime(of: try await Setup().session()) == before {}
        await #expect { try await session.refresh() } throws: { SessionEndedError.Code.identityChanged ~= $0 }
        #expect(session.ended?.code == .identityChanged)
    }

    private static func authenticationTime(of session: OAuthSession) throws -> Double {
        let idToken = try #require(session.idToken)
        let claims = try idToken.withUnredacted { try JSONValue(parsing: CompactJWS(parsing: $0).payload) }
        return try #require(try claims["auth_time"]?.double())
    }

    @Test("Fails before opening the browser if DPoP or PAR is required but not supported", .covers(10, 105))
    func notOffered() async throws {
        let bound = try await Setup(dpop: .required)
        await #expect { try await bound.session() } throws: { ProtocolViolationError.Rule.dpopAlgorithm ~= $0 }
        #expect(bound.user.browser.visited.isEmpty)

        let pushed = try await Setup()
        var options = SignInOptions()
        options.pushesAuthorizationRequest = true
        await #expect {
            try await pushed.session(options)
        } throws: {
            ProtocolViolationError.Rule.missingMetadata ~= $0
        }
        #expect(pushed.user.browser.visited.isEmpty)
    }

    @Test("Signs in on another device without an ID token if the program identifies the user")
    func device() async throws {
        let setup = try await Setup(\.deviceClient)
        await #expect {
            try await setup.program.signIn.signInOnDevice(scopes: Self.scopes) { try await setup.user.approve($0) }
        } throws: {
            ProtocolViolationError.Rule.idTokenMissing ~= $0
        }

        let session = try await setup.program.signIn.signInOnDevice(scopes: ["files"], options: setup.identity) {
            // The first poll is sent before the user decides.
            let poll = TokenRequest.deviceCode($0.deviceCode)
            await #expect { try await setup.program.client.send(poll) } throws: {
                OAuthError.Code.authorizationPending ~= $0
            }
            try await setup.user.approve($0)
        }
        #expect(session.account.subject == "ada")
        #expect(session.grantedScopes.granted == ["files"])
        #expect(try await setup.introspect(session).clientID == "tessera-device")
        try await session.refresh()
        #expect(try await setup.introspect(session).isActive)
    }

    @Test(
        "Revoked tokens become inactive, also for a public client",
        arguments: [false, true]
    )
    func revocation(isPublic: Bool) async throws {
        let setup = try await Setup(isPublic ? \.publicClient : \.confidentialClient)
        let session = try await setup.session()
        let (access, refresh) = (try await session.accessToken().secret, try #require(session.refreshToken))
        #expect(try await setup.resourceServer.introspect(access).isActive)
        try await session.disconnect()
        #expect(try await !setup.resourceServer.introspect(access).isActive)
        await setup.expectRejection(of: refresh)
        #expect(try await setup.program.store.list().isEmpty)

        let other = try await setup.session()
        let token = try await other.accessToken().secret
        let endpoint = try setup.program.client.endpoint(\.revocationEndpoint, "revocation_endpoint")
        try await setup.program.client.send(RevocationRequest.accessToken(token, at: endpoint))
        #expect(try await !setup.resourceServer.introspect(token).isActive)
    }

    @Test("Introspects only access tokens, and only for confidential clients")
    func introspection() async throws {
        let setup = try await Setup()
        let session = try await setup.session()
        let introspection = try await setup.introspect(session)
        #expect(introspection.clientID == "tessera-public")
        #expect(introspection.username == "ada")
        #expect(Set(introspection.scopes) == Set(Self.scopes))
        #expect(try await !setup.resourceServer.introspect(try #require(session.refreshToken)).isActive)
        #expect(try await !setup.resourceServer.introspect(Secret("not-a-token")).isActive)
        await #expect(throws: HTTPStatusError(status: 403, endpoint: "introspection endpoint")) {
            try await setup.program.introspect(try await session.accessToken().secret)
        }
    }

    @Test("Registers a client at django-oauth-toolkit, updates it, and deletes it")
    func registration() async throws {
        let instance = try #require(DjangoOAuthToolkitInstance.shared)
        let setup = try await Setup()
        let server = setup.program.client
        // The response has no `client_secret_expires_at`.
        await #expect { try await Self.register(at: server) } throws: { ProtocolViolationError.Rule.registration ~= $0 }
        let registration = try await Self.register(at: server, requiresSecretExpiry: false)
        let registered = try await Setup(registration.client, at: instance)
        // The provider assigns no ID token algorithm, and a client cannot register one.
        await #expect(throws: HTTPStatusError(status: 500, endpoint: "token endpoint")) {
            try await registered.session()
        }
        let session = try await registered.program.signIn.signIn(scopes: ["files"], options: registered.identity)
        #expect(session.account.clientID == registration.clientID)
        #expect(session.account.subject == "ada")
        try await session.refresh()
        #expect(try await setup.introspect(session).clientID == registration.clientID)

        var changed = registration.metadata
        changed.clientName = "Settler"
        let settled = try await server.send(RegistrationRequest.update(registration, to: changed))
        #expect(settled.clientSecret == registration.clientSecret)
        #expect(try await server.send(RegistrationRequest.read(settled)).metadata.clientName == "Settler")

        // An update replaces the registration access token, and a deletion revokes it.
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

    @Test("Ends the session at django-oauth-toolkit and in the program")
    func endSession() async throws {
        let setup = try await Setup()
        let session = try await setup.session()
        let (access, refresh) = (try await session.accessToken().secret, try #require(session.refreshToken))
        #expect(try await setup.user.isSignedIn())
        try await setup.program.signIn.endSession(session)
        #expect(try await !setup.user.isSignedIn())
        #expect(try await !setup.resourceServer.introspect(access).isActive)
        await setup.expectRejection(of: refresh)
        #expect(try await setup.program.signIn.restore() == nil)
    }

    @Test("Reports the challenge for an unknown token")
    func unknownToken() async throws {
        let client = try await Setup().program.client
        let endpoint = try client.endpoint(\.userinfoEndpoint, "userinfo_endpoint")
        let error = await #expect(throws: BearerChallengeError.self) {
            try await client.send(UserInfoRequest(Secret("not-a-token"), at: endpoint, subject: nil))
        }
        #expect(error?.error == "invalid_token")
    }
}
