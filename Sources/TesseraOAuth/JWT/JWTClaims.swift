// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraJSON

/// The registered claims of a token, each of the right type and in its range.
///
/// - SeeAlso: [RFC 7519, section 4.1](https://www.rfc-editor.org/rfc/rfc7519.html#section-4.1)
public struct JWTClaims: Sendable, Hashable {
    /// `iss`.
    public let issuer: String
    /// `sub`.
    public let subject: String?
    /// `aud`, as a list.
    public let audience: [String]
    /// `exp`, seconds since 1970.
    public let expiresAt: Double?
    /// `iat`, seconds since 1970.
    public let issuedAt: Double?
    /// `nbf`, seconds since 1970.
    public let notBefore: Double?
    /// All claims.
    public let document: JSONValue
    let name: String

    // Checked with the rest, and copied out of the document only for those who ask.
    /// `jti`.
    public var tokenID: String? { self.document["jti"]?.string }

    init(parsing payload: [UInt8], of name: String) throws {
        let fields = try JSONFields(parsing: payload, rule: .jwtClaims, subject: name)
        let issuer = try fields.requiredString("iss")
        let subject = try fields.string("sub")
        let audience = try Self.audience(fields)
        let expiresAt = try fields.time("exp")
        let issuedAt = try fields.time("iat")
        let notBefore = try fields.time("nbf")
        try fields.requireStringIfPresent("jti")
        // Only now: what throws between two assignments costs a copy of all of them.
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        self.notBefore = notBefore
        self.document = fields.object
        self.name = name
    }

    private static let section = "RFC 7519, section 4.1"

    /// The claims, for those that a kind of token adds.
    var fields: JSONFields {
        JSONFields(object: self.document, rule: .jwtClaims, subject: self.name)
    }

    private static func audience(_ fields: JSONFields) throws -> [String] {
        guard let audience = try fields.stringOrStrings("aud"), !audience.isEmpty else {
            throw fields.violation("aud in the token: one text or a list of them", "none")
        }
        return audience
    }

    /// Two sets of claims are equal when their documents are.
    public static func == (left: Self, right: Self) -> Bool { left.document == right.document }
    /// Hashes the issuer and the subject.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.issuer)
        hasher.combine(self.subject)
    }
}

extension JSONFields {
    /// A time that a calendar could hold, in seconds since 1970; `1e300` is none.
    func time(_ name: String) throws(ProtocolViolationError) -> Double? {
        guard let time = try self.number(name) else { return nil }
        guard (0...253_402_300_799).contains(time) else { throw self.violation("\(name) to be a time", "out of range") }
        return time
    }

    /// One string or an array of them, as `aud` has it.
    func stringOrStrings(_ name: String) throws(ProtocolViolationError) -> [String]? {
        if let single = self.object[name]?.string { return [single] }
        return try self.strings(name)
    }
}
