// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraJSON

/// The claims in an ID token, checked for type and range.
///
/// ``IDTokenPolicy`` checks their values.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken)
public struct IDTokenClaims: Sendable, Hashable {
    /// The issuer of the token (`iss`).
    public var issuer: String { self.registered.issuer }
    /// The user's identifier at the provider (`sub`), which has 1 to 255 ASCII characters.
    public let subject: String
    /// The recipients of the token (`aud`), which is an array even if the token contains a single string.
    public var audience: [String] { self.registered.audience }
    /// The expiration time (`exp`), in seconds since 1970.
    public let expiresAt: Double
    /// The time of issue (`iat`), in seconds since 1970.
    public let issuedAt: Double
    /// The time before which the token is not valid (`nbf`), in seconds since 1970.
    public var notBefore: Double? { self.registered.notBefore }
    /// The client to which the token was issued (`azp`).
    public let authorizedParty: String?
    /// The nonce of the authorization request (`nonce`).
    public var nonce: String? { self.nonceSecret?.withUnredacted { $0 } }
    /// The hash of the access token (`at_hash`).
    public let accessTokenHash: String?
    /// The time when the user authenticated (`auth_time`), in seconds since 1970.
    public let authenticationTime: Double?
    /// All claims, including those that have no property.
    public var document: JSONValue { self.registered.document }
    private let registered: JWTClaims
    private let nonceSecret: Secret?

    // The initializer has checked the types. A string is copied from the document only when its property is read.
    /// The authentication context class (`acr`).
    public var acr: String? { self.document["acr"]?.string }
    /// The identifier of the session at the provider (`sid`), which a logout token can refer to.
    public var sessionID: String? { self.document["sid"]?.string }
    /// The hash of the authorization code (`c_hash`).
    var codeHash: String? { self.document["c_hash"]?.string }
    /// The hash of the state (`s_hash`).
    var stateHash: String? { self.document["s_hash"]?.string }
    /// The user's email address (`email`).
    public var email: String? { self.document["email"]?.string }
    /// Whether the email address is verified (`email_verified`).
    ///
    /// The strings that some providers send are also accepted.
    public var emailVerified: Bool? {
        let value = self.document["email_verified"]
        return value?.bool ?? value?.string.map { $0 == "true" }
    }
    /// The user's full name (`name`).
    public var name: String? { self.document["name"]?.string }
    /// The URL of the user's picture (`picture`).
    public var picture: String? { self.document["picture"]?.string }
    /// The user's Google Workspace domain (`hd`).
    public var hostedDomain: String? { self.document["hd"]?.string }

    /// Reads the claims of an ID token whose signature a policy has verified.
    package init(_ claims: JWTClaims) throws {
        let fields = claims.fields
        guard let expiresAt = claims.expiresAt else { throw fields.violation("exp in the ID token", "none") }
        guard let issuedAt = claims.issuedAt else { throw fields.violation("iat in the ID token", "none") }
        let subject = try Self.subject(claims.subject, fields)
        let authorizedParty = try fields.string("azp")
        let authenticationTime = try fields.number("auth_time")
        let nonce = try fields.string("nonce")
        let accessTokenHash = try fields.string("at_hash")
        try fields.requireStringsIfPresent(Self.otherTexts)
        // Assign the properties after the last throwing call. If a call between assignments can throw, the compiler
        // copies them all.
        self.subject = subject
        self.authorizedParty = authorizedParty
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        self.authenticationTime = authenticationTime
        self.nonceSecret = nonce.map(Secret.init)
        self.accessTokenHash = accessTokenHash
        self.registered = claims
    }

    /// The names of other members that must be strings if present.
    private static let otherTexts = ["acr", "sid", "c_hash", "s_hash", "email", "name", "picture", "hd"]

    private static func subject(_ subject: String?, _ fields: JSONFields) throws -> String {
        guard let subject, !subject.isEmpty else {
            throw fields.violation("sub in the ID token", subject == nil ? "none" : "an empty string")
        }
        guard subject.utf8.count <= 255, Self.isPrintable(subject) else {
            throw ProtocolViolationError(
                .idTokenSubject,
                expected: "sub of at most 255 ASCII characters",
                actual: "\(subject.utf8.count) bytes"
            )
        }
        return subject
    }

    private static func isPrintable(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { $0.allSatisfy { (0x20...0x7E).contains($0) } }
    }

    /// Returns whether two sets of claims have equal documents.
    public static func == (left: Self, right: Self) -> Bool { left.document == right.document }
    /// Hashes the issuer and the subject.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.issuer)
        hasher.combine(self.subject)
    }
}

extension IDTokenClaims {
    /// Creates claims from an ID token that was validated before it was stored, without verifying it again.
    ///
    /// - Throws: `ProtocolViolationError` if the text is not a JWT with the claims of an ID token.
    public init(unverified token: Secret) throws {
        let jws = try token.withUnredacted { try CompactJWS(parsing: $0) }
        try self.init(try JWTClaims(parsing: jws.payload, of: IDTokenPolicy.tokenName))
    }
}

/// An ID token with a verified signature and checked claims.
///
/// This type has no public initializer. Only ``IDTokenPolicy`` creates instances.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
public struct ValidatedIDToken: Sendable {
    /// The signed token.
    public let token: Secret
    /// The claims of the token.
    public let claims: IDTokenClaims
    /// The policy's issuer, which differs from the `iss` claim if the token uses one of the policy's `issuerAliases`.
    let issuer: String
    let issuerAliases: [String]

    /// Checks that the ID token from a refresh is for the same user, client and sign-in as the previous one.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 12.2](https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokenResponse)
    public func checkContinuity(from previous: IDTokenClaims) throws {
        func require(_ holds: Bool, _ name: String) throws {
            guard !holds else { return }
            let expected = "the \(name) of the previous ID token"
            throw ProtocolViolationError(.idTokenContinuity, expected: expected, actual: "another \(name)")
        }
        let spellings = [self.claims.issuer, self.issuer] + self.issuerAliases
        try require(spellings.contains(where: previous.issuer.isExactly), "iss")
        try require(self.claims.subject.isExactly(previous.subject), "sub")
        try require(Self.codePoints(self.claims.audience) == Self.codePoints(previous.audience), "aud")
        if let before = previous.authenticationTime, let after = self.claims.authenticationTime {
            try require(before == after, "auth_time")
        }
        try require(self.claims.nonce.map { previous.nonce?.isExactly($0) ?? false } ?? true, "nonce")
    }

    private static func codePoints(_ texts: [String]) -> Set<[UInt8]> { Set(texts.map { Array($0.utf8) }) }
}
