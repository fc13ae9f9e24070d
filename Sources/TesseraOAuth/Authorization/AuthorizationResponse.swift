// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A code that came back to its own attempt.
///
/// There is no public initializer: only ``PendingAuthorization`` makes one.
public struct AuthorizationResponse: Sendable {
    /// `code`.
    public let code: Secret
    let binding: AuthorizationBinding

    /// The provider that answered.
    public var issuer: Issuer { self.binding.issuer }
    /// What was asked for.
    public var request: AuthorizationRequest { self.binding.request }
}

extension AuthorizationResponse {
    /// What the nonce of the ID token has to be: the one that was sent, none where none was.
    public var nonceRule: IDTokenPolicy.NonceRule { self.binding.nonce.map { .equal($0) } ?? .absent }
}
