// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraDefaults
internal import TesseraMigration
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// The code in the guide of `TesseraMigration`.
@Suite("Guide for importing credentials from other tools")
struct OtherToolsGuideTests {
    /// Compiled only, because it needs the user's file and Google.
    func importCredentials(path: String) async throws -> OAuthSession {
        // guide: import
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let imported = try ImportedCredentials(parsing: bytes)
        let signIn = try await SignIn(imported.googleProvider())
        let session = try await signIn.adopt(imported)
        // end
        return session
    }

    @Test("Imports credentials for a named provider, and exports them to another tool")
    func otherProvider() async throws {
        let provider = try ScriptedProvider()
        provider.options.rotatesRefreshTokens = false
        let before = SignIn(
            try provider.provider,
            runtime: provider.runtime,
            store: InMemoryStore(),
            userAgent: provider.userAgent()
        )
        let tokens = try #require(try await before.signIn(scopes: [.openID]).record.tokens)
        let saved = GTMOAuth2PersistenceString(
            ExistingCredentials(refreshToken: try #require(tokens.refreshToken), scopes: [.openID])
        )
        let text = saved.encoded
        let signIn = SignIn(
            try provider.provider,
            runtime: provider.runtime,
            store: InMemoryStore(),
            userAgent: provider.userAgent()
        )

        // guide: named-provider
        let imported = try ImportedCredentials(GTMOAuth2PersistenceString(parsing: text))
        let session = try await signIn.adopt(imported)
        // end
        #expect(session.account.subject == "ada")

        // guide: export
        let file = try AuthorizedUserFile(exporting: session.record, as: .authorizedUser)
        let bytes = file.encoded()
        // end
        #expect(try AuthorizedUserFile(parsing: bytes).refreshToken == tokens.refreshToken)
    }

    #if canImport(Security)
    /// Compiled only, because it needs the keychain of a Mac.
    func moveItem() async throws -> Bool {
        // guide: move-item
        let outcome = try await KeychainPasswordMove(service: "auth").run()
        // end
        return outcome == .moved
    }
    #endif
}
