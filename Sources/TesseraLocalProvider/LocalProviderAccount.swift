// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// A user account of the local provider.
///
/// Accounts have no password. Anyone with access to the sign-in page can choose any of them.
public struct LocalProviderAccount: Sendable, Hashable {
    /// The account's permanent identifier, which is the `sub` claim.
    public var subject: String
    /// The email address, which can be used as a `login_hint`.
    public var email: String
    /// Whether the email address is verified, which is the `email_verified` claim.
    public var isEmailVerified: Bool
    /// The given name.
    public var givenName: String
    /// The family name.
    public var familyName: String
    /// The language tag, which is the `locale` claim.
    public var locale: String
    /// The organization's domain, which is the `hd` claim, or `nil` for a consumer account.
    public var hostedDomain: String?

    /// Creates an account.
    ///
    /// The `subject` and `email` must be unique among a provider's accounts.
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

    /// The full name.
    public var name: String { "\(self.givenName) \(self.familyName)" }

    /// The default accounts.
    ///
    /// Noor belongs to the organization `tessera.example`.
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

/// An app registered with the local provider.
public struct LocalProviderClient: Sendable, Hashable {
    /// The type of app, as in Google's console.
    public enum Kind: String, Sendable, Hashable {
        /// A desktop app.
        ///
        /// Its redirect URI can use any port and path on a loopback address. It always receives a refresh token. As
        /// with Google, it has a client secret.
        case installed
        /// A web server.
        ///
        /// Its redirect URIs must match exactly. To receive a refresh token, it must request one with
        /// `access_type=offline`.
        case web
    }

    /// The client ID.
    public var id: String
    /// The client secret.
    ///
    /// If it is empty, the client does not have to authenticate, like Google's clients for iOS.
    public var secret: String
    /// The name shown on the consent page.
    public var name: String
    /// The type of app.
    public var kind: Kind
    /// The redirect URIs, which must match exactly.
    ///
    /// An installed app can also use loopback addresses.
    public var redirectURIs: [String]

    /// Creates a client registration.
    public init(id: String, secret: String, name: String, kind: Kind, redirectURIs: [String] = []) {
        self.id = id
        self.secret = secret
        self.name = name
        self.kind = kind
        self.redirectURIs = redirectURIs
    }

    /// The default desktop client.
    public static let desktop = LocalProviderClient(
        id: "104857600000-tessera.apps.local",
        secret: "not-a-secret-local-provider",
        name: "Your desktop app",
        kind: .installed
    )

    /// Returns a web client with the given redirect URIs.
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
