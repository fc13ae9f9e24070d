// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJSON

/// Tokens, as the token endpoint gave them and as checked as they can be without keys.
///
/// - SeeAlso: [RFC 6749, section 5.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-5.1)
public struct TokenResponse: Sendable {
    /// `access_token`: printable ASCII, not empty.
    public let accessToken: Secret
    /// `token_type`, whatever its case was: the one that was asked for.
    public let tokenType: TokenType
    /// `issued_token_type`: what kind of token ``accessToken`` is; always there after a token exchange.
    public let issuedTokenType: TokenTypeIdentifier?
    /// `expires_in` in seconds, nil where the provider does not say: unknown, not «for ever».
    public let expiresIn: Int64?
    /// `refresh_token`; nil means that the one in use stays.
    public let refreshToken: Secret?
    /// `refresh_token_expires_in` in seconds (Google), where the grant ends by time.
    public let refreshTokenExpiresIn: Int64?
    /// `scope`; nil means: as asked for.
    public let scope: [Scope]?
    /// `id_token`, not validated yet.
    public let idToken: Secret?
    /// `authorization_details`: what was granted in detail, objects that each have a `type`; nil where it is not said.
    ///
    /// - SeeAlso: [RFC 9396, section 7](https://www.rfc-editor.org/rfc/rfc9396.html#section-7)
    public let authorizationDetails: [JSONValue]?
    /// The server's clock when it answered, where it said so (`Date`).
    public let serverDate: Date?
    /// The whole answer, for members that have no property.
    ///
    /// It holds the tokens too, and shows them to nobody but its reader: its descriptions tell the shape only.
    public let document: JSONValue
}
