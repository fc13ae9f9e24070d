// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

/// The key for a session, which identifies a user, a provider and a client.
///
/// An account does not include the email address, because an address can be assigned to another user.
public struct Account: Sendable, Hashable {
    /// The issuer identifier of the provider, or a name chosen by the app.
    public let issuer: String
    /// The client that the user signed in with.
    public let clientID: String
    /// The provider's identifier for the user (`sub`).
    public let subject: String

    /// Creates an account.
    public init(issuer: String, clientID: String, subject: String) {
        self.issuer = issuer
        self.clientID = clientID
        self.subject = subject
    }

    /// Returns whether two accounts are equal byte for byte.
    ///
    /// Canonically equivalent Unicode strings with different bytes are different accounts.
    public static func == (left: Account, right: Account) -> Bool {
        left.issuer.isExactly(right.issuer) && left.clientID.isExactly(right.clientID)
            && left.subject.isExactly(right.subject)
    }
}

extension Account: Identifiable {
    /// The issuer, `#` and `sub`, which identify the user permanently and independently of the client.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 5.7](https://openid.net/specs/openid-connect-core-1_0.html#ClaimStability)
    public var id: String { "\(self.issuer)#\(self.subject)" }
}

/// The user's profile as reported by the provider at sign-in.
///
/// Use it for display only, never as a key in a store.
public struct Identity: Sendable, Hashable {
    /// The user's email address.
    public var email: String?
    /// Whether the provider has verified the email address.
    public var emailVerified: Bool?
    /// The user's full name.
    public var name: String?
    /// The URL of the user's picture.
    public var picture: String?
    /// The Google Workspace domain (`hd`).
    public var hostedDomain: String?
    /// The identifier of the user's session at the provider (`sid`), used in logout notifications.
    public var sessionID: String?
    /// A name for this account chosen by the app.
    public var label: String?

    /// Creates an identity.
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

    /// Creates an identity from the claims of an ID token.
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

    /// A short name for display: the label, the email address or the full name, in that order of preference.
    public var displayName: String? { self.label ?? self.email ?? self.name }
}
