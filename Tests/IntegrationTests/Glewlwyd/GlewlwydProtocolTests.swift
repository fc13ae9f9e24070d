// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

@Suite(
    "Protocol tests with Glewlwyd",
    .serialized,  // The tests share one instance, its user and the user's grants.
    .enabled(if: GlewlwydInstance.missing == nil, "\(GlewlwydInstance.missing ?? "")"),
    SharedGlewlwyd()
)
struct GlewlwydProtocolTests {
    private static let scopes: [Scope] = [.openID, .email, "files"]

    /// A client program and a user of an instance.
    private struct Setup {
        let user: GlewlwydUser
        let program: ProviderProgram

        init(
            _ client: KeyPath<GlewlwydInstance, ProviderClient> = \.confidentialClient,
            dpop: DPoPPolicy = .never,
            at instance: GlewlwydInstance? = GlewlwydInstance.shared
        ) async throws {
            let instance = try #require(instance)
            try await self.init(instance[keyPath: client].oauthClient, dpop: dpop, at: instance)
        }

        init(_ client: OAuthClient, dpop: DPoPPolicy = .never, at instance: GlewlwydInstance) async throws {
            var provider = try Provider.issuer(instance.issuer, client: client, insecure: .loopbackHTTP)
            provider.dpop = dpop
            self.user = try GlewlwydUser(at: instance)
            self.program = try await ProviderProgram(provider, userAgent: self.user.userAgent)
        }

        func session(_ options: SignInOptions = SignInOptions()) async throws -> OAuthSession {
            try await self.program.signIn.signIn(scopes: GlewlwydProtocolTests.scopes, options: options)
        }
    }

    @Test(
        "Glewlwyd issues a code with PKCE and rejects a request without a challenge",
        arguments: [false, true]
    )
    func code(isPublic: Bool) async throws {
        let setup = try await Setup(isPublic ? \.publicClient : \.confidentialClient)
        let session = try await setup.session()
        #expect(Set(session.grantedScopes.granted) == Set(Self.scopes))
        #expect(try await session.userInfo()["email"]?.string == "ada@example.org")

        let url = try #require(setup.user.browser.visited.first)
        #expect(url.contains("code_challenge_method=S256"))
        let bare = url.replacing(/&code_challenge=[^&]*/, with: "")
        #expect(try await setup.user.consent(bare).contains("error=invalid_request"))
    }

