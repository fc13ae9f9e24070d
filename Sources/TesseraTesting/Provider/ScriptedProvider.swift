// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraSupport
public import Tessera
public import TesseraJOSE
public import TesseraOAuth

/// An in-memory provider and API that stands in for the network in sign-in tests.
///
/// The provider supports discovery, keys, code exchange, refresh, revocation and user information at
/// `https://id.example`. The code exchange checks PKCE, the redirect URI and the client. A refresh rotates the refresh
/// token and detects its reuse. All paths at `https://api.example` return `{}`, or 401 without a valid token. Use
/// ``intercept(_:_:)`` to replace any response. The provider takes the time from ``clock``.
///
/// ```swift
/// let provider = try ScriptedProvider()
/// let signIn = SignIn(
///     try provider.provider,
///     runtime: provider.runtime,
///     store: InMemoryStore(),
///     userAgent: provider.userAgent()
/// )
/// let session = try await signIn.signIn(scopes: [.openID, .email])
/// provider.clock.advance(by: .seconds(3_600))
/// ```
public final class ScriptedProvider: HTTPTransport {
    /// A function that returns a custom response, or `nil` for the provider's default response.
    public typealias Script = @Sendable (_ request: RecordedRequest) async throws -> ScriptedResponse?

    /// The provider's issuer identifier.
    public static let issuer = "https://id.example"
    /// The API's origin.
    public static let api = "https://api.example"
    /// The registered client's ID.
    public static let clientID = "test-client"

    /// The clock that the provider and ``runtime`` use.
    public let clock: TestClock
    /// The ES256 key that signs ID tokens.
    public let signingKey: JWSSigningKey
    /// The prefix of the client secret and of all issued tokens and codes, which lets you search output for secrets.
    public let marker: String
    let state: Mutex<State>

    /// Creates a provider with a new signing key.
    public init(options: Options = Options(), clock: TestClock = TestClock(), marker: String = "secret") throws {
        self.clock = clock
        self.signingKey = try JWSSigningKey.generate(.es256)
        self.marker = marker
        self.state = Mutex(State(options: options))
    }

    /// The provider configuration for a sign-in.
    ///
    /// The metadata is discovered. Access tokens may be sent to the origins of the provider and the API.
    public var provider: Provider {
        get throws {
            Provider(
                name: "Example",
                issuer: try Issuer(Self.issuer),
                client: OAuthClient(
                    clientID: Self.clientID,
                    clientSecret: Secret(self.clientSecret),
                    idTokenAlgorithms: [.es256]
                ),
                authorizedOrigins: [try OriginPattern(Self.issuer), try OriginPattern(Self.api)]
            )
        }
    }

    var clientSecret: String { "\(self.marker)-client" }

    /// A runtime that uses this network, this clock and deterministic random bytes.
    public var runtime: OAuthRuntime { .testing(transport: self, clock: self.clock) }

    /// The provider's behavior.
    ///
    /// Changes apply to subsequent requests.
    public var options: Options {
        get { self.state.withLock { $0.options } }
        set { self.state.withLock { $0.options = newValue } }
    }

    /// Replaces the response for a path, for example `/token`.
    ///
    /// A later script for the same path replaces the earlier one. Pass `nil` to restore the default response.
    public func intercept(_ path: String, _ script: Script?) { self.state.withLock { $0.scripts[path] = script } }

    /// All requests so far, in order of arrival.
    public var requests: [RecordedRequest] { self.state.withLock { $0.requests } }

    /// Returns the requests to a path.
    public func requests(_ path: String) -> [RecordedRequest] { self.requests.filter { $0.path == path } }

    /// The refresh requests that the token endpoint has received.
    public var refreshes: [RecordedRequest] {
        self.requests("/token").filter { $0.formValue("grant_type") == "refresh_token" }
    }

    /// Returns the requests so far and removes them from ``requests``.
    public func takeRequests() -> [RecordedRequest] {
        self.state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    /// Invalidates all access tokens before they expire.
    public func invalidateAccessTokens() { self.state.withLock { $0.accessTokens = [:] } }

    /// Revokes all grants, as a user can on the provider's account page.
    public func revokeEverything() {
        self.state.withLock { state in
            for index in state.consents.indices { state.consents[index].isRevoked = true }
        }
    }

    /// Records a request and returns its response.
    ///
    /// - Throws: Any error that a script throws, or `CancellationError`.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try Task.checkCancellation()
        let recorded = RecordedRequest(head: request, body: try await body?.collect(upTo: .max) ?? [])
        let script = self.state.withLock { state in
            state.requests.append(recorded)
            return state.scripts[recorded.path]
        }
        let response =
            if let scripted = try await script?(recorded) { scripted } else { try self.response(recorded) }
        try Task.checkCancellation()
        return (response.head, response.body)
    }
}

extension ScriptedProvider: CustomReflectable {
    /// A mirror without children, so that a dump of an object that uses this network does not reveal its secrets.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
