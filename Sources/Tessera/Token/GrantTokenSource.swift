// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Logging
public import TesseraJOSE
public import TesseraOAuth
internal import TesseraSupport

/// Access tokens by a grant without a person: a program's own, a service account's, an exchanged one.
///
/// Tokens are kept in memory only and obtained anew when they end. Any number of tasks may call at once: there is one
/// request for all of them. Make one and keep it.
public final class GrantTokenSource: AccessTokenSource {
    /// Makes the request for a token; called for each, since an assertion is good once.
    public typealias Request = @Sendable (_ client: RegisteredClient) async throws -> TokenRequest

    /// Where the tokens may be sent.
    public let authorizedOrigins: [OriginPattern]
    private let connection: ProviderConnection
    private let request: Request
    private let cache: TokenCache<AccessToken>
    /// The key that the tokens are bound to, made for the first of them.
    private let dpopKey = Mutex<DPoPKey?>(nil)

    /// A source of tokens that any grant brings.
    ///
    /// - Parameters:
    ///   - provider: whose tokens; its metadata is found by discovery where it has none.
    ///   - runtime: the network and the clocks.
    ///   - authorizedOrigins: where the tokens may be sent; nil takes the provider's.
    ///   - logger: what requests are noted in, without secrets.
    ///   - request: makes the request for a token.
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

    /// A token that is valid now: at once while it is fresh; after one request, shared by all callers, when it is not.
    ///
    /// - Throws: `OAuthError`, `HTTPStatusError`, `TransportError`, `ProtocolViolationError`, `InvalidRequestError`; what
    ///   the maker of requests throws; `CancellationError`. Nothing of a failure is remembered.
    public func accessToken() async throws -> AccessToken {
        if let token = self.cache.fresh { return token }
        return try await self.cache.token(self.obtain)
    }

    /// Another token in place of one that was refused, at the cost of one request at most.
    ///
    /// - Throws: as ``accessToken()``.
    public func refused(_ token: AccessToken) async throws -> AccessToken {
        try await self.cache.refused(token, self.obtain)
    }

    private func obtain(_ reason: TokenCache<AccessToken>.Reason) async throws -> AccessToken {
        let obtainedAt = self.connection.runtime.now()
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
        let tokens = TokenSet(response, obtainedAt: obtainedAt)
        let current = CurrentToken(tokens, dpopKey: key, self.connection, isRenewable: true)
        self.dpopKey.withLock { $0 = key }
        let isReplacement = if case .refused = reason { true } else { false }
        self.cache.publish(current, isReplacement: isReplacement)
        return current.token
    }
}

extension GrantTokenSource: CustomStringConvertible, CustomReflectable {
    /// Names the provider, and no token.
    public var description: String { "access tokens of \(self.connection.provider.issuer)" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

extension GrantTokenSource {
    /// Tokens for the program itself, by its own credentials.
    ///
    /// - Parameters:
    ///   - provider: the provider, with a client that can prove who it is.
    ///   - scopes: what is asked for; empty leaves it to the provider.
    ///   - resources: the APIs that the tokens are wanted for, at providers that know RFC 8707.
    ///   - runtime: the network and the clocks.
    ///   - authorizedOrigins: where the tokens may be sent; nil takes the provider's.
    ///   - logger: what requests are noted in, without secrets.
    /// - Returns: the source; make one and keep it.
    /// - SeeAlso: [RFC 6749, section 4.4](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.4)
    public static func clientCredentials(
        _ provider: Provider,
        scopes: [Scope] = [],
        resources: [String] = [],
        runtime: OAuthRuntime,
        authorizedOrigins: [OriginPattern]? = nil,
        logger: Logger = Logger(label: "tessera")
    ) -> GrantTokenSource {
        GrantTokenSource(provider, runtime: runtime, authorizedOrigins: authorizedOrigins, logger: logger) { _ in
            var request = TokenRequest.clientCredentials(scopes: scopes)
            request.resources = resources
            return request
        }
    }

    /// Tokens by an assertion that is signed anew for each: a service account's.
    ///
    /// - Parameters:
    ///   - provider: the provider.
    ///   - assertion: what is stated.
    ///   - key: the private key of the assertion's issuer.
    ///   - scopes: what is asked for, where the provider does not read it in the assertion.
    ///   - identifiesClient: whether the provider's client names and proves itself beside the assertion.
    ///   - runtime: the network and the clocks.
    ///   - authorizedOrigins: where the tokens may be sent; nil takes the provider's.
    ///   - logger: what requests are noted in, without secrets.
    /// - Returns: the source; make one and keep it.
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
    ) -> GrantTokenSource {
        GrantTokenSource(provider, runtime: runtime, authorizedOrigins: authorizedOrigins, logger: logger) { client in
            .jwtBearer(
                assertion: try assertion.signed(by: key, runtime: client.runtime),
                scopes: scopes,
                identifiesClient: identifiesClient
            )
        }
    }
}
