// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Errors of this side: a code is an ``OIDErrorCode``.
public let OIDGeneralErrorDomain = "org.openid.appauth.general"
/// What the authorization endpoint refused: a code is an ``OIDErrorCodeOAuthAuthorization``.
public let OIDOAuthAuthorizationErrorDomain = "org.openid.appauth.oauth_authorization"
/// What the token endpoint refused: a code is an ``OIDErrorCodeOAuthToken``.
public let OIDOAuthTokenErrorDomain = "org.openid.appauth.oauth_token"
/// What the registration endpoint refused: a code is an ``OIDErrorCodeOAuthRegistration``.
public let OIDOAuthRegistrationErrorDomain = "org.openid.appauth.oauth_registration"
/// What an API refused: the code is the program's own.
public let OIDResourceServerAuthorizationErrorDomain = "org.openid.appauth.resourceserver"
/// A response with a status that is neither a success nor a reason: the code is the HTTP status.
public let OIDHTTPErrorDomain = "org.openid.appauth.remote-http"

/// The key in `userInfo` for what a server sent with its refusal: a `[String: Any]`.
public let OIDOAuthErrorResponseErrorKey = "OIDOAuthErrorResponseErrorKey"
/// The member of a refusal that names it (RFC 6749, section 5.2).
public let OIDOAuthErrorFieldError = "error"
/// The member of a refusal that explains it to developers (RFC 6749, section 5.2).
public let OIDOAuthErrorFieldErrorDescription = "error_description"
/// The member of a refusal that leads to a page about it (RFC 6749, section 5.2).
public let OIDOAuthErrorFieldErrorURI = "error_uri"

/// What went wrong on this side; the codes of ``OIDGeneralErrorDomain``.
public enum OIDErrorCode: Int, Sendable, CaseIterable {
    /// A discovery document lacks something, or has something else in its place.
    case invalidDiscoveryDocument = -2
    /// The user closed the browser.
    case userCanceledAuthorizationFlow = -3
    /// The program called the attempt off.
    case programCanceledAuthorizationFlow = -4
    /// The network failed.
    case networkError = -5
    /// The server failed.
    case serverError = -6
    /// What came is no JSON.
    case jsonDeserializationError = -7
    /// A token response cannot be used.
    case tokenResponseConstructionError = -8
    /// Safari could not be opened.
    case safariOpenError = -9
    /// The browser could not be opened.
    case browserOpenError = -10
    /// The tokens could not be refreshed.
    case tokenRefreshError = -11
    /// A registration response cannot be used.
    case registrationResponseConstructionError = -12
    /// What was to be sent cannot be written as JSON.
    case jsonSerializationError = -13
    /// An ID token cannot be read.
    case idTokenParsingError = -14
    /// An ID token is not for this client, not from this provider, or not good any more.
    case idTokenFailedValidationError = -15
    /// A URL is not the redirect that was waited for.
    case urlMismatch = -16
    /// A redirect arrived that no flow waits for any more.
    case invalidAuthorizationFlow = -17
}

/// The refusals of RFC 6749 and of dynamic registration, whatever endpoint they come from.
public enum OIDErrorCodeOAuth: Int, Sendable, CaseIterable {
    /// `invalid_request` (RFC 6749, sections 4.1.2.1 and 5.2).
    case invalidRequest = -2
    /// `unauthorized_client` (RFC 6749, sections 4.1.2.1 and 5.2).
    case unauthorizedClient = -3
    /// `access_denied` (RFC 6749, section 4.1.2.1).
    case accessDenied = -4
    /// `unsupported_response_type` (RFC 6749, section 4.1.2.1).
    case unsupportedResponseType = -5
    /// `invalid_scope` (RFC 6749, sections 4.1.2.1 and 5.2).
    case invalidScope = -6
    /// `server_error` (RFC 6749, section 4.1.2.1).
    case serverError = -7
    /// `temporarily_unavailable` (RFC 6749, section 4.1.2.1).
    case temporarilyUnavailable = -8
    /// `invalid_client` (RFC 6749, section 5.2).
    case invalidClient = -9
    /// `invalid_grant` (RFC 6749, section 5.2).
    case invalidGrant = -10
    /// `unsupported_grant_type` (RFC 6749, section 5.2).
    case unsupportedGrantType = -11
    /// `invalid_redirect_uri` (RFC 7591, section 3.2.2).
    case invalidRedirectURI = -12
    /// `invalid_client_metadata` (RFC 7591, section 3.2.2).
    case invalidClientMetadata = -13
    /// Found on this side: another state than the one sent, or a request that cannot be right.
    case clientError = -0xEFFF
    /// Any other `error`; its text is in the response under ``OIDOAuthErrorResponseErrorKey``.
    case other = -0xF000
}

extension OIDErrorCodeOAuth {
    /// The code for an `error` text; ``other`` for one that has no code of its own.
    ///
    /// - SeeAlso: [RFC 6749, section 5.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2)
    package init(error: String) {
        self =
            switch error {
            case "invalid_request": .invalidRequest
            case "unauthorized_client": .unauthorizedClient
            case "access_denied": .accessDenied
            case "unsupported_response_type": .unsupportedResponseType
            case "invalid_scope": .invalidScope
            case "server_error": .serverError
            case "temporarily_unavailable": .temporarilyUnavailable
            case "invalid_client": .invalidClient
            case "invalid_grant": .invalidGrant
            case "unsupported_grant_type": .unsupportedGrantType
            case "invalid_redirect_uri": .invalidRedirectURI
            case "invalid_client_metadata": .invalidClientMetadata
            default: .other
            }
    }
}

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
