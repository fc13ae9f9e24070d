// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Who is signed in to what: the key of a session.
///
/// Never the email address, which can change hands.
public struct Account: Sendable, Hashable {
    /// The issuer identifier of the provider, or the name the caller gave it.
    public let issuer: String
    /// The client that the person signed in with.
    public let clientID: String
    /// The provider's own identifier of the person (`sub`).
    public let subject: String

    /// An account.
    public init(issuer: String, clientID: String, subject: String) {
        self.issuer = issuer
        self.clientID = clientID
        self.subject = subject
    }
}
