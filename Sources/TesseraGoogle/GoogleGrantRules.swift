// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraOAuth

extension GrantRules {
    /// Google's.
    ///
    /// - SeeAlso: [Google on the expiration of refresh tokens](https://developers.google.com/identity/protocols/oauth2#expiration)
    public static let google = GrantRules(
        name: "google",
        testingLifetime: 7 * 86_400,
        harmlessScopes: [.openID, .email, .profile],
        // Six months, as Google counts them: the shortest six have 181 days.
        idleLifetime: 181 * 86_400,
        signInLimit: 100,
        passwordScopes: ["https://mail.google.com/", "https://www.googleapis.com/auth/gmail."],
        refusals: [
            "invalid_rapt": .reauthentication, "rapt_required": .reauthentication,
            "admin_policy_enforced": .adminPolicy, "org_internal": .organizationOnly,
            "deleted_client": .clientDeleted,
        ],
        fixes: [
            .testingClient: """
            Publish the client (console.cloud.google.com/auth/audience, Publish app), then sign in again; as long as \
                it is in testing, every seven days.
            """,
            .idle: "Sign in again; a program that runs seldom should refresh every few months.",
            .tooManySignIns: """
            Sign in again, and keep the session: a program that signs in at each start, on many machines, ends its \
            own older sessions.
            """,
            .timeLimitedGrant: "Sign in again; the consent page lets the person choose for how long.",
            .reauthentication: """
            Sign in again. An administrator sets how often (admin.google.com, Security, Google Cloud session \
            control), and can exempt trusted clients.
            """,
            .revoked: "Sign in again if it is still wanted; myaccount.google.com/connections shows what has access.",
            .passwordChanged: "Sign in again; Google does that with mail, and nothing is broken.",
            .clientDeleted: """
            Restore the client within 30 days (console.cloud.google.com/auth/clients), or make another and sign in \
            with its file.
            """,
            .clientRefused: """
            Download the client's file again (console.cloud.google.com/auth/clients), then sign in with it: \
            'tessera login --client FILE'.
            """,
            .clientUnauthorized: "Use the client that the session was made with; a refresh token serves no other.",
            .adminPolicy: """
            Ask the administrator to trust the client (admin.google.com, Security, API controls), then sign in \
            again.
            """,
            .organizationOnly: """
            Sign in with an account of the organisation, or make the client external \
            (console.cloud.google.com/auth/audience).
            """,
        ],
        certificateIssuers: ["accounts.google.com": "Google Trust Services"]
    )
}

extension Provider {
    /// The provider of a stored session with Google's rules for refresh tokens, if it is Google.
    ///
    /// A record stores the rules by their name, and records of earlier versions do not store them.
    public var recognizingGoogle: Provider {
        let isGoogle = self.issuer.url == GoogleEndpoints.issuer || self.grantRules == .google
        guard isGoogle else { return self }
        var provider = self
        provider.grantRules = .google
        return provider
    }
}
