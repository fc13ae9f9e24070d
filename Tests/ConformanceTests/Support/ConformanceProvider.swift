// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TestTransport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// A provider on loopback whose behavior a test can change, with Tessera as its relying party.
///
/// They communicate over HTTP, and the time is that of a test clock.
///
/// The files have the names of the modules of OpenID's conformance suite
/// (`src/main/java/net/openid/conformance/openid/client`). These modules have no test:
///
/// - The implicit flow, and the hybrid flow with an access token in the redirect: Tessera does not support them.
/// - `userinfo-bearer-body`: Tessera sends tokens only in the header.
/// - `discovery-webfinger-acct` and `-url`: A program knows its provider.
/// - `request-uri-…`, front-channel logout, session management and third-party-initiated login: They apply only to
///   sites that serve pages.
/// - `aggregated-claims` and `distributed-claims`: Tessera passes such claims to the caller unchanged.
final class ConformanceProvider: Sendable {
    static let clientID = "conformance"
    static let clientSecret = "a secret: 100 % + é"

    let clock: TestClock
    let server: HostileServer
    let store = InMemoryStore()
    let runtime: OAuthRuntime
    let signIn: SignIn
    let userAgent: ScriptedUserAgent
    let endpoints: ProviderEndpoints

    /// Starts a provider, and a relying party that knows only its issuer identifier.
    init(
        authentication: ClientAuthentication = .clientSecretBasic,
        changing change: (inout Behavior) -> Void = { _ in }
    ) throws {
        var behavior = Behavior()
        change(&behavior)
        let clock = TestClock()
        let endpoints = try ProviderEndpoints(behavior, authentication: authentication, clock: clock)
        let transport = TestTransport.make()
        self.clock = clock
        self.endpoints = endpoints
        self.server = try HostileServer.start { endpoints.response($0) }
        let browser = LoopbackBrowser(transport: transport)
        self.userAgent = .delivering { [try await browser.open($0)] }
        let client = OAuthClient(
            clientID: Self.clientID,
            clientSecret: Secret(Self.clientSecret),
            assertionKey: try ProviderEndpoints.clientKey.get(),
            authentication: authentication,
            idTokenAlgorithms: [behavior.algorithm]
        )
        self.runtime = .testing(transport: transport, clock: clock)
        self.signIn = SignIn(
            try .issuer(self.server.baseURL, client: client, insecure: .loopbackHTTP),
            runtime: self.runtime,
            store: self.store,
            userAgent: self.userAgent
        )
    }

    deinit { self.server.stop() }

    /// The issuer identifier of the provider.
    var issuer: String { self.server.baseURL }

    /// Signs the user in.
    @discardableResult
    func signIn(_ scopes: [Scope] = [.openID], _ options: SignInOptions = SignInOptions()) async throws -> OAuthSession
    {
        try await self.signIn.signIn(scopes: scopes, options: options)
    }

    /// Fetches the metadata of the provider.
    func metadata() async throws -> ServerMetadata {
        let request = MetadataRequest(
            .openIDConnect,
            of: try Issuer(self.issuer, insecure: .loopbackHTTP),
            insecure: .loopbackHTTP
        )
        let (response, body) = try await self.runtime.exchange(request.message())
        return try request.metadata(status: Int(response.status.code), body: body)
    }

    /// Replaces the signing key.
    func rotateKey() { self.endpoints.rotateKey() }

    /// Expects every variant of a sign-in to be rejected because of this rule, without a saved session.
    func expectRefusal(_ rule: ProtocolViolationError.Rule, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        for variant in Variant.allCases {
            let comment: Comment = "\(variant.rawValue)"
            let error = await #expect(throws: ProtocolViolationError.self, comment, sourceLocation: sourceLocation) {
                try await self.signIn([.openID], variant.options)
            }
            #expect(error?.rule == rule, comment, sourceLocation: sourceLocation)
        }
        #expect(try await self.store.list().isEmpty, sourceLocation: sourceLocation)
        #expect(self.server.requests(to: "/userinfo").isEmpty, sourceLocation: sourceLocation)
    }

    /// Expects the ID token of a refresh to end the session before the new access token is used.
    func expectRefreshRefusal(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let session = try await self.signIn()
        self.clock.advance(by: .seconds(3_600))
        await #expect(throws: SessionEndedError(.identityChanged), sourceLocation: sourceLocation) {
            try await session.userInfo()
        }
        #expect(self.server.requests(to: "/userinfo").isEmpty, sourceLocation: sourceLocation)
    }
}
