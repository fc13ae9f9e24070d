// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Exchanges an authorization code (RFC 6749, section 4.1.3).
public let OIDGrantTypeAuthorizationCode = "authorization_code"
/// Exchanges a refresh token (RFC 6749, section 6).
public let OIDGrantTypeRefreshToken = "refresh_token"
/// Exchanges a person's password (RFC 6749, section 4.3.2), which RFC 9700 forbids.
public let OIDGrantTypePassword = "password"
/// Exchanges the client's own credentials (RFC 6749, section 4.4.2).
public let OIDGrantTypeClientCredentials = "client_credentials"
