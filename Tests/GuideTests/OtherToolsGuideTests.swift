// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraDefaults
internal import TesseraMigration
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// What the guide of `TesseraMigration` quotes.
@Suite("The guide to sign-ins of other tools")
struct OtherToolsGuideTests {
    /// With the person's own file and Google: compiled alone.
    func takeOver(path: String) async throws -> OAuthSession {
        // guide: take-over
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let imported = try ImportedGrant(parsing: bytes)
        let signIn = try await SignIn(imported.googleProvider())
        let session = try await signIn.adopt(imported)
        // end
        return session
    }

    @Test("A grant of a provider that the program names is taken over, and handed to another tool")
    func otherProvider() async throws {
        let world = try ScriptedProvider()
        world.options.rotatesRefreshTokens = false
        let before = SignIn(
            try world.provider,
            runtime: world.runtime,
            store: InMemoryStore(),
            userAgent: world.userAgent()
        )
        let tokens = try #require(try await before.signIn(scopes: [.openID]).record.tokens)
        let kept = GTMOAuth2PersistenceString(
            ExistingGrant(refreshToken: try #require(tokens.refreshToken), scopes: [.openID])
        )
        let text = kept.encoded
        let signIn = SignIn(
            try world.provider,
            runtime: world.runtime,
            store: InMemoryStore(),
            userAgent: world.userAgent()
        )

        // guide: named-provider
        let imported = try ImportedGrant(GTMOAuth2PersistenceString(parsing: text))
        let session = try await signIn.adopt(imported)
        // end
        #expect(session.account.subject == "ada")

        // guide: hand-over
        let file = try AuthorizedUserFile(exporting: session.record, as: .authorizedUser)
        let bytes = file.encoded()
        // end
        #expect(try AuthorizedUserFile(parsing: bytes).refreshToken == tokens.refreshToken)
    }

    #if canImport(Security)
    /// With the keychain of a Mac: compiled alone.
    func moveItem() async throws -> Bool {
        // guide: move-item
        let outcome = try await KeychainPasswordMove(service: "auth").run()
        // end
        return outcome == .moved
    }
    #endif
}
