// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The response type of the authorization code flow (RFC 6749, section 4.1.1).
public let OIDResponseTypeCode = "code"
/// The response type of the implicit flow (RFC 6749, section 4.2.1), which RFC 9700 advises against.
public let OIDResponseTypeToken = "token"
/// The response type that asks for an ID token (OpenID Connect Core 1.0, section 3).
public let OIDResponseTypeIDToken = "id_token"
