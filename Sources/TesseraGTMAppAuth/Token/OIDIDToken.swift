// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraJOSE
internal import TesseraJSON

/// The header and the claims of an ID token, read and not verified: who signed it, and for whom, is not known.
///
/// `@unchecked`, since a class that may be inherited from is never checked: each property is a `let` of a `Sendable` type.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken)
open class OIDIDToken: NSObject, CustomReflectable, @unchecked Sendable {
    /// `iss`.
    public let issuer: URL
    /// `sub`.
    public let subject: String
    /// `aud`, as a list.
    public let audience: [String]
    /// `exp`.
    public let expiresAt: Date
    /// `iat`.
    public let issuedAt: Date
    /// `nonce`; nil where there is none.
    public let nonce: String?
    private let headerMembers: JSONParameters
    private let claimMembers: JSONParameters

    /// Reads a token; nil where it is not two or three parts in base64url, the first two JSON objects without a name
    /// twice, or where `iss`, `sub`, `aud`, `exp` or `iat` is missing or of the wrong type.
    public init?(idTokenString: String) {
        let parts = idTokenString.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let issuer = claims.url("iss"), let subject = claims.text("sub"),
            let audience = claims.text("aud").map({ [$0] }) ?? claims.texts("aud"),
            let expiresAt = claims.time("exp"), let issuedAt = claims.time("iat")
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

    /// Every member of the header.
    public var header: [String: Any] { self.headerMembers.dictionary }

    /// Every claim.
    public var claims: [String: Any] { self.claimMembers.dictionary }

    private static func object(_ part: Substring.UTF8View) -> JSONParameters? {
        let limits = JSONLimits(maximumDepth: 32, maximumBytes: 1 << 20)
        guard let bytes = Base64URL.decode(String(decoding: part, as: UTF8.self)),
            let value = try? JSONValue(parsing: bytes, limits: limits), value.kind == .object
        else {
            return nil
        }
        return JSONParameters(value)
    }

    /// The class and the provider: the claims are about a user.
    override public var description: String {
        ["\(type(of: self))", self.issuer.host().map { "issuer: \($0)" }].compactMap(\.self).joined(separator: ", ")
    }

    override public var debugDescription: String { self.description }

    /// A mirror without children: `dump` would show the claims otherwise.
    public var customMirror: Mirror {
        Mirror(self, children: [] as [Mirror.Child], ancestorRepresentation: .suppressed)
    }
}
