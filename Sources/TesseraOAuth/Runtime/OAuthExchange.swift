// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What is asked of a server, as spans, metrics and logs name it.
///
/// It names the kind of the exchange and the authorization server, never a person or a token.
///
/// - SeeAlso: [RFC 6749, section 3](https://www.rfc-editor.org/rfc/rfc6749.html#section-3)
public struct OAuthExchange: Sendable, Hashable {
    /// The kind: one of few words, lower case with underscores, that can be a part of a metric's name.
    public let name: String
    /// `grant_type` of a token request, nil for everything else.
    public let grantType: String?
    /// The authorization server that is asked; nil where keys or the metadata of a resource are fetched.
    public internal(set) var issuer: Issuer?

    /// An exchange of a caller's own kind; `name` has to be one of few words, since metrics are named by it.
    public init(_ name: String, grantType: String? = nil, issuer: Issuer? = nil) {
        self.name = name
        self.grantType = grantType
        self.issuer = issuer
    }

    /// A request for tokens.
    public static func token(grantType: String) -> Self { Self("token", grantType: grantType) }
    /// RFC 8628: a request for a device code.
    public static let deviceAuthorization = Self("device_authorization")
    /// CIBA: a request that a person be asked elsewhere.
    public static let backchannelAuthentication = Self("backchannel_authentication")
    /// RFC 9126: the parameters of an authorization request, sent ahead.
    public static let pushedAuthorizationRequest = Self("pushed_authorization_request")
    /// RFC 7009: a revocation.
    public static let revocation = Self("revocation")
    /// RFC 7662: a question about a token.
    public static let introspection = Self("introspection")
    /// OpenID Connect: a question about a person.
    public static let userInfo = Self("userinfo")
    /// RFC 7591 and RFC 7592: a client's registration is made, read, changed or deleted.
    public static let registration = Self("registration")
    /// RFC 8414: the metadata of an authorization server are fetched.
    public static let discovery = Self("discovery")
    /// RFC 7517: a server's keys are fetched.
    public static let keys = Self("keys")
    /// RFC 9728: the metadata of a protected resource are fetched.
    public static let resourceMetadata = Self("resource_metadata")
    /// A request of a kind that does not name itself.
    public static let other = Self("other")

    package func at(_ issuer: Issuer) -> Self {
        var exchange = self
        exchange.issuer = issuer
        return exchange
    }
}

/// What watches the exchanges with servers: a tracer, a counter, a log.
///
/// One observer may be asked by any number of tasks at once.
public protocol ExchangeObserver: Sendable {
    /// Runs `work` once, and gives back what it returns or throws.
    ///
    /// - Parameters:
    ///   - exchange: what is asked.
    ///   - work: sends the request and judges the answer, up to the second try that a DPoP nonce demands.
    /// - Returns: what `work` returns.
    /// - Throws: what `work` throws.
    func observe<Value: Sendable>(_ exchange: OAuthExchange, _ work: ExchangeWork<Value>) async throws -> Value
}

/// An exchange with a server, which an ``ExchangeObserver`` runs by calling it like a function.
///
/// It is a type of its own because the type of an asynchronous closure depends on the compiler settings of the module
/// that names it.
public struct ExchangeWork<Value: Sendable>: Sendable {
    private let run: @Sendable () async throws -> Value

    init(_ run: @escaping @Sendable () async throws -> Value) { self.run = run }

    /// Runs the exchange.
    public func callAsFunction() async throws -> Value { try await self.run() }
}

extension OAuthRuntime {
    /// Runs an exchange as ``observer`` wants to see it, and alone where there is none.
    ///
    /// Every request of this library comes through here; so may those of others. Calls of an API do not.
    ///
    /// - Throws: what `work` throws.
    public func observed<Value: Sendable>(
        _ exchange: OAuthExchange,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let observer = self.observer else { return try await work() }
        return try await observer.observe(exchange, ExchangeWork(work))
    }
}
