// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// Runs the code in the guide for migrating from google-auth-library-swift.
@Suite("Guide for migrating from google-auth-library-swift")
struct GoogleAuthLibraryMigrationTests {
    @Test("Lists the files in two runs after one sign-in")
    func lists() async throws {
        let provider = try ScriptedProvider()
        provider.intercept("/drive/v3/files") { _ in .json("[]") }
        var configuration = try provider.provider
        configuration.authorizedOrigins = [try OriginPattern("https://www.googleapis.com")]
        let store = InMemoryStore()
        for _ in 1...2 {
            let signIn = SignIn(configuration, runtime: provider.runtime, store: store, userAgent: provider.userAgent())
            #expect(String(decoding: try await files(of: signIn), as: UTF8.self) == "[]")
        }
        #expect(provider.requests("/token").count == 1)
    }
}
