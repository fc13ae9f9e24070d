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
/// An answer with a status that says neither success nor a reason: the code is the HTTP status.
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
    /// The person closed the browser.
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
    /// A redirect came that nobody waits for any more.
    case invalidAuthorizationFlow = -17
}
