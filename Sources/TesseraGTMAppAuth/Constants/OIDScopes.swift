// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The scope that asks for an ID token (OpenID Connect Core 1.0, section 3.1.2.1).
public let OIDScopeOpenID = "openid"
/// The scope that asks for the person's name, picture and the like (OpenID Connect Core 1.0, section 5.4).
public let OIDScopeProfile = "profile"
/// The scope that asks for `email` and `email_verified` (OpenID Connect Core 1.0, section 5.4).
public let OIDScopeEmail = "email"
/// The scope that asks for `address` (OpenID Connect Core 1.0, section 5.4).
public let OIDScopeAddress = "address"
/// The scope that asks for `phone_number` and `phone_number_verified` (OpenID Connect Core 1.0, section 5.4).
public let OIDScopePhone = "phone"
