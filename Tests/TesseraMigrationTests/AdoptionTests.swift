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

@Suite("Credential adoption")
struct AdoptionTests {
    /// A provider, credentials that it issued to another tool, and an empty store.
    private struct Fixture {
        let network: ScriptedProvider
        let store = InMemoryStore()
        let signIn: SignIn
        var imported: ImportedCredentials

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
            self.imported = try ImportedCredentials(parsing: file.encoded())
            self.signIn = SignIn(
                try network.provider,
                runtime: network.runtime,
                store: self.store,
                userAgent: network.userAgent()
            )
        }
    }

    @Test("Uses the refresh token once, identifies the user and saves the session")
    func adopted() async throws {
        let fixture = try await Fixture()
        let session = try await fixture.signIn.adopt(fixture.imported)
        #expect(session.account.subject == "ada")
        #expect(fixture.network.refreshes.count == 1)
        let saved = try #require(try await fixture.store.load(session.account))
        #expect(saved.tokens?.refreshToken == fixture.imported.credentials.refreshToken)
        #expect(saved.history.refreshTokenReplacedAt == nil)
    }

    @Test("Records when the provider replaces the refresh token")
    func rotating() async throws {
        let fixture = try await Fixture(rotating: true)
        let session = try await fixture.signIn.adopt(fixture.imported)
        let seen = try #require(session.record.history.refreshTokenReplacedAt)
        #expect { try AuthorizedUserFile(exporting: session.record, as: .token) } throws: {
            MigrationError.Code.rotating ~= $0
        }
        fixture.network.clock.advance(by: .seconds(7_200))
        _ = try await session.accessToken()
        #expect(try #require(session.record.history.refreshTokenReplacedAt) > seen)
        let read = try SessionRecord(decoding: session.record.encoded(), location: "test")
        #expect(read.history.refreshTokenReplacedAt != nil)
        // A new sign-in does not reset the record.
        let again = try await fixture.signIn.signIn(scopes: [.openID, .email])
        #expect(again.record.history.refreshTokenReplacedAt == read.history.refreshTokenReplacedAt)
    }

    @Test("Saves the session even if the caller is canceled while the refresh token is being replaced")
    func canceled() async throws {
        let fixture = try await Fixture(rotating: true)
        let gate = Gate()
        fixture.network.intercept("/token") { _ in
            await gate.pass()
            return nil
        }
        let adoption = Task { try await fixture.signIn.adopt(fixture.imported) }
        await gate.waitForArrival()
        adoption.cancel()
        gate.open()
        let session = try await adoption.value
        #expect(session.account.subject == "ada")
        let saved = try #require(try await fixture.store.load(session.account)?.tokens)
        #expect(saved.refreshToken != fixture.imported.credentials.refreshToken)
    }

    @Test("Sends nothing if the caller is already canceled")
    func canceledBefore() async throws {
        let fixture = try await Fixture(rotating: true)
        await #expect(throws: CancellationError.self) {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await fixture.signIn.adopt(fixture.imported)
        }
        #expect(fixture.network.refreshes.isEmpty)
    }

    @Test(
        "The error of an interrupted adoption contains the new refresh token for a retry"
    )
    func interrupted() async throws {
        let fixture = try await Fixture(rotating: true)
        var options = SignInOptions()
        options.identity = .caller { _ in throw TransportError(.cannotConnect) }
        let error = await #expect(throws: AdoptionInterruptedError.self) {
            try await fixture.signIn.adopt(fixture.imported, options: options)
        }
        let interrupted = try #require(error)
        #expect(interrupted.credentials.refreshToken != fixture.imported.credentials.refreshToken)
        #expect(interrupted.cause is TransportError)
        #expect(interrupted.isRetryable)
        interrupted.credentials.refreshToken.withUnredacted { token in
            var text = ""
            dump(interrupted, to: &text)
            #expect(!"\(text) \(interrupted) \(interrupted.recoverySuggestion ?? "")".contains(token))
        }
        #expect(try await fixture.store.list().isEmpty)
        let session = try await fixture.signIn.adopt(interrupted.credentials)
        #expect(session.account.subject == "ada")
    }

    @Test(
        "Rejects credentials of another token endpoint without sending the refresh token",
        .shows(claims: 19),
        arguments: [
            "https://stranger.example/token", "\(ScriptedProvider.issuer)/token/", "http://id.example/token", "",
        ]
    )
    func anotherTokenEndpoint(location: String) async throws {
        var fixture = try await Fixture()
        fixture.imported.credentials.tokenEndpoint = location
        let captured = fixture
        await #expect(throws: InvalidRequestError.self) { try await captured.signIn.adopt(captured.imported) }
        #expect(fixture.network.refreshes.isEmpty)
        #expect(try await fixture.store.list().isEmpty)
    }

    @Test("Rejects credentials of another client without sending a request")
    func anotherClient() async throws {
        var fixture = try await Fixture()
        fixture.imported.clientID = "another"
        let before = fixture.network.requests.count
        let captured = fixture
        await #expect { try await captured.signIn.adopt(captured.imported) } throws: {
            MigrationError.Code.anotherClient ~= $0
        }
        #expect(fixture.network.requests.count == before)
    }

    @Test(
        "Creates no Google provider for a file that names another server",
        arguments: [
            ("https://stranger.example", nil), (nil, "https://stranger.example/token"),
            (nil, "https://googleapis.com.stranger.example/token"), (nil, "http://oauth2.googleapis.com/token"),
            (nil, "https://oauth2.googleapis.com@stranger.example/token"),
            ("https://stranger.example", "https://oauth2.googleapis.com/token"), (nil, "nonsense"),
        ] as [(String?, String?)]
    )
    func noProvider(issuer: String?, endpoint: String?) throws {
        var imported = ImportedCredentials(
            format: .token,
            credentials: ExistingCredentials(refreshToken: Secret("x"), scopes: [], tokenEndpoint: endpoint),
            clientID: "client"
        )
        imported.issuer = issuer
        #expect { try imported.googleProvider() } throws: { MigrationError.Code.anotherProvider ~= $0 }
    }

    @Test("Adopts a GTMOAuth2 string, which names neither client nor provider")
    func gtmOAuth2() async throws {
        let fixture = try await Fixture()
        let string = GTMOAuth2PersistenceString(
            fixture.imported.credentials,
            accessToken: Secret("access"),
            identity: Identity(email: "ada@example.com", emailVerified: true),
            subject: "ada",
            serviceProvider: "Google"
        )
        #expect(string.emailIsVerified == true)
        let imported = try ImportedCredentials(parsing: Array((string.encoded + "\n").utf8))
        #expect(imported.format == .gtmOAuth2)
        #expect(imported.clientID == nil)
        #expect(!imported.isIssuedByGoogle)
        #expect(imported.email == "ada@example.com")
        #expect(imported.credentials.scopes == [.openID, .email])
        #expect { try imported.googleProvider() } throws: { MigrationError.Code.anotherProvider ~= $0 }
        #expect(try await fixture.signIn.adopt(imported).account.subject == "ada")
    }
}
