// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// How an access token is presented.
///
/// - SeeAlso: [RFC 6749, section 7.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-7.1)
public enum TokenType: String, Sendable, Hashable, CaseIterable {
    /// In the `Authorization` header, by whoever has it (RFC 6750).
    case bearer = "Bearer"
    /// Not at all: what a token exchange issued is no access token (RFC 8693, section 2.2.1).
    case notApplicable = "N_A"
    /// In the `Authorization` header, with a proof that the sender has the key it is bound to (RFC 9449).
    case dpop = "DPoP"
}
