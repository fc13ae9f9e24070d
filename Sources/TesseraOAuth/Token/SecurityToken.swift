// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A token of any kind, as a token exchange takes it.
///
/// - SeeAlso: [RFC 8693, section 2.1](https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1)
public struct SecurityToken: Sendable, Hashable {
    /// Its text.
    public let token: Secret
    /// What kind of token it is.
    public let type: TokenTypeIdentifier

    /// A token.
    public init(_ token: Secret, type: TokenTypeIdentifier) {
        self.token = token
        self.type = type
    }
}
