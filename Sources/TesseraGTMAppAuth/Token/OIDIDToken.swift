// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraJSON
internal import TesseraSupport

/// The header and claims of an ID token that has not been verified.
///
/// Do not rely on the claims. Neither the signature nor the issuer or audience is checked.
///
/// The conformance to `Sendable` is `@unchecked` because the compiler does not check open classes. It is safe because
/// every property is a `let` of a `Sendable` type.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken)
open class OIDIDToken: NSObject, CustomReflectable, @unchecked Sendable {
    /// The issuer (`iss`).
    public let issuer: URL
    /// The issuer's identifier for the user (`sub`).
    public let subject: String
    /// The recipients (`aud`).
    ///
    /// A single string becomes an array with one element.
    public let audience: [String]
    /// The expiration date (`exp`).
    public let expiresAt: Date
    /// The date on which the token was issued (`iat`).
    public let issuedAt: Date
    /// The nonce from the authorization request (`nonce`).
    public let nonce: String?
    private let headerMembers: JSONParameters
    private let claimMembers: JSONParameters

    /// Decodes a token, or returns nil if it is malformed.
    ///
    /// A token consists of at least two parts in base64url or Base64. The first two are JSON objects without duplicate
    /// names. The claims `iss`, `sub`, `aud`, `exp` and `iat` are required. The issuer does not have to be an absolute
    /// URL.
    public init?(idTokenString: String) {
        let parts = idTokenString.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count >= 2, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let issuer = claims.text("iss").flatMap({ URL(string: $0) }), let subject = claims.text("sub"),
            let audience = claims.text("aud").map({ [$0] }) ?? claims.texts("aud"),
            let expiresAt = Self.date(claims, "exp"), let issuedAt = Self.date(claims, "iat")
        else {
            return nil
        }
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        self.nonce = claims.text("nonce")
        self.headerMembers = header
        self.claimMembers = claims
        super.init()
    }

    /// All members in the header.
    public var header: [String: Any] { self.headerMembers.dictionary }

    /// All claims in the payload.
    public var claims: [String: Any] { self.claimMembers.dictionary }

    /// Returns a claim as a date, or nil if it is not a number (RFC 7519, section 2).
    private static func date(_ claims: JSONParameters, _ name: String) -> Date? {
        claims.integer(name).map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    private static func object(_ part: Substring.UTF8View) -> JSONParameters? {
        let limits = JSONLimits(maximumDepth: 32, maximumBytes: 1 << 20)
        guard let bytes = Base64.decode(part), let value = try? JSONValue(parsing: bytes, limits: limits),
            value.kind == .object
        else {
            return nil
        }
        return JSONParameters(value)
    }

    /// The class name and the issuer's host.
    ///
    /// The claims are not shown, because they contain information about the user.
    override public var description: String {
        ["\(type(of: self))", self.issuer.host().map { "issuer: \($0)" }].compactMap(\.self).joined(separator: ", ")
    }

    override public var debugDescription: String { self.description }

    /// A mirror without children, so that `dump` does not print the claims.
    public var customMirror: Mirror {
        Mirror(self, children: [] as [Mirror.Child], ancestorRepresentation: .suppressed)
    }
}
