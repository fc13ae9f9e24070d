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
/// - `fapi2-…-grant-management-…`: Tessera does not support grant management.
///
/// The suite itself cannot be run offline.
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
    /// The issuer identifier of the provider.
    let issuer: String

    /// Starts a provider, and a relying party that knows only its issuer identifier.
    convenience init(
        authentication: ClientAuthentication = .clientSecretBasic,
        changing change: (inout Behavior) -> Void = { _ in }
    ) throws {
        var behavior = Behavior()
        change(&behavior)
        let clock = TestClock()
        let endpoints = try ProviderEndpoints(behavior, authentication: authentication, clock: clock)
        let server = try HostileServer.start { endpoints.response($0) }
        let client = OAuthClient(
            clientID: Self.clientID,
            clientSecret: Secret(Self.clientSecret),
            assertionKey: try ProviderEndpoints.clientKey.get(),
            authentication: authentication,
            idTokenAlgorithms: [behavior.algorithm]
        )
        self.init(
            endpoints,
            server,
            try .issuer(server.baseURL, client: client, insecure: .loopbackHTTP),
            transport: TestTransport.make(),
            clock: clock
        )
    }

    /// Starts a provider behind a gateway, and a relying party that enforces the FAPI 2.0 Security Profile.
    convenience init(_ variant: FAPIVariant, changing change: (inout Behavior) -> Void = { _ in }) throws {
        var behavior = Behavior()
        behavior.algorithm = .es256
        change(&behavior)
        let clock = TestClock()
        let endpoints = try ProviderEndpoints(
            behavior,
            authentication: variant.authentication,
            variant: variant,
            clock: clock
        )
        let server = try HostileServer.start { endpoints.response($0) }
        var provider = try Provider.issuer(ProviderEndpoints.fapiIssuer, client: try variant.client())
        if variant.usesDPoP { provider.dpop = .required }
        self.init(
            endpoints,
            server,
            provider,
            transport: GatewayTransport(
                TestTransport.make(),
                to: server,
                presentsCertificate: variant.usesCertificate
            ),
            clock: clock
        )
    }

    private init(
        _ endpoints: ProviderEndpoints,
        _ server: HostileServer,
        _ provider: Provider,
        transport: any HTTPTransport,
        clock: TestClock
    ) {
        self.clock = clock
        self.endpoints = endpoints
        self.server = server
        self.issuer = provider.issuer.url
        let browser = LoopbackBrowser(transport: transport)
        self.userAgent = .delivering { [try await browser.open($0)] }
        var runtime = OAuthRuntime.testing(transport: transport, clock: clock)
        runtime.decrypt = endpoints.behavior.decrypt
        self.runtime = runtime
        self.signIn = SignIn(provider, runtime: runtime, store: self.store, userAgent: self.userAgent)
    }

    deinit { self.server.stop() }

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
            try await self.expectRefusal(rule, of: variant.options, "\(variant.rawValue)", sourceLocation)
        }
    }

    /// Expects a FAPI 2.0 sign-in to be rejected because of this rule, without a saved session.
    func expectFAPIRefusal(
        _ rule: ProtocolViolationError.Rule,
        responseMode: ResponseMode? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var options = SignInOptions()
        options.responseMode = responseMode
        try await self.expectRefusal(rule, of: options, nil, sourceLocation)
    }

    private func expectRefusal(
        _ rule: ProtocolViolationError.Rule,
        of options: SignInOptions,
        _ comment: Comment?,
        _ sourceLocation: SourceLocation
    ) async throws {
        let error = await #expect(throws: ProtocolViolationError.self, comment, sourceLocation: sourceLocation) {
            try await self.signIn([.openID], options)
        }
        #expect(error?.rule == rule, comment, sourceLocation: sourceLocation)
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
