// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON

/// An access token whose signature, issuer, audience and times were checked.
///
/// Before it counts: ``confirm(_:keyThumbprint:certificateThumbprint:)``, and ``require(_:)`` for what the call needs.
/// There is no public initializer: only ``AccessTokenPolicy`` makes one.
///
/// - SeeAlso: [RFC 9068, section 2.2](https://www.rfc-editor.org/rfc/rfc9068.html#section-2.2)
public struct JWTAccessToken: Sendable {
    /// `sub`: the person, or the client where it acts for itself.
    public let subject: String
    /// `client_id`: who got the token.
    public let clientID: String
    /// `jti`.
    public let tokenID: String
    /// `exp`, seconds since 1970.
    public let expiresAt: Double
    /// `scope`.
    public let scopes: [Scope]
    /// `cnf`: the key that whoever presents the token has to have.
    public let confirmation: Confirmation?
    /// All claims.
    public let claims: JWTClaims

    init(_ claims: JWTClaims) throws(ProtocolViolationError) {
        let fields = claims.fields
        self.subject = try fields.requiredString("sub")
        self.clientID = try fields.requiredString("client_id")
        self.tokenID = try fields.requiredString("jti")
        self.expiresAt = claims.expiresAt ?? 0
        self.scopes = try fields.scopes("scope") ?? []
        self.confirmation = try Confirmation(fields)
        self.claims = claims
    }

    /// Checks that whoever presented the token has the key that it is bound to.
    ///
    /// - Parameters:
    ///   - presented: the token as it came.
    ///   - keyThumbprint: of the key that signed the call's DPoP proof, which the caller has checked; nil without one.
    ///   - certificateThumbprint: of the certificate that the connection was made with (SHA-256, base64url); nil without
    ///     one.
    /// - Throws: `invalid_token` for another key or none, and for a bound token that comes as if it were not.
    /// - SeeAlso: [RFC 9449, section 7.2](https://www.rfc-editor.org/rfc/rfc9449.html#section-7.2),
    ///   [RFC 8705, section 3](https://www.rfc-editor.org/rfc/rfc8705.html#section-3)
    public func confirm(
        _ presented: PresentedAccessToken,
        keyThumbprint: String? = nil,
        certificateThumbprint: String? = nil
    ) throws(AccessTokenError) {
        let confirmation = self.confirmation
        func fits(_ expected: String?, _ actual: String?) -> Bool {
            guard let expected else { return true }
            return actual.map { ConstantTime.equal($0, expected) } ?? false
        }
        guard confirmation?.hasOtherMethods != true else {
            throw AccessTokenError.invalidToken("The token is bound in a way that is not known here.")
        }
        guard (presented.type == .dpop) == (confirmation?.keyThumbprint != nil),
            fits(confirmation?.keyThumbprint, keyThumbprint)
        else {
            throw AccessTokenError.invalidToken("The token is bound to another DPoP key, or presented otherwise.")
        }
        guard fits(confirmation?.certificateThumbprint, certificateThumbprint) else {
            throw AccessTokenError.invalidToken("The token is bound to another certificate.")
        }
    }

    /// Checks that the token was given for all of these scopes.
    ///
    /// - Throws: `insufficient_scope`, with the scopes.
    public func require(_ scopes: [Scope]) throws(AccessTokenError) {
        guard scopes.allSatisfy(self.scopes.contains) else { throw AccessTokenError.insufficientScope(scopes) }
    }
}
