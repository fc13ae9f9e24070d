// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A kind of exchange with a server, for use in spans, metrics and logs.
///
/// It identifies the kind of request and the authorization server, but never a user or a token.
///
/// - SeeAlso: [RFC 6749, section 3](https://www.rfc-editor.org/rfc/rfc6749.html#section-3)
public struct OAuthExchange: Sendable, Hashable {
    /// The name of this kind of exchange, in lowercase with underscores, for use in metric names.
    public let name: String
    /// The `grant_type` of a token request, or nil for other requests.
    public let grantType: String?
    /// The authorization server, or nil for requests for keys or a resource's metadata.
    public internal(set) var issuer: Issuer?

    /// Creates a custom kind of exchange.
    ///
    /// Use only a few distinct names, because they become metric names.
    public init(_ name: String, grantType: String? = nil, issuer: Issuer? = nil) {
        self.name = name
        self.grantType = grantType
        self.issuer = issuer
    }

    /// Returns the kind of exchange for a token request with the given grant type.
    public static func token(grantType: String) -> Self { Self("token", grantType: grantType) }
    /// A request for a device code (RFC 8628).
    public static let deviceAuthorization = Self("device_authorization")
    /// A request to authenticate a user on another device (CIBA).
    public static let backchannelAuthentication = Self("backchannel_authentication")
    /// A request that sends an authorization request's parameters in advance (RFC 9126).
    public static let pushedAuthorizationRequest = Self("pushed_authorization_request")
    /// A request to revoke a token (RFC 7009).
    public static let revocation = Self("revocation")
    /// A request for a token's state (RFC 7662).
    public static let introspection = Self("introspection")
    /// A request for claims about the user (OpenID Connect).
    public static let userInfo = Self("userinfo")
    /// A request to register a client, or to read, change or delete a registration (RFC 7591 and RFC 7592).
    public static let registration = Self("registration")
    /// A request for an authorization server's metadata (RFC 8414).
    public static let discovery = Self("discovery")
    /// A request for a server's keys (RFC 7517).
    public static let keys = Self("keys")
    /// A request for a protected resource's metadata (RFC 9728).
    public static let resourceMetadata = Self("resource_metadata")
    /// A request of an unspecified kind.
    public static let other = Self("other")

    package func at(_ issuer: Issuer) -> Self {
        var exchange = self
        exchange.issuer = issuer
        return exchange
    }
}

/// A type that observes exchanges with servers, for tracing, metrics or logging.
///
/// Any number of tasks can use an observer concurrently.
public protocol ExchangeObserver: Sendable {
    /// Runs `work` exactly once and returns its result or rethrows its error.
    ///
    /// - Parameters:
    ///   - exchange: The kind of exchange.
    ///   - work: The exchange, which includes decoding the response and any retry with a DPoP nonce.
    /// - Returns: The result of `work`.
    /// - Throws: Any error that `work` throws.
    func observe<Value: Sendable>(_ exchange: OAuthExchange, _ work: ExchangeWork<Value>) async throws -> Value
}

/// An exchange with a server, which an ``ExchangeObserver`` runs by calling it like a function.
///
/// A closure would not work here, because the type of an asynchronous closure depends on the compiler settings of the
/// module that uses it.
public struct ExchangeWork<Value: Sendable>: Sendable {
    private let run: @Sendable () async throws -> Value

    init(_ run: @escaping @Sendable () async throws -> Value) { self.run = run }

    /// Runs the exchange.
    public func callAsFunction() async throws -> Value { try await self.run() }
}

extension OAuthRuntime {
    /// Runs an exchange through ``observer`` if there is one.
    ///
    /// All of this library's requests to authorization servers use this method, and you can use it for your own
    /// requests. API calls do not use it.
    ///
    /// - Throws: Any error that `work` throws.
    public func observed<Value: Sendable>(
        _ exchange: OAuthExchange,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let observer = self.observer else { return try await work() }
        return try await observer.observe(exchange, ExchangeWork(work))
    }
}
