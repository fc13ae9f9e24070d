// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What the token endpoint refuses; the codes of ``OIDOAuthTokenErrorDomain``.
///
/// - SeeAlso: [RFC 6749, section 5.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2)
public enum OIDErrorCodeOAuthToken: Int, Sendable, CaseIterable {
    /// `invalid_request`.
    case invalidRequest = -2
    /// `invalid_client`.
    case invalidClient = -9
    /// `invalid_grant`.
    case invalidGrant = -10
    /// `unauthorized_client`.
    case unauthorizedClient = -3
    /// `unsupported_grant_type`.
    case unsupportedGrantType = -11
    /// `invalid_scope`.
    case invalidScope = -6
    /// Found on this side.
    case clientError = -0xEFFF
    /// Any other `error`.
    case other = -0xF000
}
