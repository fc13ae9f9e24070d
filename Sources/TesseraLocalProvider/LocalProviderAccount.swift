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

/// A program that is registered at the local provider.
public struct LocalProviderClient: Sendable, Hashable {
    /// What sort of program a client is, as Google's console calls it.
    public enum Kind: String, Sendable, Hashable {
        /// A desktop program: any port and path of a loopback address is its redirect URI, and it always gets a
        /// refresh token. It has a secret all the same, as at Google.
        case installed
        /// A web server: its redirect URIs match exactly, and `access_type=offline` asks for a refresh token.
        case web
    }

    /// The client's identifier.
    public var id: String
    /// The client's secret.
    public var secret: String
    /// The name that the consent page shows.
    public var name: String
    /// What sort of program it is.
    public var kind: Kind
    /// The redirect URIs that match exactly; an installed client has the loopback addresses besides.
    public var redirectURIs: [String]

    /// A registration.
    public init(id: String, secret: String, name: String, kind: Kind, redirectURIs: [String] = []) {
        self.id = id
        self.secret = secret
        self.name = name
        self.kind = kind
        self.redirectURIs = redirectURIs
    }

    /// The desktop client that a provider knows when nothing else is said.
    public static let desktop = LocalProviderClient(
        id: "104857600000-tessera.apps.local",
        secret: "not-a-secret-local-provider",
        name: "Your desktop app",
        kind: .installed
    )

    /// A web client with the given redirect URIs.
    public static func web(redirectURIs: [String]) -> LocalProviderClient {
        LocalProviderClient(
            id: "104857600001-tessera.apps.local",
            secret: "not-a-secret-local-provider-web",
            name: "Your web app",
            kind: .web,
            redirectURIs: redirectURIs
        )
    }
}
#endif
