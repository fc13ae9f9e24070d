// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraOAuth

extension RefreshTokenPolicy {
    /// Google's rules for refresh tokens.
    ///
    /// - SeeAlso: [Google on the expiration of refresh tokens](https://developers.google.com/identity/protocols/oauth2#expiration)
    public static let google = RefreshTokenPolicy(
        name: "google",
        testingLifetime: 7 * 86_400,
        harmlessScopes: [.openID, .email, .profile],
        // Google's limit is six months. The shortest period of six consecutive months has 181 days.
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
            Publish the client (console.cloud.google.com/auth/audience, Publish app), then sign in again. While the \
            client is in testing, sign in every seven days.
            """,
            .idle: "Sign in again. A program that rarely runs should refresh the session every few months.",
            .tooManySignIns: """
            Sign in again, and reuse the stored session. A program that signs in at each start, or on many machines, \
            ends its own older sessions.
            """,
            .timeLimitedAccess: "Sign in again. On the consent page, the user can choose the duration of the access.",
            .reauthentication: """
            Sign in again. An administrator sets how often this is required (admin.google.com, Security, Google \
            Cloud session control) and can exempt trusted clients.
            """,
            .revoked: "Sign in again if the access is still needed. Review it at myaccount.google.com/connections.",
            .passwordChanged: "Sign in again. Google revokes access to Gmail when the password changes.",
            .clientDeleted: """
            Restore the client within 30 days (console.cloud.google.com/auth/clients), or create another client and \
            sign in with its file.
            """,
            .clientRefused: """
            Download the client's file again (console.cloud.google.com/auth/clients), then sign in with it: \
            'tessera login --client FILE'.
            """,
            .clientUnauthorized: "Use the client that created the session, because its refresh token is bound to it.",
            .adminPolicy: """
            Ask the administrator to trust the client (admin.google.com, Security, API controls), then sign in \
            again.
            """,
            .organizationOnly: """
            Sign in with an account of the organization, or make the client external \
            (console.cloud.google.com/auth/audience).
            """,
        ],
        certificateIssuers: ["accounts.google.com": "Google Trust Services"]
    )
}

extension Provider {
    /// The provider with Google's rules for refresh tokens if it is Google, or the unchanged provider if it is not.
    ///
    /// Stored sessions contain only the name of the rules, and sessions stored by earlier versions contain no rules.
    public var recognizingGoogle: Provider {
        let isGoogle = self.issuer.url == GoogleEndpoints.issuer || self.refreshTokenPolicy == .google
        guard isGoogle else { return self }
        var provider = self
        provider.refreshTokenPolicy = .google
        return provider
    }
}
