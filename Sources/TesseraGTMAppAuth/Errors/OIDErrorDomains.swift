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
