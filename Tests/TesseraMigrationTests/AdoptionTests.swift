// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraMigration
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("A grant of another tool is taken over")
struct AdoptionTests {
    /// A provider, a grant that somebody gave there to another tool, and an empty store.
    private struct Scene {
        let network: ScriptedProvider
        let store = InMemoryStore()
        let signIn: SignIn
        var imported: ImportedGrant

        init(rotating: Bool = false) async throws {
            let network = try ScriptedProvider()
            network.options.rotatesRefreshTokens = rotating
            let before = SignIn(
                try network.provider,
                runtime: network.runtime,
                store: InMemoryStore(),
                userAgent: network.userAgent()
            )
            let tokens = try #require(try await before.signIn(scopes: [.openID, .email]).record.tokens)
            var file = AuthorizedUserFile(
                .token,
                clientID: ScriptedProvider.clientID,
                clientSecret: nil,
                refreshToken: tokens.refreshToken,
                scopes: [.openID, .email]
            )
            file.tokenURI = "\(ScriptedProvider.issuer)/token"
            self.network = network
            self.imported = try ImportedGrant(parsing: file.encoded())
            self.signIn = SignIn(
                try network.provider,
                runtime: network.runtime,
                store: self.store,
                userAgent: network.userAgent()
            )
        }
    }

    @Test("The refresh token is used once, the provider says who it is, and the session is saved")
    func adopted() async throws {
        let scene = try await Scene()
        let session = try await scene.signIn.adopt(scene.imported)
        #expect(session.account.subject == "ada")
        #expect(scene.network.refreshes.count == 1)
        let kept = try #require(try await scene.store.load(session.account))
        #expect(kept.tokens?.refreshToken == scene.imported.grant.refreshToken)
        #expect(kept.history.refreshTokenReplacedAt == nil)
    }

    @Test("Whose refresh token the provider replaced is known to rotate, at once and after each refresh")
    func rotating() async throws {
        let scene = try await Scene(rotating: true)
        let session = try await scene.signIn.adopt(scene.imported)
        let seen = try #require(session.record.history.refreshTokenReplacedAt)
        #expect { try AuthorizedUserFile(exporting: session.record, as: .token) } throws: {
            MigrationError.Code.rotating ~= $0
        }
        scene.network.clock.advance(by: .seconds(7_200))
        _ = try await session.accessToken()
        #expect(try #require(session.record.history.refreshTokenReplacedAt) > seen)
        let read = try SessionRecord(decoding: session.record.encoded(), place: "test")
        #expect(read.history.refreshTokenReplacedAt != nil)
        // A new consent changes nothing about what the provider does.
        let again = try await scene.signIn.signIn(scopes: [.openID, .email])
        #expect(again.record.history.refreshTokenReplacedAt == read.history.refreshTokenReplacedAt)
    }

    @Test(
        "A refresh token that was replaced before the adoption failed is in the error, and the next attempt goes on with it"
    )
    func interrupted() async throws {
        let scene = try await Scene(rotating: true)
        var options = SignInOptions()
        options.identity = .caller { _ in throw TransportError(.cannotConnect) }
        let error = await #expect(throws: AdoptionInterruptedError.self) {
            try await scene.signIn.adopt(scene.imported, options: options)
        }
        let interrupted = try #require(error)
        #expect(interrupted.grant.refreshToken != scene.imported.grant.refreshToken)
        #expect(interrupted.cause is TransportError)
        #expect(interrupted.isRetryable)
        interrupted.grant.refreshToken.withUnredacted { token in
            var text = ""
            dump(interrupted, to: &text)
            #expect(!"\(text) \(interrupted) \(interrupted.recoverySuggestion ?? "")".contains(token))
        }
        #expect(try await scene.store.list().isEmpty)
        let session = try await scene.signIn.adopt(interrupted.grant)
        #expect(session.account.subject == "ada")
    }

    @Test(
        "From another token endpoint than the provider's it is refused, and no refresh token is sent",
        .shows(claims: 19),
        arguments: [
            "https://stranger.example/token", "\(ScriptedProvider.issuer)/token/", "http://id.example/token", "",
        ]
    )
    func stranger(place: String) async throws {
        var scene = try await Scene()
        scene.imported.grant.tokenEndpoint = place
        let stray = scene
        await #expect(throws: InvalidRequestError.self) { try await stray.signIn.adopt(stray.imported) }
        #expect(scene.network.refreshes.isEmpty)
        #expect(try await scene.store.list().isEmpty)
    }

    @Test("That was given to another client is refused, and nothing is sent")
    func anotherClient() async throws {
        var scene = try await Scene()
        scene.imported.clientID = "another"
        let before = scene.network.requests.count
        let stray = scene
        await #expect { try await stray.signIn.adopt(stray.imported) } throws: {
            MigrationError.Code.anotherClient ~= $0
        }
        #expect(scene.network.requests.count == before)
    }

    @Test(
        "A file that names a stranger makes no provider of it",
        arguments: [
            ("https://stranger.example", nil), (nil, "https://stranger.example/token"),
            (nil, "https://googleapis.com.stranger.example/token"), (nil, "http://oauth2.googleapis.com/token"),
            (nil, "https://oauth2.googleapis.com@stranger.example/token"),
            ("https://stranger.example", "https://oauth2.googleapis.com/token"), (nil, "nonsense"),
        ] as [(String?, String?)]
    )
    func noProvider(issuer: String?, endpoint: String?) throws {
        var imported = ImportedGrant(
            format: .token,
            grant: ExistingGrant(refreshToken: Secret("x"), scopes: [], tokenEndpoint: endpoint),
            clientID: "client"
        )
        imported.issuer = issuer
        #expect { try imported.googleProvider() } throws: { MigrationError.Code.anotherProvider ~= $0 }
    }

    @Test("GTMOAuth2's string names neither client nor provider; with both it is taken over, and can be written again")
    func gtmOAuth2() async throws {
        let scene = try await Scene()
        let string = GTMOAuth2PersistenceString(
            scene.imported.grant,
            accessToken: Secret("access"),
            identity: Identity(email: "ada@example.com", emailVerified: true),
            subject: "ada",
            serviceProvider: "Google"
        )
        #expect(string.emailIsVerified == true)
        let imported = try ImportedGrant(parsing: Array((string.encoded + "\n").utf8))
        #expect(imported.format == .gtmOAuth2)
        #expect(imported.clientID == nil)
        #expect(!imported.isGoogles)
        #expect(imported.email == "ada@example.com")
        #expect(imported.grant.scopes == [.openID, .email])
        #expect { try imported.googleProvider() } throws: { MigrationError.Code.anotherProvider ~= $0 }
        #expect(try await scene.signIn.adopt(imported).account.subject == "ada")
    }
}
