// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraJSON

/// The claims of an ID token, each of the right type and in its range; what they mean is the policy's business.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken)
public struct IDTokenClaims: Sendable, Hashable {
    /// `iss`.
    public var issuer: String { self.registered.issuer }
    /// `sub`: 1 to 255 ASCII characters.
    public let subject: String
    /// `aud`, as a list.
    public var audience: [String] { self.registered.audience }
    /// `exp`, seconds since 1970.
    public let expiresAt: Double
    /// `iat`, seconds since 1970.
    public let issuedAt: Double
    /// `nbf`, seconds since 1970.
    public var notBefore: Double? { self.registered.notBefore }
    /// `azp`.
    public let authorizedParty: String?
    /// `nonce`.
    public var nonce: String? { self.nonceSecret?.withUnredacted { $0 } }
    /// `at_hash`.
    public let accessTokenHash: String?
    /// `auth_time`, seconds since 1970.
    public let authenticationTime: Double?
    /// All claims.
    public var document: JSONValue { self.registered.document }
    private let registered: JWTClaims
    private let nonceSecret: Secret?

    // Checked with the rest, and copied out of the document only for those who ask.
    /// `acr`.
    public var acr: String? { self.document["acr"]?.string }
    /// `sid`: the provider's session, by which a logout token may name it.
    public var sessionID: String? { self.document["sid"]?.string }
    /// `c_hash`.
    var codeHash: String? { self.document["c_hash"]?.string }
    /// `s_hash`.
    var stateHash: String? { self.document["s_hash"]?.string }
    /// `email`.
    public var email: String? { self.document["email"]?.string }
    /// `email_verified`; some providers send it as a string.
    public var emailVerified: Bool? {
        let value = self.document["email_verified"]
        return value?.bool ?? value?.string.map { $0 == "true" }
    }
    /// `name`.
    public var name: String? { self.document["name"]?.string }
    /// `picture`.
    public var picture: String? { self.document["picture"]?.string }
    /// `hd`: the Google Workspace domain.
    public var hostedDomain: String? { self.document["hd"]?.string }

    init(_ claims: JWTClaims) throws {
        let fields = claims.fields
        guard let expiresAt = claims.expiresAt else { throw fields.violation("exp in the ID token", "none") }
        guard let issuedAt = claims.issuedAt else { throw fields.violation("iat in the ID token", "none") }
        let subject = try Self.subject(claims.subject, fields)
        let authorizedParty = try fields.string("azp")
        let authenticationTime = try fields.number("auth_time")
        let nonce = try fields.string("nonce")
        let accessTokenHash = try fields.string("at_hash")
        try fields.requireStringsIfPresent(Self.otherTexts)
        // Only now: what throws between two assignments costs a copy of all of them.
        self.subject = subject
        self.authorizedParty = authorizedParty
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        self.authenticationTime = authenticationTime
        self.nonceSecret = nonce.map(Secret.init)
        self.accessTokenHash = accessTokenHash
        self.registered = claims
    }

    /// The other members that have to be strings where they are there.
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

    /// Two sets of claims are equal when their documents are.
    public static func == (left: Self, right: Self) -> Bool { left.document == right.document }
    /// Hashes issuer and subject.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.issuer)
        hasher.combine(self.subject)
    }
}

extension IDTokenClaims {
    /// Reads the claims of an ID token that was validated before it was stored, without verifying it again.
    ///
    /// - Throws: `ProtocolViolationError` if it is not a JWT with the claims of an ID token.
    public init(unverified token: Secret) throws {
        let jws = try token.withUnredacted { try CompactJWS(parsing: $0) }
        try self.init(try JWTClaims(parsing: jws.payload, of: IDTokenPolicy.tokenName))
    }
}

/// An ID token whose signature and claims were checked.
///
/// There is no public initializer: only ``IDTokenPolicy`` makes one.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
public struct ValidatedIDToken: Sendable {
    /// The token itself.
    public let token: Secret
    /// Its claims.
    public let claims: IDTokenClaims
    /// The provider, and the other spellings of `iss` that the policy takes for it.
    let issuer: String
    let issuerAliases: [String]

    /// Checks that a refresh speaks of the same person, client and sign-in as the token before.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 12.2](https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokenResponse)
    public func checkContinuity(from previous: IDTokenClaims) throws {
        func require(_ holds: Bool, _ name: String) throws {
            guard !holds else { return }
            throw ProtocolViolationError(.idTokenContinuity, expected: "\(name) as at sign-in", actual: "another")
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
