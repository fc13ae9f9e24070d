// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What the registration endpoint refuses; the codes of ``OIDOAuthRegistrationErrorDomain``.
///
/// - SeeAlso: [RFC 7591, section 3.2.2](https://www.rfc-editor.org/rfc/rfc7591.html#section-3.2.2)
public enum OIDErrorCodeOAuthRegistration: Int, Sendable, CaseIterable {
    /// `invalid_request`.
    case invalidRequest = -2
    /// `invalid_redirect_uri`.
    case invalidRedirectURI = -12
    /// `invalid_client_metadata`.
    case invalidClientMetadata = -13
    /// Found on this side.
    case clientError = -0xEFFF
    /// Any other `error`.
    case other = -0xF000
}
