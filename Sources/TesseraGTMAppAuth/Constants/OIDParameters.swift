// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The response type of the authorization code flow (RFC 6749, section 4.1.1).
public let OIDResponseTypeCode = "code"
/// The response type of the implicit flow (RFC 6749, section 4.2.1), which RFC 9700 advises against.
public let OIDResponseTypeToken = "token"
/// The response type that asks for an ID token (OpenID Connect Core 1.0, section 3).
public let OIDResponseTypeIDToken = "id_token"

/// Exchanges an authorization code (RFC 6749, section 4.1.3).
public let OIDGrantTypeAuthorizationCode = "authorization_code"
/// Exchanges a refresh token (RFC 6749, section 6).
public let OIDGrantTypeRefreshToken = "refresh_token"
/// Exchanges a user's password (RFC 6749, section 4.3.2), which RFC 9700 forbids.
public let OIDGrantTypePassword = "password"
/// Exchanges the client's own credentials (RFC 6749, section 4.4.2).
public let OIDGrantTypeClientCredentials = "client_credentials"

/// The scope that asks for an ID token (OpenID Connect Core 1.0, section 3.1.2.1).
public let OIDScopeOpenID = "openid"
/// The scope for the user's name, picture and similar claims (OpenID Connect Core 1.0, section 5.4).
public let OIDScopeProfile = "profile"
/// The scope that asks for `email` and `email_verified` (OpenID Connect Core 1.0, section 5.4).
public let OIDScopeEmail = "email"
/// The scope that asks for `address` (OpenID Connect Core 1.0, section 5.4).
public let OIDScopeAddress = "address"
/// The scope that asks for `phone_number` and `phone_number_verified` (OpenID Connect Core 1.0, section 5.4).
public let OIDScopePhone = "phone"

/// The code challenge method that sends a SHA-256 hash (RFC 7636, section 4.3).
public let OIDOAuthorizationRequestCodeChallengeMethodS256 = "S256"

/// How a client proves itself at the token endpoint (RFC 7591, section 2).
public let OIDTokenEndpointAuthenticationMethodParam = "token_endpoint_auth_method"
/// Whether a client is `native` or `web` (OpenID Connect Dynamic Client Registration 1.0, section 2).
public let OIDApplicationTypeParam = "application_type"
/// Where a client lets the browser be sent back to (RFC 7591, section 2).
public let OIDRedirectURIsParam = "redirect_uris"
/// The response types that a client will use (RFC 7591, section 2).
public let OIDResponseTypesParam = "response_types"
/// The grant types that a client will use (RFC 7591, section 2).
public let OIDGrantTypesParam = "grant_types"
/// Whether `sub` is the same for all clients (OpenID Connect Dynamic Client Registration 1.0, section 2).
public let OIDSubjectTypeParam = "subject_type"
/// The application type of an app (OpenID Connect Dynamic Client Registration 1.0, section 2).
public let OIDApplicationTypeNative = "native"

/// The client's name for the provider (RFC 7591, section 3.2.1).
public let OIDClientIDParam = "client_id"
/// When the client was registered, in seconds since 1970 (RFC 7591, section 3.2.1).
public let OIDClientIDIssuedAtParam = "client_id_issued_at"
/// The client's secret (RFC 7591, section 3.2.1).
public let OIDClientSecretParam = "client_secret"
/// When the secret ends, in seconds since 1970, or 0 (RFC 7591, section 3.2.1).
///
/// The name is spelled as AppAuth spells it.
public let OIDClientSecretExpirestAtParam = "client_secret_expires_at"
/// The token that lets the registration be read and changed (RFC 7592, section 3).
public let OIDRegistrationAccessTokenParam = "registration_access_token"
/// Where the registration can be read and changed (RFC 7592, section 3).
public let OIDRegistrationClientURIParam = "registration_client_uri"
