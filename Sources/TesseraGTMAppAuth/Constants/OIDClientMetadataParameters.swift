// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
