// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE

/// A token whose signature, issuer, audience and times were checked.
///
/// There is no public initializer: only ``JWTPolicy`` makes one.
///
/// - SeeAlso: [RFC 7519, section 7.2](https://www.rfc-editor.org/rfc/rfc7519.html#section-7.2)
public struct VerifiedJWT: Sendable {
    /// The token itself.
    public let token: Secret
    /// Its header.
    public let header: JWSHeader
    /// Its claims.
    public let claims: JWTClaims
}
