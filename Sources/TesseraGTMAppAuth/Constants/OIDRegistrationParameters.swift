// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
