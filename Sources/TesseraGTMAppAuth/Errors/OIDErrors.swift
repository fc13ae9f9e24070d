// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The domain for general errors.
///
/// The code is an ``OIDErrorCode``.
public let OIDGeneralErrorDomain = "org.openid.appauth.general"
/// The domain for errors from the authorization endpoint.
///
/// The code is an ``OIDErrorCodeOAuthAuthorization``.
public let OIDOAuthAuthorizationErrorDomain = "org.openid.appauth.oauth_authorization"
/// The domain for errors from the token endpoint.
///
/// The code is an ``OIDErrorCodeOAuthToken``.
public let OIDOAuthTokenErrorDomain = "org.openid.appauth.oauth_token"
/// The domain for errors from the registration endpoint.
///
/// The code is an ``OIDErrorCodeOAuthRegistration``.
public let OIDOAuthRegistrationErrorDomain = "org.openid.appauth.oauth_registration"
/// The domain for errors from a resource server.
///
/// The app defines the codes.
public let OIDResourceServerAuthorizationErrorDomain = "org.openid.appauth.resourceserver"
/// The domain for unsuccessful HTTP responses without an OAuth error.
///
/// The code is the HTTP status. The description is the beginning of the response body, if there is one.
public let OIDHTTPErrorDomain = "org.openid.appauth.remote-http"

/// The `userInfo` key for a server's error response, which is a `[String: Any]`.
public let OIDOAuthErrorResponseErrorKey = "OIDOAuthErrorResponseErrorKey"
/// The member that identifies the error in an error response (RFC 6749, section 5.2).
public let OIDOAuthErrorFieldError = "error"
/// The member that describes the error to developers in an error response (RFC 6749, section 5.2).
public let OIDOAuthErrorFieldErrorDescription = "error_description"
/// The member that links to a page about the error in an error response (RFC 6749, section 5.2).
public let OIDOAuthErrorFieldErrorURI = "error_uri"

/// The error codes in ``OIDGeneralErrorDomain``.
public enum OIDErrorCode: Int, Sendable, CaseIterable {
    /// A member of a discovery document is missing or has the wrong type.
    case invalidDiscoveryDocument = -2
    /// The user closed the browser.
    case userCanceledAuthorizationFlow = -3
    /// The app canceled the flow.
    case programCanceledAuthorizationFlow = -4
    /// A request failed, or a discovery document could not be fetched or parsed.
    ///
    /// The underlying error is a `URLError`, or an error in ``OIDHTTPErrorDomain`` or ``OIDGeneralErrorDomain``.
    case networkError = -5
    /// A server error occurred.
    case serverError = -6
    /// A response is not valid JSON.
    case jsonDeserializationError = -7
    /// A token response is invalid.
    case tokenResponseConstructionError = -8
    /// Safari could not be opened.
    case safariOpenError = -9
    /// The browser could not be opened.
    case browserOpenError = -10
    /// The tokens could not be refreshed.
    case tokenRefreshError = -11
    /// A registration response is invalid.
    case registrationResponseConstructionError = -12
    /// A request cannot be encoded as JSON.
    case jsonSerializationError = -13
    /// An ID token cannot be parsed.
    case idTokenParsingError = -14
    /// An ID token is invalid, for example because of its issuer, its audience or its expiration date.
    case idTokenFailedValidationError = -15
    /// A URL is not the expected redirect.
    case urlMismatch = -16
    /// A redirect arrived, but its flow is no longer pending.
    case invalidAuthorizationFlow = -17
}

/// The error codes from RFC 6749 and RFC 7591, for all endpoints.
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
    /// The client detected an error, such as an unexpected state or an invalid request.
    case clientError = -0xEFFF
    /// Any other `error`.
    ///
    /// The response under ``OIDOAuthErrorResponseErrorKey`` contains its value.
    case other = -0xF000
}

extension OIDErrorCodeOAuth {
    /// Creates the code for a value of `error`, or ``other`` if the value has no code.
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

/// The error codes in ``OIDOAuthAuthorizationErrorDomain``.
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
    /// `invalid_scope`.
    ///
    /// The name is the same as in AppAuth.
    case authorizationInvalidScope = -6
    /// `server_error`.
    case serverError = -7
    /// `temporarily_unavailable`.
    case temporarilyUnavailable = -8
    /// The client detected an error, such as an unexpected state or an invalid request.
    case clientError = -0xEFFF
    /// Any other `error`.
    case other = -0xF000
}

/// The error codes in ``OIDOAuthTokenErrorDomain``.
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
    /// The client detected an error.
    case clientError = -0xEFFF
    /// Any other `error`.
    case other = -0xF000
}

/// The error codes in ``OIDOAuthRegistrationErrorDomain``.
///
/// - SeeAlso: [RFC 7591, section 3.2.2](https://www.rfc-editor.org/rfc/rfc7591.html#section-3.2.2)
public enum OIDErrorCodeOAuthRegistration: Int, Sendable, CaseIterable {
    /// `invalid_request`.
    case invalidRequest = -2
    /// `invalid_redirect_uri`.
    case invalidRedirectURI = -12
    /// `invalid_client_metadata`.
    case invalidClientMetadata = -13
    /// The client detected an error.
    case clientError = -0xEFFF
    /// Any other `error`.
    case other = -0xF000
}

/// The name of the exception that AppAuth raises for a redirect to a flow that has ended.
///
/// Here, such a redirect is ignored. See
/// ``OIDExternalUserAgentSession/resumeExternalUserAgentFlow(with:)``.
public let OIDOAuthExceptionInvalidAuthorizationFlow =
    "An OAuth redirect was sent to a OIDExternalUserAgentSession after it already completed."
/// The name of the exception that AppAuth raises for a code exchange without a redirect URL.
///
/// Here, the provider rejects such a request.
public let OIDOAuthExceptionInvalidTokenRequestNullRedirectURL =
    "A OIDTokenRequest was created with a grant_type that requires a redirectURL, but a null redirectURL was given"
/// The name of the exception that AppAuth raises for a refresh without a refresh token.
///
/// Here, ``OIDAuthState/tokenRefreshRequest(withAdditionalParameters:additionalHeaders:)`` returns nil.
public let kRefreshTokenRequestException =
    "Attempted to create a token refresh request from a token response with no refresh token."
