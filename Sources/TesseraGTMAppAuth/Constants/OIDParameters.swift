// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The response type for the authorization code flow (RFC 6749, section 4.1.1).
public let OIDResponseTypeCode = "code"
/// The response type for the implicit flow (RFC 6749, section 4.2.1), which RFC 9700 advises against.
public let OIDResponseTypeToken = "token"
/// The response type that requests an ID token (OpenID Connect Core 1.0, section 3).
public let OIDResponseTypeIDToken = "id_token"

/// The grant type that exchanges an authorization code (RFC 6749, section 4.1.3).
public let OIDGrantTypeAuthorizationCode = "authorization_code"
/// The grant type that exchanges a refresh token (RFC 6749, section 6).
public let OIDGrantTypeRefreshToken = "refresh_token"
/// The grant type that exchanges a user's password (RFC 6749, section 4.3.2), which RFC 9700 forbids.
public let OIDGrantTypePassword = "password"
/// The grant type that exchanges the client's own credentials (RFC 6749, section 4.4.2).
public let OIDGrantTypeClientCredentials = "client_credentials"

/// The scope that requests an ID token (OpenID Connect Core 1.0, section 3.1.2.1).
public let OIDScopeOpenID = "openid"
/// The scope that requests the user's name, picture and similar claims (OpenID Connect Core 1.0, section 5.4).
public let OIDScopeProfile = "profile"
/// The scope that requests `email` and `email_verified` (OpenID Connect Core 1.0, section 5.4).
public let OIDScopeEmail = "email"
/// The scope that requests `address` (OpenID Connect Core 1.0, section 5.4).
public let OIDScopeAddress = "address"
/// The scope that requests `phone_number` and `phone_number_verified` (OpenID Connect Core 1.0, section 5.4).
public let OIDScopePhone = "phone"

/// The code challenge method that sends a SHA-256 hash (RFC 7636, section 4.3).
public let OIDOAuthorizationRequestCodeChallengeMethodS256 = "S256"

/// The parameter for the client's authentication method at the token endpoint (RFC 7591, section 2).
public let OIDTokenEndpointAuthenticationMethodParam = "token_endpoint_auth_method"
/// The parameter for the client type, `native` or `web` (OpenID Connect Dynamic Client Registration 1.0, section 2).
public let OIDApplicationTypeParam = "application_type"
/// The parameter for the client's redirect URIs (RFC 7591, section 2).
public let OIDRedirectURIsParam = "redirect_uris"
/// The parameter for the response types that a client uses (RFC 7591, section 2).
public let OIDResponseTypesParam = "response_types"
/// The parameter for the grant types that a client uses (RFC 7591, section 2).
public let OIDGrantTypesParam = "grant_types"
/// The parameter for the kind of `sub` values, shared or per client (OpenID Connect Dynamic Client Registration 1.0,
/// section 2).
public let OIDSubjectTypeParam = "subject_type"
/// The application type for an app (OpenID Connect Dynamic Client Registration 1.0, section 2).
public let OIDApplicationTypeNative = "native"

/// The parameter for the client identifier (RFC 7591, section 3.2.1).
public let OIDClientIDParam = "client_id"
/// The parameter for the date of registration, in seconds since 1970 (RFC 7591, section 3.2.1).
public let OIDClientIDIssuedAtParam = "client_id_issued_at"
/// The parameter for the client secret (RFC 7591, section 3.2.1).
public let OIDClientSecretParam = "client_secret"
/// The parameter for the expiration date of the secret, in seconds since 1970, or 0 (RFC 7591, section 3.2.1).
///
/// The misspelling is AppAuth's.
public let OIDClientSecretExpirestAtParam = "client_secret_expires_at"
/// The parameter for the token that lets the client read and change the registration (RFC 7592, section 3).
public let OIDRegistrationAccessTokenParam = "registration_access_token"
/// The parameter for the URL at which the registration can be read and changed (RFC 7592, section 3).
public let OIDRegistrationClientURIParam = "registration_client_uri"
