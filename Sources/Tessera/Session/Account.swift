// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

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

/// What the provider said about the person at sign-in; for display, never for keys of a store.
public struct Identity: Sendable, Hashable {
    /// The email address.
    public var email: String?
    /// Whether the provider has verified that address.
    public var emailVerified: Bool?
    /// The full name.
    public var name: String?
    /// The URL of a picture.
    public var picture: String?
    /// The Google Workspace domain (`hd`).
    public var hostedDomain: String?
    /// The provider's own session (`sid`), by which it may say that the person has signed out there.
    public var sessionID: String?
    /// The name that the caller gave this account.
    public var label: String?

    /// An identity.
    public init(
        email: String? = nil,
        emailVerified: Bool? = nil,
        name: String? = nil,
        picture: String? = nil,
        hostedDomain: String? = nil,
        sessionID: String? = nil,
        label: String? = nil
    ) {
        self.email = email
        self.emailVerified = emailVerified
        self.name = name
        self.picture = picture
        self.hostedDomain = hostedDomain
        self.sessionID = sessionID
        self.label = label
    }

    /// What ID token claims say.
    init(_ claims: IDTokenClaims, label: String?) {
        self.init(
            email: claims.email,
            emailVerified: claims.emailVerified,
            name: claims.name,
            picture: claims.picture,
            hostedDomain: claims.hostedDomain,
            sessionID: claims.sessionID,
            label: label
        )
    }

    /// The best short name: the label, the email address, the full name.
    public var displayName: String? { self.label ?? self.email ?? self.name }
}
