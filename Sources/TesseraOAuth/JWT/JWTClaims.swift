// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraJSON

/// The registered claims in a token, checked for type and range.
///
/// - SeeAlso: [RFC 7519, section 4.1](https://www.rfc-editor.org/rfc/rfc7519.html#section-4.1)
public struct JWTClaims: Sendable, Hashable {
    /// The issuer of the token (`iss`).
    public let issuer: String
    /// The subject of the token (`sub`), usually the user.
    public let subject: String?
    /// The recipients of the token (`aud`), which is an array even if the token contains a single string.
    public let audience: [String]
    /// The expiration time (`exp`), in seconds since 1970.
    public let expiresAt: Double?
    /// The time of issue (`iat`), in seconds since 1970.
    public let issuedAt: Double?
    /// The time before which the token is not valid (`nbf`), in seconds since 1970.
    public let notBefore: Double?
    /// All claims, including those that have no property.
    public let document: JSONValue
    let name: String

    // The initializer has checked the type. The string is copied from the document only when this property is read.
    /// The identifier of the token (`jti`).
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
        // Assign the properties after the last throwing call. If a call between assignments can throw, the compiler
        // copies them all.
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

    /// A reader for additional claims that a specific kind of token defines.
    var fields: JSONFields {
        JSONFields(object: self.document, rule: .jwtClaims, subject: self.name)
    }

    private static func audience(_ fields: JSONFields) throws -> [String] {
        guard let audience = try fields.stringOrStrings("aud"), !audience.isEmpty else {
            throw fields.violation("aud in the token to be a string or an array of strings", "none")
        }
        return audience
    }

    /// Returns whether two sets of claims have equal documents.
    public static func == (left: Self, right: Self) -> Bool { left.document == right.document }
    /// Hashes the issuer and the subject.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.issuer)
        hasher.combine(self.subject)
    }
}

extension JSONFields {
    /// Returns a time in seconds since 1970, which must be between the years 1970 and 9999.
    func time(_ name: String) throws(ProtocolViolationError) -> Double? {
        guard let time = try self.number(name) else { return nil }
        guard (0...253_402_300_799).contains(time) else {
            throw self.violation("\(name) to be a time in seconds since 1970", "a value out of range")
        }
        return time
    }

    /// Returns a string or an array of strings as an array, for members such as `aud`.
    func stringOrStrings(_ name: String) throws(ProtocolViolationError) -> [String]? {
        if let single = self.object[name]?.string { return [single] }
        return try self.strings(name)
    }
}
