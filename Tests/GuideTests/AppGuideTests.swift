// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGoogleSignIn
internal import TesseraTesting
internal import Testing

@Suite("Guide for apps")
struct AppGuideTests {
    @Test("A preview signs a user in without a network and without a keychain")
    func preview() async throws {
        // guide: ios-preview
        let provider = try ScriptedProvider()
        let signIn = SignIn(
            try provider.provider,
            runtime: provider.runtime,
            store: InMemoryStore(),
            userAgent: provider.userAgent()
        )
        // end
        #expect(GIDSignIn(signIn: signIn).currentUser == nil)
        let session = try await signIn.signIn(scopes: [.openID])
        #expect(try await session.accessToken().secret == session.record.tokens?.accessToken)
    }

    /// Compiled only, because it needs the configuration of an app.
    private func appCheck(_ provider: any GIDAppCheckTokenProvider) async throws {
        // guide: ios-app-check
        try await GIDSignIn.sharedInstance.configure(appCheckProvider: provider)
        // end
    }
}
