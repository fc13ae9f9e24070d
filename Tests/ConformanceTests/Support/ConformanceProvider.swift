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

/// A provider on loopback that a test bends in one place, and the library as its relying party: real HTTP goes between
/// them, and time is the clock's.
///
/// The files have the names of the modules of OpenID's conformance suite
/// (`src/main/java/net/openid/conformance/openid/client`). Some modules have no test:
///
/// - the implicit flow cannot be asked for at all, nor the hybrid one with an access token in the redirect;
/// - `userinfo-bearer-body`: a token goes nowhere but into the header;
/// - `discovery-webfinger-acct` and `-url`: a program knows its provider;
/// - `request-uri-…`, front-channel logout, session management and login that a third party begins: they are for sites
///   that serve pages;
/// - `aggregated-claims` and `distributed-claims`: such claims are given to the caller as they came.
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
        bending bend: (inout Behaviour) -> Void = { _ in }
    ) throws {
        var behaviour = Behaviour()
        bend(&behaviour)
        let clock = TestClock()
        let endpoints = try ProviderEndpoints(behaviour, authentication: authentication, clock: clock)
        let transport = TestTransport.make()
        self.clock = clock
        self.endpoints = endpoints
        self.server = try HostileServer.start { endpoints.answer($0) }
        let browser = LoopbackBrowser(transport: transport)
        self.userAgent = .delivering { [try await browser.open($0)] }
        let client = OAuthClient(
            clientID: Self.clientID,
            clientSecret: Secret(Self.clientSecret),
            assertionKey: try ProviderEndpoints.clientKey.get(),
            authentication: authentication,
            idTokenAlgorithms: [behaviour.algorithm]
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

    /// The provider's identifier.
    var issuer: String { self.server.baseURL }

    /// Signs the person in.
    @discardableResult
    func signIn(_ scopes: [Scope] = [.openID], _ options: SignInOptions = SignInOptions()) async throws -> OAuthSession
    {
        try await self.signIn.signIn(scopes: scopes, options: options)
    }

    /// What the provider says about itself.
    func metadata() async throws -> ServerMetadata {
        let request = MetadataRequest(
            .openIDConnect,
            of: try Issuer(self.issuer, insecure: .loopbackHTTP),
            insecure: .loopbackHTTP
        )
        let (response, body) = try await self.runtime.exchange(request.message())
        return try request.metadata(status: Int(response.status.code), body: body)
    }

    /// A new signing key takes the place of the old one.
    func rotateKey() { self.endpoints.rotateKey() }

    /// Expects that a sign-in is refused for this rule however the answer comes, and that no session comes of it.
    func expectRefusal(_ rule: ProtocolViolationError.Rule, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        for variant in Variant.allCases {
            let words: Comment = "\(variant.rawValue)"
            let error = await #expect(throws: ProtocolViolationError.self, words, sourceLocation: sourceLocation) {
                try await self.signIn([.openID], variant.options)
            }
            #expect(error?.rule == rule, words, sourceLocation: sourceLocation)
        }
        #expect(try await self.store.list().isEmpty, sourceLocation: sourceLocation)
        #expect(self.server.requests(to: "/userinfo").isEmpty, sourceLocation: sourceLocation)
    }

    /// Expects that the ID token of a refresh ends the session, and that its access token is not used.
    func expectRefreshRefusal(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let session = try await self.signIn()
        self.clock.advance(by: .seconds(3_600))
        await #expect(throws: SessionEndedError(.identityChanged), sourceLocation: sourceLocation) {
            try await session.userInfo()
        }
        #expect(self.server.requests(to: "/userinfo").isEmpty, sourceLocation: sourceLocation)
    }
}
