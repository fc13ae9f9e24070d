// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
@testable internal import TesseraCommand
internal import TesseraConsole
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Selection of an account by name")
struct AccountChoiceInternalTests {
    private static func account(_ subject: String) -> Account {
        Account(issuer: "https://accounts.example", clientID: "client", subject: subject)
    }

    private static func readable(_ subject: String, label: String? = nil) throws -> SessionCatalog.Item {
        var record = try SessionRecord.sample(for: self.account(subject), size: 8)
        record.identity.label = label
        return SessionCatalog.Item(account: record.account, record: .success(record))
    }

    private static func unreadable(_ subject: String, _ code: StoreError.Code) -> SessionCatalog.Item {
        SessionCatalog.Item(account: self.account(subject), record: .failure(StoreError(code, location: "test")))
    }

    private static let codes: [StoreError.Code] = [
        .corrupt, .newerFormat, .unreachable, .busy, .locked, .permissionDenied, .keyMissing, .system,
    ]

    @Test(
        "Reports the store's error for an unknown name if a record cannot be read",
        .covers(141),
        arguments: codes
    )
    func unreadableRecord(_ code: StoreError.Code) throws {
        let items = [try Self.readable("1", label: "home"), Self.unreadable("2", code)]
        for name in ["work", "eve@example.com", "3"] {
            let error = #expect(throws: StoreError.self) { try SessionCatalog.choose(name, from: items) }
            #expect(error?.code == code)
        }
        #expect(try SessionCatalog.choose("home", from: items).account == Self.account("1"))
        // The subject is known without the record.
        let chosen = try SessionCatalog.choose("2", from: items)
        #expect(chosen.account == Self.account("2"))
        #expect(chosen.failure?.code == code)
    }

    @Test("Selects no other account by default if a record cannot be read", .covers(141))
    func unnamed() throws {
        for code in Self.codes {
            let items = [try Self.readable("1"), Self.unreadable("2", code)]
            if [.corrupt, .newerFormat].contains(code) {
                #expect(try SessionCatalog.choose(nil, from: items).account == Self.account("1"))
            } else {
                let error = #expect(throws: StoreError.self) { try SessionCatalog.choose(nil, from: items) }
                #expect(error?.code == code)
            }
        }
    }

    @Test("Falls back to the redirect URI of the registered client for older sessions")
    func redirectURI() async throws {
        let catalog = SessionCatalog(try StoreURI(parsing: "memory:"))
        let issuer = try Issuer("https://accounts.example")
        let metadata = try ServerMetadata([
            ("issuer", .string(issuer.url)), ("token_endpoint", .string(issuer.url + "/token")),
        ])
        var provider = Provider(issuer: issuer, metadata: metadata, client: OAuthClient(clientID: "client"))
        let uris = #"["https://app.example/cb", "http://127.0.0.1:8123/cb", "http://127.0.0.1/other"]"#
        let document = #"{"client_id": "client", "redirect_uris": \#(uris)}"#
        let registration = try ClientRegistration(stored: Array(document.utf8), at: metadata)
        provider.client = registration.client
        var record = try SessionRecord.sample(for: Self.account("1"), size: 8)
        #expect(try await catalog.redirectURI(of: record) == nil)
        try await catalog.save(StoredRegistration(registration, at: provider))
        #expect(try await catalog.redirectURI(of: record) == "http://127.0.0.1:8123/cb")
        record.redirectURI = "http://127.0.0.1/own"
        #expect(try await catalog.redirectURI(of: record) == "http://127.0.0.1/own")
        record.redirectURI = nil
        record.account = Account(issuer: issuer.url, clientID: "another", subject: "1")
        #expect(try await catalog.redirectURI(of: record) == nil)
    }

    @Test("Reports an unknown account if all records can be read", .covers(141))
    func unknown() throws {
        for items in [[], [try Self.readable("1", label: "home")]] {
            let error = #expect(throws: CommandError.self) { try SessionCatalog.choose("work", from: items) }
            #expect(error?.code == "notSignedIn")
            #expect(error?.status == .signInNeeded)
        }
    }
}
