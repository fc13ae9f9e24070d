// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Logging
public import TesseraJOSE
public import TesseraOAuth
internal import TesseraSupport

/// A source of access tokens for grants without user interaction.
///
/// Examples are client credentials, service accounts and token exchange. Tokens are cached in memory only, and a new
/// one is requested when the current one expires. A source is safe to use from any number of tasks at once, and
/// concurrent callers share one request. Create one source and reuse it.
public final class CredentialTokenSource: AccessTokenSource {
    /// A closure that creates a token request, called for each request because an assertion can be used only once.
    public typealias Request = @Sendable (_ client: RegisteredClient) async throws -> TokenRequest

    /// The origins that the tokens may be sent to.
    public let authorizedOrigins: [OriginPattern]
    private let connection: ProviderConnection
    private let request: Request
    private let cache: TokenCache<AccessToken>
    /// The key that the tokens are bound to, which is generated for the first token.
    private let dpopKey = Mutex<DPoPKey?>(nil)

    /// Creates a source that obtains tokens with a custom token request.
    ///
    /// - Parameters:
    ///   - provider: The provider. If it has no metadata, the metadata is fetched by discovery.
    ///   - runtime: The transport and the clocks.
    ///   - authorizedOrigins: The origins that the tokens may be sent to, or nil to use the provider's.
    ///   - logger: The logger for requests. Secrets are not logged.
    ///   - request: A closure that creates a token request.
    public init(
        _ provider: Provider,
        runtime: OAuthRuntime,
        authorizedOrigins: [OriginPattern]? = nil,
        logger: Logger = Logger(label: "tessera"),
        request: @escaping Request
    ) {
        self.connection = ProviderConnection(provider, runtime: runtime, logger: logger)
        self.cache = TokenCache(clock: TokenClock(runtime))
        self.authorizedOrigins = authorizedOrigins ?? provider.authorizedOrigins
        self.request = request
    }

    /// Returns a valid access token, requesting a new one first if necessary.
    ///
    /// Concurrent callers share one request.
    ///
    /// - Throws: `OAuthError`, `HTTPStatusError`, `TransportError`, `ProtocolViolationError`, `InvalidRequestError`,
    ///   `CancellationError`, or any error that the request closure throws. Errors are not cached.
    public func accessToken() async throws -> AccessToken {
        if let token = self.cache.fresh { return token }
        return try await self.cache.token(self.obtain)
    }

    /// Returns a replacement for a token that a server rejected, after at most one request.
    ///
    /// - Throws: Any error that ``accessToken()`` throws.
    public func replacement(forRejected token: AccessToken) async throws -> AccessToken {
        try await self.cache.replacement(forRejected: token, self.obtain)
    }

    private func obtain(_ reason: TokenCache<AccessToken>.Reason) async throws -> AccessToken {
        let time = RequestTime(self.connection.runtime)
        let key =
            if let key = self.dpopKey.withLock({ $0 }) { key } else { try await self.connection.newDPoPKey() }
        let client = try await self.connection.registeredClient(dpopKey: key)
        let response = try await client.send(try await self.request(client))
        guard response.tokenType != .notApplicable else {
            throw ProtocolViolationError(
                .tokenType,
                expected: "an access token",
                actual: response.tokenType.rawValue,
                section: "RFC 8693, section 2.2.1"
            )
        }
        let tokens = TokenSet(response, obtainedAt: time.date)
        let now = time.now(self.connection.runtime)
        let current = CurrentToken(tokens, dpopKey: key, self.connection, now: now, isRenewable: true)
        self.dpopKey.withLock { $0 = key }
        let isReplacement = if case .refused = reason { true } else { false }
        self.cache.publish(current, isReplacement: isReplacement)
        return current.token
    }
}

extension CredentialTokenSource: CustomStringConvertible, CustomReflectable {
    /// A description that names the provider's issuer but does not contain a token.
    public var description: String { "access tokens from \(self.connection.provider.issuer)" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

extension CredentialTokenSource {
    /// Creates a source that uses the client credentials grant.
    ///
    /// The tokens represent the client itself rather than a user.
    ///
    /// - Parameters:
    ///   - provider: The provider, with a client that can authenticate itself.
    ///   - scopes: The scopes to request. If empty, the provider chooses them.
    ///   - resources: The APIs that the tokens are for, if the provider supports RFC 8707.
    ///   - runtime: The transport and the clocks.
    ///   - authorizedOrigins: The origins that the tokens may be sent to, or nil to use the provider's.
    ///   - logger: The logger for requests. Secrets are not logged.
    /// - Returns: The source, which you should create once and reuse.
    /// - SeeAlso: [RFC 6749, section 4.4](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.4)
    public static func clientCredentials(
        _ provider: Provider,
        scopes: [Scope] = [],
        resources: [String] = [],
        runtime: OAuthRuntime,
        authorizedOrigins: [OriginPattern]? = nil,
        logger: Logger = Logger(label: "tessera")
    ) -> CredentialTokenSource {
        CredentialTokenSource(provider, runtime: runtime, authorizedOrigins: authorizedOrigins, logger: logger) { _ in
            var request = TokenRequest.clientCredentials(scopes: scopes)
            request.resources = resources
            return request
        }
    }

    /// Creates a source that uses the JWT bearer grant, for example for a service account.
    ///
    /// A new assertion is signed for each request.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - assertion: The claims of the assertion.
    ///   - key: The private key of the assertion's issuer.
    ///   - scopes: The scopes to request, if the provider does not read them from the assertion.
    ///   - identifiesClient: Whether the client also identifies and authenticates itself in the request.
    ///   - runtime: The transport and the clocks.
    ///   - authorizedOrigins: The origins that the tokens may be sent to, or nil to use the provider's.
    ///   - logger: The logger for requests. Secrets are not logged.
    /// - Returns: The source, which you should create once and reuse.
    /// - SeeAlso: [RFC 7523, section 2.1](https://www.rfc-editor.org/rfc/rfc7523.html#section-2.1)
    public static func jwtBearer(
        _ provider: Provider,
        assertion: TokenAssertion,
        signedBy key: JWSSigningKey,
        scopes: [Scope] = [],
        identifiesClient: Bool = false,
        runtime: OAuthRuntime,
        authorizedOrigins: [OriginPattern]? = nil,
        logger: Logger = Logger(label: "tessera")
    ) -> CredentialTokenSource {
        CredentialTokenSource(provider, runtime: runtime, authorizedOrigins: authorizedOrigins, logger: logger) {
            client in
            .jwtBearer(
                assertion: try assertion.signed(by: key, runtime: client.runtime),
                scopes: scopes,
                identifiesClient: identifiesClient
            )
        }
    }
}
