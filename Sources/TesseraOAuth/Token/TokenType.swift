// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// How an access token is presented.
///
/// - SeeAlso: [RFC 6749, section 7.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-7.1)
public enum TokenType: String, Sendable, Hashable {
    /// In the `Authorization` header, by whoever has it (RFC 6750).
    case bearer = "Bearer"
}