    @Test("Reusing a refresh token revokes its family but does not end the stored session")
    func rotation() async throws {
        let setup = try await Setup()
        let session = try await setup.session()
        let first = try #require(session.refreshToken)
        let access = try await session.accessToken()
        #expect(try await session.refresh() != access)
        let second = try #require(session.refreshToken)
        #expect(second != first)
        #expect(try await setup.program.introspect(second).isActive)

        // Glewlwyd sends an empty response instead of `invalid_grant` (RFC 6749), so the reason is unknown.
        await #expect(throws: HTTPStatusError(status: 400, endpoint: "token endpoint")) {
            try await setup.program.client.send(TokenRequest.refresh(first))
        }
        #expect(try await !setup.program.introspect(second).isActive)
        await #expect(throws: HTTPStatusError(status: 400, endpoint: "token endpoint")) { try await session.refresh() }
        #expect(session.ended == nil)
    }

    @Test("Sends only the reference of a pushed request through the browser")
    func pushedRequest() async throws {
        let setup = try await Setup()
        var options = SignInOptions()
        options.pushesAuthorizationRequest = true
        let session = try await setup.session(options)
        let url = try #require(setup.user.browser.visited.first)
        let query = try FormParameters(decoding: url.drop { $0 != "?" }.dropFirst())
        #expect(Set(query.parameters.map(\.name)) == ["client_id", "request_uri"])
        #expect(query["request_uri"]?.hasPrefix("urn:ietf:params:oauth:request_uri:") == true)
        #expect(try await setup.program.introspect(try await session.accessToken().secret).isActive)
    }

    @Test("A DPoP-bound token works only with proofs and stays bound after a refresh")
    func dpop() async throws {
        try await Self.checkBinding(try await Setup(dpop: .required))
    }

    @Test("Sends the DPoP nonces that a server demands")
    func dpopNonces() async throws {
        try await GlewlwydInstance.with(redirectURI: WalkingUserAgent.redirectURI, demandsDPoPNonce: true) { instance in
            try await Self.checkBinding(try await Setup(dpop: .required, at: instance))
        }
    }

    private static func checkBinding(_ setup: Setup) async throws {
        let session = try await setup.session()
        let key = try #require(session.record.dpopKey)
        for _ in 0..<2 {
            let token = try await session.accessToken()
            #expect(token.type == .dpop)
            #expect(token.dpop?.key == key)
            let claims = try token.secret.withUnredacted { try JSONValue(parsing: CompactJWS(parsing: $0).payload) }
            #expect(claims["cnf"]?["jkt"]?.string == key.thumbprint)
            #expect(try await session.userInfo()["email"]?.string == "ada@example.org")

            let endpoint = try #require(setup.program.client.metadata.userinfoEndpoint)
            let parts = try #require(URIParts(endpoint.url))
            let request = HTTPRequest(
                method: .get,
                scheme: parts.scheme,
                authority: parts.authority,
                path: parts.requestTarget
            )
            let fetcher = AuthorizedFetcher(session, transport: ProviderProgram.transport)
            let data = try await fetcher.data(for: request)
            #expect(try JSONValue(parsing: data)["sub"]?.string == session.account.subject)

            let stolen = UserInfoRequest(token.secret, at: endpoint, subject: nil)
            await #expect(throws: HTTPStatusError(status: 401, endpoint: "userinfo endpoint")) {
                try await setup.program.client.send(stolen)
            }
            try await session.refresh()
        }
    }

    @Test("Glewlwyd accepts a client assertion only with the endpoint as its audience")
    func privateKey() async throws {
        let refused = try await Setup(\.keyClient)
        await #expect(throws: HTTPStatusError(status: 403, endpoint: "token endpoint")) { try await refused.session() }

        let instance = try #require(GlewlwydInstance.shared)
        var client = try instance.keyClient.oauthClient
        client.assertionAudience = .endpoint
        let setup = try await Setup(client, at: instance)
        var options = SignInOptions()
        options.pushesAuthorizationRequest = true
        let session = try await setup.session(options)
        let first = try await session.accessToken().secret
        #expect(try await setup.program.introspect(first).clientID == "tessera-key")
        // A later run of the program has only the record.
        let restored = try #require(try await setup.program.signIn.restore())
        #expect(restored.record.provider.client.assertionAudience == .endpoint)
        let second = try await restored.refresh().secret
        #expect(second != first)
        #expect(try await setup.program.introspect(second).isActive)
        let refresh = try #require(restored.refreshToken)
        try await restored.disconnect()
        #expect(try await !setup.program.introspect(refresh).isActive)

        let device = try await setup.program.signIn.signInOnDevice(scopes: Self.scopes) { authorization in
            try await setup.user.approve(authorization, by: "tessera-key")
        }
        #expect(try await setup.program.introspect(try await device.accessToken().secret).isActive)
    }

    @Test("Signs in on another device at Glewlwyd")
    func device() async throws {
        let setup = try await Setup()
        let session = try await setup.program.signIn.signInOnDevice(scopes: Self.scopes) { authorization in
            try await setup.user.approve(authorization, by: "tessera-confidential")
        }
        #expect(try await setup.program.introspect(try await session.accessToken().secret).isActive)
        #expect(try await session.userInfo()["sub"]?.string == session.account.subject)
    }

    @Test("Reports slow_down if a device polls too often")
    func slowDown() async throws {
        let setup = try await Setup()
        let request = DeviceAuthorizationRequest(scopes: Self.scopes, insecure: .loopbackHTTP)
        let authorization = try await setup.program.client.send(request)
        let poll = TokenRequest.deviceCode(authorization.deviceCode)
        await #expect { try await setup.program.client.send(poll) } throws: {
            OAuthError.Code.authorizationPending ~= $0
        }
        await #expect { try await setup.program.client.send(poll) } throws: { OAuthError.Code.slowDown ~= $0 }
    }

    @Test("Revoked tokens become inactive, and a failed revocation still removes the session")
    func revocation() async throws {
        let setup = try await Setup()
        let session = try await setup.session()
        let (access, refresh) = (try await session.accessToken().secret, try #require(session.refreshToken))
        let endpoint = try setup.program.client.endpoint(\.revocationEndpoint, "revocation_endpoint")
        #expect(try await setup.program.introspect(access).isActive)
        try await setup.program.client.send(RevocationRequest.accessToken(access, at: endpoint))
        #expect(try await !setup.program.introspect(access).isActive)
        #expect(try await setup.program.introspect(refresh).isActive)
        try await session.disconnect()
        #expect(try await !setup.program.introspect(refresh).isActive)

        let other = try await Setup(\.publicClient)
        let unrevoked = try await other.session()
        await #expect(throws: HTTPStatusError(status: 401, endpoint: "revocation endpoint")) {
            try await unrevoked.disconnect()
        }
        #expect(try await other.program.store.list().isEmpty)
    }

    @Test("Introspection returns the client, user, subject and scopes of a token")
    func introspection() async throws {
        let setup = try await Setup()
        let session = try await setup.session()
        let introspection = try await setup.program.introspect(try await session.accessToken().secret)
        #expect(introspection.clientID == "tessera-confidential")
        #expect(introspection.username == "ada")
        #expect(introspection.subject == session.account.subject)
        #expect(Set(introspection.scopes) == Set(Self.scopes))
        #expect(try await !setup.program.introspect(Secret("not-a-token")).isActive)
    }

    @Test("Registers a client at Glewlwyd, updates it, and deletes it")
    func registration() async throws {
        let instance = try #require(GlewlwydInstance.shared)
        let setup = try await Setup()
        var metadata = ClientMetadata(
            clientName: "Newcomer",
            redirectURIs: [try RedirectURI(WalkingUserAgent.redirectURI)]
        )
        metadata.grantTypes = ["authorization_code", "refresh_token"]
        let registration = try await RegisteredClient.register(
            metadata,
            at: setup.program.client.metadata,
            runtime: setup.program.client.runtime
        )
        let registered = try await Setup(registration.client, at: instance)
        let session = try await registered.session()
        #expect(session.account.clientID == registration.clientID)
        try await session.refresh()

        var changed = registration.metadata
        changed.clientName = "Settler"
        _ = try await setup.program.client.send(RegistrationRequest.update(registration, to: changed))
        let read = try await setup.program.client.send(RegistrationRequest.read(registration))
        #expect(read.metadata.clientName == "Settler")

        // Glewlwyd responds with 200 instead of 204.
        try await setup.program.client.send(RegistrationDeletion(registration))
        await #expect(throws: (any Error).self) {
            try await setup.program.client.send(RegistrationRequest.read(registration))
        }
    }

    @Test("Ends the session at Glewlwyd and in the program")
    func endSession() async throws {
        let setup = try await Setup()
        let session = try await setup.session()
        let refresh = try #require(session.refreshToken)
        #expect(try await setup.user.isSignedIn())
        try await setup.program.signIn.endSession(session)
        #expect(try await !setup.user.isSignedIn())
        #expect(try await !setup.program.introspect(refresh).isActive)
        #expect(try await setup.program.signIn.restore() == nil)
    }

    @Test("Reports the status for an unknown token without a challenge")
    func unknownToken() async throws {
        let client = try await Setup().program.client
        let endpoint = try client.endpoint(\.userinfoEndpoint, "userinfo_endpoint")
        await #expect(throws: HTTPStatusError(status: 401, endpoint: "userinfo endpoint")) {
            try await client.send(UserInfoRequest(Secret("not-a-token"), at: endpoint, subject: nil))
        }
    }
}
