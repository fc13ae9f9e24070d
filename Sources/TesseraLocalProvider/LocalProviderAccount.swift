// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// A person who can sign in at the local provider.
///
/// There is no password: whoever sits at the browser chooses.
public struct LocalProviderAccount: Sendable, Hashable {
    /// The identifier that never changes: the `sub` claim.
    public var subject: String
    /// The email address; `login_hint` may name it.
    public var email: String
    /// Whether the address counts as verified: the claim `email_verified`.
    public var isEmailVerified: Bool
    /// The given name.
    public var givenName: String
    /// The family name.
    public var familyName: String
    /// The language tag of the claim `locale`.
    public var locale: String
    /// The organisation's domain, the claim `hd`; nil for a consumer's account.
    public var hostedDomain: String?

    /// An account; `subject` and `email` must be unique among a provider's accounts.
    public init(
        subject: String,
        email: String,
        isEmailVerified: Bool = true,
        givenName: String,
        familyName: String,
        locale: String = "en",
        hostedDomain: String? = nil
    ) {
        self.subject = subject
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.givenName = givenName
        self.familyName = familyName
        self.locale = locale
        self.hostedDomain = hostedDomain
    }

    /// Given and family name.
    public var name: String { "\(self.givenName) \(self.familyName)" }

    /// The two people whom a provider knows when nothing else is said; Noor belongs to the organisation
    /// `tessera.example`.
    public static let samples = [
        LocalProviderAccount(
            subject: "108204268033311374519",
            email: "ada@example.com",
            givenName: "Ada",
            familyName: "Marlow"
        ),
        LocalProviderAccount(
            subject: "113774926501882640127",
            email: "noor@tessera.example",
            givenName: "Noor",
            familyName: "Hadid",
            hostedDomain: "tessera.example"
        ),
    ]
}
#endif
