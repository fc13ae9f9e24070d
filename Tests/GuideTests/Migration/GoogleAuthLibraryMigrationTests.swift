// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// Runs what the guide from google-auth-library-swift quotes.
@Suite("The guide from google-auth-library-swift")
struct GoogleAuthLibraryMigrationTests {
    @Test("The files are listed, after one sign-in however often the program runs")
    func lists() async throws {
        let world = try ScriptedProvider()
        world.intercept("/drive/v3/files") { _ in .json("[]") }
        var provider = try world.provider
        provider.authorizedOrigins = [try OriginPattern("https://www.googleapis.com")]
        let store = InMemoryStore()
        for _ in 1...2 {
            let signIn = SignIn(provider, runtime: world.runtime, store: store, userAgent: world.userAgent())
            #expect(String(decoding: try await files(of: signIn), as: UTF8.self) == "[]")
        }
        #expect(world.requests("/token").count == 1)
    }
}
