// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraJOSE
public import TesseraJSON

/// The claims of an ID token, each of the right type and in its range; what they mean is the policy's business.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken)
public struct IDTokenClaims: Sendable, Hashable {
    /// `iss`.
    public let issuer: String
    /// `sub`: 1 to 255 ASCII characters.
    public let subject: String
    /// `aud`, as a list.
    public let audience: [String]
    /// `azp`.
    public let authorizedParty: String?
    /// `exp`, seconds since 1970.
    public let expiresAt: Double
    /// `iat`, seconds since 1970.
    public let issuedAt: Double
    /// `nbf`, seconds since 1970.
    public let notBefore: Double?
    /// `auth_time`, seconds since 1970.
    public let authenticationTime: Double?
    /// `nonce`.
    public let nonce: String?
    /// `acr`.
    public let acr: String?
    /// `at_hash`.
    public let accessTokenHash: String?
    /// `c_hash`.
    public let codeHash: String?
    /// `email`.
    public let email: String?
    /// `email_verified`; some providers send it as a string.
    public let emailVerified: Bool?
    /// `name`.
    public let name: String?
    /// `picture`.
    public let picture: String?
    /// `hd`: the Google Workspace domain.
    public let hostedDomain: String?
    /// All claims.
    public let document: JSONValue

    init(parsing payload: [UInt8]) throws(ProtocolViolation) {
        let fields = try JSONFields(
            parsing: payload,
            rule: .idTokenType,
            section: "OpenID Connect Core 1.0, section 2",
            subject: "the ID token"
        )
        self.issuer = try fields.requiredString("iss")
        self.subject = try Self.subject(fields)
        self.audience = try Self.audience(fields)
        self.authorizedParty = try fields.string("azp")
        self.expiresAt = try Self.requiredTime("exp", fields)
        self.issuedAt = try Self.requiredTime("iat", fields)
        self.notBefore = try fields.number("nbf")
        self.authenticationTime = try fields.number("auth_time")
        self.nonce = try fields.string("nonce")
        self.acr = try fields.string("acr")
        self.accessTokenHash = try fields.string("at_hash")
        self.codeHash = try fields.string("c_hash")
        self.email = try fields.string("email")
        self.emailVerified =
            fields.object["email_verified"]?.bool ?? fields.object["email_verified"]?.string.map { $0 == "true" }
        self.name = try fields.string("name")
        self.picture = try fields.string("picture")
        self.hostedDomain = try fields.string("hd")
        self.document = fields.object
    }

    private static func subject(_ fields: JSONFields) throws(ProtocolViolation) -> String {
        let subject = try fields.requiredString("sub")
        guard subject.utf8.count <= 255, subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw ProtocolViolation(
                .idTokenSubject,
                expected: "sub of at most 255 ASCII characters",
                actual: "\(subject.utf8.count) bytes",
                section: "OpenID Connect Core 1.0, section 2"
            )
        }
        return subject
    }

    private static func audience(_ fields: JSONFields) throws(ProtocolViolation) -> [String] {
        if let single = fields.object["aud"]?.string { return [single] }
        guard let audience = try fields.strings("aud"), !audience.isEmpty else {
            throw fields.violation("aud to be a client or a list of clients", "none")
        }
        return audience
    }

    /// A time that a calendar could hold; `1e300` is none.
    private static func requiredTime(_ name: String, _ fields: JSONFields) throws(ProtocolViolation) -> Double {
        guard let time = try fields.number(name) else { throw fields.violation("\(name) in the ID token", "none") }
        guard (0...253_402_300_799).contains(time) else {
            throw fields.violation("\(name) to be a time", "out of range")
        }
        return time
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
    /// The claims of a token that was validated before it was stored; its signature is not looked at again.
    package init(unverified token: Secret) throws(ProtocolViolation) {
        let jws = try token.withUnredacted { (text) throws(ProtocolViolation) in try CompactJWS(parsing: text) }
        try self.init(parsing: jws.payload)
    }
}
