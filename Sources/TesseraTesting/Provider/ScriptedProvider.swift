// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraSupport
public import Tessera
public import TesseraJOSE
public import TesseraOAuth

/// A provider and an API in memory, reached through a network without sockets: for tests of programs that sign in.
///
/// It answers discovery, keys, code exchange (PKCE, redirect URI and client are checked), refresh with rotation and
/// detection of reuse, revocation and user information at `https://id.example`, and every path of
/// `https://api.example` with `{}`, or 401 without a valid token. Anything can be answered otherwise:
/// intercept(_:_:). Time is the clock's.
///
/// ```swift
/// let world = try ScriptedProvider()
/// let signIn = SignIn(world.provider, runtime: world.runtime, store: InMemoryStore(), userAgent: world.userAgent())
/// let session = try await signIn.signIn(scopes: [.openID, .email])
/// world.clock.advance(by: .seconds(3_600))
/// ```
public final class ScriptedProvider: HTTPTransport {
    /// Answers a request in the provider's place; nil lets the provider answer.
    public typealias Script = @Sendable (_ request: RecordedRequest) async throws -> ScriptedAnswer?

    /// The issuer identifier.
    public static let issuer = "https://id.example"
    /// The origin of the API.
    public static let api = "https://api.example"
    /// The client.
    public static let clientID = "test-client"

    /// The time of provider and program.
    public let clock: TestClock
    /// What signs the ID tokens, by ES256.
    public let signingKey: JWSSigningKey
    /// The beginning of every secret that this provider gives out, and of the client's: to search outputs for.
    public let marker: String
    let state: Mutex<State>

    /// A provider.
    public init(options: Options = Options(), clock: TestClock = TestClock(), marker: String = "secret") throws {
        self.clock = clock
        self.signingKey = try JWSSigningKey.generate(.es256)
        self.marker = marker
        self.state = Mutex(State(options: options))
    }

    /// The provider as a program knows it: found by discovery, its tokens meant for its own origin and the API.
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

    /// A world with this network, this clock, and random bytes that repeat.
    public var runtime: OAuthRuntime { .testing(transport: self, clock: self.clock) }

    /// How it behaves from now on.
    public var options: Options {
        get { self.state.withLock { $0.options } }
        set { self.state.withLock { $0.options = newValue } }
    }

    /// Asks `script` first whenever a path is called, for example `/token`; the last script given for a path counts, nil
    /// takes it back.
    public func intercept(_ path: String, _ script: Script?) { self.state.withLock { $0.scripts[path] = script } }

    /// Every request so far, in the order of their arrival.
    public var requests: [RecordedRequest] { self.state.withLock { $0.requests } }

    /// The requests for a path.
    public func requests(_ path: String) -> [RecordedRequest] { self.requests.filter { $0.path == path } }

    /// The requests for new tokens with a refresh token.
    public var refreshes: [RecordedRequest] {
        self.requests("/token").filter { $0.formValue("grant_type") == "refresh_token" }
    }

    /// The requests so far, and forgets them: a long test looks at those of one round.
    public func takeRequests() -> [RecordedRequest] {
        self.state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    /// Makes every access token invalid, before its time.
    public func invalidateAccessTokens() { self.state.withLock { $0.accessTokens = [:] } }

    /// Takes every grant back, as a person does on the account's page.
    public func revokeEverything() {
        self.state.withLock { state in
            for index in state.consents.indices { state.consents[index].isRevoked = true }
        }
    }

    /// Records the request and answers it.
    ///
    /// - Throws: what a script throws, and `CancellationError`.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try Task.checkCancellation()
        let recorded = RecordedRequest(head: request, body: try await body?.collect(upTo: .max) ?? [])
        let script = self.state.withLock { state in
            state.requests.append(recorded)
            return state.scripts[recorded.path]
        }
        let answer =
            if let scripted = try await script?(recorded) { scripted } else { try self.answer(recorded) }
        try Task.checkCancellation()
        return (answer.head, answer.body)
    }
}

extension ScriptedProvider: CustomReflectable {
    /// A mirror without children, so that a dump of what uses this network can be searched for secrets.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
