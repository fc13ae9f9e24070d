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
    "The protocol at Glewlwyd, a provider from elsewhere",
    .serialized,  // They share one instance, its person and what this person granted.
    .enabled(if: GlewlwydInstance.missing == nil, "\(GlewlwydInstance.missing ?? "")"),
    SharedGlewlwyd()
)
struct GlewlwydProtocolTests {
    private static let scopes: [Scope] = [.openID, .email, "files"]

    /// A program and its person at an instance.
    private struct Home {
        let person: GlewlwydPerson
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
            self.person = try GlewlwydPerson(at: instance)
            self.program = try await ProviderProgram(provider, userAgent: self.person.userAgent)
        }

        func session(_ options: SignInOptions = SignInOptions()) async throws -> OAuthSession {
            try await self.program.signIn.signIn(scopes: GlewlwydProtocolTests.scopes, options: options)
        }
    }

    @Test(
        "A person signs in by code and PKCE; the same request without its challenge is refused",
        arguments: [false, true]
    )
    func code(isPublic: Bool) async throws {
        let home = try await Home(isPublic ? \.publicClient : \.confidentialClient)
        let session = try await home.session()
        #expect(Set(session.grantedScopes) == Set(Self.scopes))
        #expect(try await session.userInfo()["email"]?.string == "ada@example.org")

        let shown = try #require(home.person.browser.visited.first)
        #expect(shown.contains("code_challenge_method=S256"))
        let bare = shown.replacing(/&code_challenge=[^&]*/, with: "")
        #expect(try await home.person.consent(bare).contains("error=invalid_request"))
    }

    @Test("A refresh token is used once; one that comes again ends the family, and not the stored session")
    func rotation() async throws {
        let home = try await Home()
        let session = try await home.session()
        let first = try #require(session.refreshToken)
        let access = try await session.accessToken()
        #expect(try await session.refresh() != access)
        let second = try #require(session.refreshToken)
        #expect(second != first)
        #expect(try await home.program.introspect(second).isActive)

        // It refuses with an empty answer, where RFC 6749 has invalid_grant: nobody knows then who said no.
        await #expect(throws: HTTPStatusError(status: 400, endpoint: "token endpoint")) {
            try await home.program.client.send(TokenRequest.refresh(first))
        }
        #expect(try await !home.program.introspect(second).isActive)
        await #expect(throws: HTTPStatusError(status: 400, endpoint: "token endpoint")) { try await session.refresh() }
        #expect(session.ended == nil)
    }

    @Test("A pushed request: the browser sees its reference and nothing else of it")
    func pushedRequest() async throws {
        let home = try await Home()
        var options = SignInOptions()
        options.pushesAuthorizationRequest = true
        let session = try await home.session(options)
        let shown = try #require(home.person.browser.visited.first)
        let query = try FormParameters(decoding: shown.drop { $0 != "?" }.dropFirst())
        #expect(Set(query.parameters.map(\.name)) == ["client_id", "request_uri"])
        #expect(query["request_uri"]?.hasPrefix("urn:ietf:params:oauth:request_uri:") == true)
        #expect(try await home.program.introspect(try await session.accessToken().secret).isActive)
    }

    @Test("A token that is bound to a key serves with its proofs and not without; refreshed, it stays bound")
    func dpop() async throws {
        try await Self.checkBinding(try await Home(dpop: .required))
    }

    @Test("A server that demands nonces is told them")
    func dpopNonces() async throws {
        try await GlewlwydInstance.with(redirectURI: WalkingUserAgent.redirectURI, demandsDPoPNonce: true) { instance in
            try await Self.checkBinding(try await Home(dpop: .required, at: instance))
        }
    }

    private static func checkBinding(_ home: Home) async throws {
        let session = try await home.session()
        let key = try #require(session.record.dpopKey)
        for _ in 0..<2 {
            let token = try await session.accessToken()
            #expect(token.type == .dpop)
            #expect(token.dpop?.key == key)
            let claims = try token.secret.withUnredacted { try JSONValue(parsing: CompactJWS(parsing: $0).payload) }
            #expect(claims["cnf"]?["jkt"]?.string == key.thumbprint)
            #expect(try await session.userInfo()["email"]?.string == "ada@example.org")

            let endpoint = try #require(home.program.client.metadata.userinfoEndpoint)
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
                try await home.program.client.send(stolen)
            }
            try await session.refresh()
        }
    }

    @Test("A client that proves itself by its key is refused with the issuer as audience, accepted with the endpoint")
    func privateKey() async throws {
        let refused = try await Home(\.keyClient)
        await #expect(throws: HTTPStatusError(status: 403, endpoint: "token endpoint")) { try await refused.session() }

        let instance = try #require(GlewlwydInstance.shared)
        var client = try instance.keyClient.oauthClient
        client.assertionAudience = .endpoint
        let home = try await Home(client, at: instance)
        var options = SignInOptions()
        options.pushesAuthorizationRequest = true
        let session = try await home.session(options)
        let first = try await session.accessToken().secret
        #expect(try await home.program.introspect(first).clientID == "tessera-key")
        // The record is what a later start of the program has of the client.
        let restored = try #require(try await home.program.signIn.restore())
        #expect(restored.record.provider.client.assertionAudience == .endpoint)
        let second = try await restored.refresh().secret
        #expect(second != first)
        #expect(try await home.program.introspect(second).isActive)
        let refresh = try #require(restored.refreshToken)
        try await restored.disconnect()
        #expect(try await !home.program.introspect(refresh).isActive)

        let device = try await home.program.signIn.signInOnDevice(scopes: Self.scopes) { authorization in
            try await home.person.approve(authorization, by: "tessera-key")
        }
        #expect(try await home.program.introspect(try await device.accessToken().secret).isActive)
    }

    @Test("A person says yes on another device")
    func device() async throws {
        let home = try await Home()
        let session = try await home.program.signIn.signInOnDevice(scopes: Self.scopes) { authorization in
            try await home.person.approve(authorization, by: "tessera-confidential")
        }
        #expect(try await home.program.introspect(try await session.accessToken().secret).isActive)
        #expect(try await session.userInfo()["sub"]?.string == session.account.subject)
    }

    @Test("Who asks too often on a device is told to slow down")
    func slowDown() async throws {
        let home = try await Home()
        let request = DeviceAuthorizationRequest(scopes: Self.scopes, insecure: .loopbackHTTP)
        let authorization = try await home.program.client.send(request)
        let question = TokenRequest.deviceCode(authorization.deviceCode)
        await #expect { try await home.program.client.send(question) } throws: {
            OAuthError.Code.authorizationPending ~= $0
        }
        await #expect { try await home.program.client.send(question) } throws: { OAuthError.Code.slowDown ~= $0 }
    }

    @Test("What was revoked is not active any more; a public client cannot revoke, and its session ends here alone")
    func revocation() async throws {
        let home = try await Home()
        let session = try await home.session()
        let (access, refresh) = (try await session.accessToken().secret, try #require(session.refreshToken))
        let endpoint = try home.program.client.endpoint(\.revocationEndpoint, "revocation_endpoint")
        #expect(try await home.program.introspect(access).isActive)
        try await home.program.client.send(RevocationRequest.accessToken(access, at: endpoint))
        #expect(try await !home.program.introspect(access).isActive)
        #expect(try await home.program.introspect(refresh).isActive)
        try await session.disconnect()
        #expect(try await !home.program.introspect(refresh).isActive)

        let other = try await Home(\.publicClient)
        let unrevoked = try await other.session()
        await #expect(throws: HTTPStatusError(status: 401, endpoint: "revocation endpoint")) {
            try await unrevoked.disconnect()
        }
        #expect(try await other.program.store.list().isEmpty)
    }

    @Test("The provider says whose a token is, and what for")
    func introspection() async throws {
        let home = try await Home()
        let session = try await home.session()
        let introspection = try await home.program.introspect(try await session.accessToken().secret)
        #expect(introspection.clientID == "tessera-confidential")
        #expect(introspection.username == "ada")
        #expect(introspection.subject == session.account.subject)
        #expect(Set(introspection.scopes) == Set(Self.scopes))
        #expect(try await !home.program.introspect(Secret("not-a-token")).isActive)
    }

    @Test("A program registers, signs a person in, changes its registration, and takes it away")
    func registration() async throws {
        let instance = try #require(GlewlwydInstance.shared)
        let home = try await Home()
        var metadata = ClientMetadata(
            clientName: "Newcomer",
            redirectURIs: [try RedirectURI(WalkingUserAgent.redirectURI)]
        )
        metadata.grantTypes = ["authorization_code", "refresh_token"]
        let registration = try await RegisteredClient.register(
            metadata,
            at: home.program.client.metadata,
            runtime: home.program.client.runtime
        )
        let newcomer = try await Home(registration.client, at: instance)
        let session = try await newcomer.session()
        #expect(session.account.clientID == registration.clientID)
        try await session.refresh()

        var changed = registration.metadata
        changed.clientName = "Settler"
        _ = try await home.program.client.send(RegistrationRequest.update(registration, to: changed))
        let read = try await home.program.client.send(RegistrationRequest.read(registration))
        #expect(read.metadata.clientName == "Settler")

        // It answers 200 in place of 204.
        try await home.program.client.send(RegistrationDeletion(registration))
        await #expect(throws: (any Error).self) {
            try await home.program.client.send(RegistrationRequest.read(registration))
        }
    }

    @Test("A person signs out here and there")
    func endSession() async throws {
        let home = try await Home()
        let session = try await home.session()
        let refresh = try #require(session.refreshToken)
        #expect(try await home.person.isSignedIn())
        try await home.program.signIn.endSession(session)
        #expect(try await !home.person.isSignedIn())
        #expect(try await !home.program.introspect(refresh).isActive)
        #expect(try await home.program.signIn.restore() == nil)
    }

    @Test("A token that the provider does not know is refused with a status alone")
    func unknownToken() async throws {
        let client = try await Home().program.client
        let endpoint = try client.endpoint(\.userinfoEndpoint, "userinfo_endpoint")
        await #expect(throws: HTTPStatusError(status: 401, endpoint: "userinfo endpoint")) {
            try await client.send(UserInfoRequest(Secret("not-a-token"), at: endpoint, subject: nil))
        }
    }
}
