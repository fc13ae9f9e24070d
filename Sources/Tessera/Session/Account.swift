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

    /// Whether both are the same, byte for byte: texts that only look alike are other accounts.
    public static func == (left: Account, right: Account) -> Bool {
        left.issuer.isExactly(right.issuer) && left.clientID.isExactly(right.clientID)
            && left.subject.isExactly(right.subject)
    }
}

extension Account: Identifiable {
    /// The person at the provider, the same for ever and whatever the client: issuer, `#`, and `sub`.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 5.7](https://openid.net/specs/openid-connect-core-1_0.html#ClaimStability)
    public var id: String { "\(self.issuer)#\(self.subject)" }
}
