// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What the authorization endpoint refuses; the codes of ``OIDOAuthAuthorizationErrorDomain``.
///
/// - SeeAlso: [RFC 6749, section 4.1.2.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.2.1)
public enum OIDErrorCodeOAuthAuthorization: Int, Sendable, CaseIterable {
    /// `invalid_request`.
    case invalidRequest = -2
    /// `unauthorized_client`.
    case unauthorizedClient = -3
    /// `access_denied`.
    case accessDenied = -4
    /// `unsupported_response_type`.
    case unsupportedResponseType = -5
    /// `invalid_scope`; the name is spelled as AppAuth spells it.
    case authorizationInvalidScope = -6
    /// `server_error`.
    case serverError = -7
    /// `temporarily_unavailable`.
    case temporarilyUnavailable = -8
    /// Found on this side: another state than the one sent, or a request that cannot be right.
    case clientError = -0xEFFF
    /// Any other `error`.
    case other = -0xF000
}
