// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A code that came back to its own attempt.
///
/// There is no public initializer: only ``PendingAuthorization`` makes one.
///
/// - SeeAlso: [RFC 6749, section 4.1.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.2)
public struct AuthorizationResponse: Sendable {
    /// `code`.
    public let code: Secret
    /// The ID token that came beside the code, validated; nil but in the hybrid flow.
    public let idToken: ValidatedIDToken?
    let binding: AuthorizationBinding

    /// The provider that answered.
    public var issuer: Issuer { self.binding.issuer }
    /// What was asked for.
    public var request: AuthorizationRequest { self.binding.request }
    /// The key that the code is bound to, the only one that can exchange it; nil where it is bound to none.
    public var dpopKey: DPoPKey? { self.binding.dpopKey }
}

extension AuthorizationResponse {
    /// What the nonce of the ID token has to be: the one that was sent, none where none was.
    public var nonceRule: IDTokenPolicy.NonceRule { self.binding.nonceRule }
}
