// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE

/// What an ID token has to fit; the one place that decides, for code flow and refresh alike.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
public struct IDTokenPolicy: TokenPolicy {
    /// What an ID token shares with every other signed token; made once, not for each token.
    ///
    /// One of another kind (`at+jwt`, `logout+jwt`) is no ID token.
    private var common: JWTPolicy

    /// The provider.
    public var issuer: Issuer {
        get { self.common.issuer }
        set { self.common.issuer = newValue }
    }
    /// Other spellings of `iss` that the provider is known to use; declared by whoever knows the provider.
    public var issuerAliases: [String] {
        get { self.common.issuerAliases }
        set { self.common.issuerAliases = newValue }
    }
    /// This client: `aud`, and `azp` where there is one.
    public var clientID: String { didSet { self.common.audiences = [self.clientID] + self.otherAudiences } }
    /// Other clients that the token may be for, when this one asked: the program's server, whose backend takes the token.
    ///
    /// Such a token has to say that this client asked: its `azp` is this client, or it is refused.
    public var otherAudiences: [String] = [] {
        didSet { self.common.audiences = [self.clientID] + self.otherAudiences }
    }
    /// Other clients that may have asked for the token, when it is for this one: the apps of the same program.
    public var otherAuthorizedParties: [String] = []
    /// Algorithms that a signature may use.
    public var algorithms: [JWSAlgorithm] {
        get { self.common.algorithms }
        set { self.common.algorithms = newValue }
    }
    /// What `nonce` has to be.
    public var nonce: NonceRule
    /// `max_age` of the request in seconds.
    public var maxAge: Int?
    /// Whether `auth_time` has to be there also without ``maxAge``, since it was asked for as essential.
    public var requiresAuthenticationTime: Bool
    /// Values of which `acr` has to be one, where authentication context was essential.
    public var essentialACRValues: [String]
    /// How far the provider's clock and ours may differ, in seconds; 300 by default.
    public var clockTolerance: Int {
        get { self.common.clockTolerance }
        set { self.common.clockTolerance = newValue }
    }
    /// How old `iat` may be, in seconds; one day by default.
    public var issuedAtLimit: Int { didSet { self.common.issuedAtLimit = self.issuedAtLimit } }
    /// The access token of the same answer, for `at_hash`.
    public var accessToken: Secret?
    /// The code of the same flow, for `c_hash`.
    public var code: Secret?
    /// The state of the same flow, for `s_hash`.
    var state: Secret?
    /// Whether `c_hash` has to be there, as in an ID token beside a code.
    var requiresCodeHash = false
    /// Turns an encrypted token into the signed one inside it; nil refuses encrypted tokens.
    public var decrypt: JWTPolicy.Decryption? {
        get { self.common.decrypt }
        set { self.common.decrypt = newValue }
    }

    /// The `auth_req_id` of the backchannel authentication that the token came for; where the token names one, it has to
    /// be this.
    public var authenticationRequestID: Secret?

    /// What a nonce has to be.
    public enum NonceRule: Sendable {
        /// The one that was sent.
        case equal(Secret)
        /// None was sent, so none may be there.
        case absent
        /// In a refresh: none, or the one of the sign-in.
        case absentOrEqual(Secret?)
        /// Whatever it is: another client of the program asked, and only that one knows.
        case unchecked
    }

    /// A policy.
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

    /// Validates a token: signature first, then every claim.
    ///
    /// Of an encrypted one the signed token inside is kept: only that one may be sent back as a hint.
    ///
    /// - Throws: as ``JWTPolicy/validate(_:keys:now:)``, and `idToken…` for the rules that only an ID token has.
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
