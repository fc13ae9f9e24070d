// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The key in `userInfo` for what a server sent with its refusal: a `[String: Any]`.
public let OIDOAuthErrorResponseErrorKey = "OIDOAuthErrorResponseErrorKey"
/// The member of a refusal that names it (RFC 6749, section 5.2).
public let OIDOAuthErrorFieldError = "error"
/// The member of a refusal that explains it to developers (RFC 6749, section 5.2).
public let OIDOAuthErrorFieldErrorDescription = "error_description"
/// The member of a refusal that leads to a page about it (RFC 6749, section 5.2).
public let OIDOAuthErrorFieldErrorURI = "error_uri"
