// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE

/// The rules for validating an ID token after a sign-in or refresh.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
public struct IDTokenPolicy: TokenPolicy {
    /// The rules that ID tokens share with all signed tokens.
    ///
    /// They are created once rather than for each token. Tokens of other types (`at+jwt`, `logout+jwt`) are rejected.
    private var common: JWTPolicy

    /// The provider that issues the token.
    public var issuer: Issuer {
        get { self.common.issuer }
        set { self.common.issuer = newValue }
    }
    /// Other values of `iss` that the provider is known to use.
    public var issuerAliases: [String] {
        get { self.common.issuerAliases }
        set { self.common.issuerAliases = newValue }
    }
    /// This app's client ID, which must be in `aud` and must match `azp` if that is present.
    public var clientID: String { didSet { self.common.audiences = [self.clientID] + self.otherAudiences } }
    /// Other clients that this client can request tokens for, such as the app's backend.
    ///
    /// A token for one of these clients must have this client as `azp`.
    public var otherAudiences: [String] = [] {
        didSet { self.common.audiences = [self.clientID] + self.otherAudiences }
    }
    /// Other clients that can request tokens for this client, such as the apps that use a backend.
    public var otherAuthorizedParties: [String] = []
    /// The accepted signature algorithms.
    public var algorithms: [JWSAlgorithm] {
        get { self.common.algorithms }
        set { self.common.algorithms = newValue }
    }
    /// The expected `nonce`.
    public var nonce: NonceRule
    /// The request's `max_age`, in seconds, or nil if it was not sent.
    public var maxAge: Int?
    /// Whether `auth_time` must be present even without ``maxAge``, because it was requested as essential.
    public var requiresAuthenticationTime: Bool
    /// The accepted values of `acr` if it was requested as essential, or empty to accept any value.
    public var essentialACRValues: [String]
    /// The tolerated difference between the provider's clock and the local clock, in seconds.
    ///
    /// Defaults to 300.
    public var clockTolerance: Int {
        get { self.common.clockTolerance }
        set { self.common.clockTolerance = newValue }
    }
    /// The maximum age of `iat`, in seconds.
    ///
    /// Defaults to one day.
    public var issuedAtLimit: Int { didSet { self.common.issuedAtLimit = self.issuedAtLimit } }
    /// The access token from the same response, which is used to check `at_hash`.
    public var accessToken: Secret?
    /// The code from the same flow, which is used to check `c_hash`.
    public var code: Secret?
    /// The state from the same flow, which is used to check `s_hash`.
    var state: Secret?
    /// Whether `c_hash` must be present, as in an ID token that arrives with a code.
    var requiresCodeHash = false
    /// The function that decrypts an encrypted token, or nil to reject encrypted tokens.
    public var decrypt: JWTPolicy.Decryption? {
        get { self.common.decrypt }
        set { self.common.decrypt = newValue }
    }

    /// The backchannel request's `auth_req_id`, which the token must match if it contains one.
    public var authenticationRequestID: Secret?

    /// The rule for the `nonce` in an ID token.
    public enum NonceRule: Sendable {
        /// The token must contain the nonce that was sent.
        case equal(Secret)
        /// The token must not contain a nonce, because none was sent.
        case absent
        /// After a refresh, the token must either contain the nonce from the sign-in or omit it.
        case absentOrEqual(Secret?)
        /// The nonce is not checked, because another client of the app requested the token.
        case unchecked
    }

    /// Creates a policy.
    public init(
        issuer: Issuer,
        issuerAliases: [String] = [],
        clientID: String,
        algorithms: [JWSAlgorithm] = [.rs256],
        nonce: NonceRule,
        maxAge: Int? = nil,
        requiresAuthenticationTime: Bool = false,
        essentialACRValues: [String] = [],
        clockTolerance: Int = 300,
        issuedAtLimit: Int = 86_400,
        accessToken: Secret? = nil,
        code: Secret? = nil,
        decrypt: JWTPolicy.Decryption? = nil
    ) {
        self.common = JWTPolicy(
            name: Self.tokenName,
            section: Self.section,
            algorithms: algorithms,
            issuer: issuer,
            issuerAliases: issuerAliases,
            audiences: [clientID],
            clockTolerance: clockTolerance,
            issuedAtLimit: issuedAtLimit,
            decrypt: decrypt
        )
        self.clientID = clientID
        self.nonce = nonce
        self.maxAge = maxAge
        self.requiresAuthenticationTime = requiresAuthenticationTime
        self.essentialACRValues = essentialACRValues
        self.issuedAtLimit = issuedAtLimit
        self.accessToken = accessToken
        self.code = code
    }

    static let tokenName = "the ID token"
    static let section = "OpenID Connect Core 1.0, section 3.1.3.7"

    /// Validates a token's signature and then its claims.
    ///
    /// For an encrypted token, the result contains the signed token inside it, because only that can be sent as a hint.
    ///
    /// - Throws: Any error that ``JWTPolicy/validate(_:keys:now:)`` throws, or `ProtocolViolationError` with one of the
    ///   `idToken…` rules, which are specific to ID tokens.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws -> ValidatedIDToken {
        let jwt = try self.common.validate(token, keys: keys, now: now)
        let claims = try IDTokenClaims(jwt.claims)
        try self.checkAuthorizedParty(claims)
        try self.checkNonce(claims)
        try self.checkAuthentication(claims, now: now)
        try self.checkAuthenticationRequest(claims)
        try self.checkHashes(claims, algorithm: jwt.header.algorithm)
        return ValidatedIDToken(
            token: jwt.token,
            claims: claims,
            issuer: self.issuer.url,
            issuerAliases: self.issuerAliases
        )
    }
}
