// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraDefaults
internal import TesseraGoogle
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// The code in the guides of `TesseraGoogle` and `TesseraGoogleSignIn`.
@Suite("Guides for Google")
struct GoogleGuideTests {
    @Test("Creates a provider from a client file")
    func clientFile() throws {
        let bytes = Array(
            #"""
            {"installed": {"client_id": "1.apps.googleusercontent.com", "client_secret": "s",
             "auth_uri": "https://accounts.google.com/o/oauth2/auth", "token_uri": "https://oauth2.googleapis.com/token",
             "redirect_uris": ["http://localhost"]}}
            """#
            .utf8
        )
        // guide: client-file
        let file = try GoogleClientFile(parsing: bytes)
        let provider = try Provider.google(file)
        // end
        #expect(file.kind == .installed)
        #expect(provider.issuer.url == "https://accounts.google.com")
    }

    @Test("Requires a Workspace domain")
    func domain() {
        // guide: domain
        var options = SignInOptions()
        options.requireHostedDomain("example.com")
        // end
        #expect(options.requiredClaims == ["hd": "example.com"])
    }

    /// Compiled only, because it needs the app's configuration and a browser.
    func signIn(presenting: GIDPresentation) async throws -> GIDGoogleUser {
        // guide: google-names
        GIDSignIn.sharedInstance.configuration = GIDConfiguration(clientID: "1.apps.googleusercontent.com")
        let result = try await GIDSignIn.sharedInstance.signIn(withPresenting: presenting)
        let user = try await result.user.refreshTokensIfNeeded()
        let header = "Bearer \(user.accessToken.tokenString)"
        // end
        _ = header
        return user
    }

    @Test("GIDSignIn uses a custom sign-in")
    func customSignIn() async throws {
        let provider = try ScriptedProvider()
        let signIn = SignIn(
            try provider.provider,
            runtime: provider.runtime,
            store: InMemoryStore(),
            userAgent: provider.userAgent()
        )
        // guide: custom-sign-in
        let google = GIDSignIn(signIn: signIn)
        let isKnown = google.hasPreviousSignIn()
        // end
        #expect(!isKnown)
    }
}
