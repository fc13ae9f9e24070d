// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraDefaults
internal import TesseraGoogle
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// What the guides of `TesseraGoogle` and `TesseraGoogleSignIn` quote.
@Suite("The guides to Google")
struct GoogleGuideTests {
    @Test("A client file is read, and makes a provider")
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

    @Test("A Workspace domain can be demanded")
    func domain() {
        // guide: domain
        var options = SignInOptions()
        options.requireHostedDomain("example.com")
        // end
        #expect(options.requiredClaims == ["hd": "example.com"])
    }

    /// With the application's own configuration and the person's browser: compiled alone.
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

    @Test("The names are those of the ancestor, over a sign-in of the program's")
    func ancestor() async throws {
        let world = try ScriptedProvider()
        let signIn = SignIn(
            try world.provider,
            runtime: world.runtime,
            store: InMemoryStore(),
            userAgent: world.userAgent()
        )
        // guide: own-sign-in
        let google = GIDSignIn(signIn: signIn)
        let isKnown = google.hasPreviousSignIn()
        // end
        #expect(!isKnown)
    }
}
