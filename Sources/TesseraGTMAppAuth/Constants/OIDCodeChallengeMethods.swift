// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The code challenge method that sends a SHA-256 hash (RFC 7636, section 4.3).
public let OIDOAuthorizationRequestCodeChallengeMethodS256 = "S256"
