// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Logging
@testable internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Provider data shared by sessions")
struct SharedProviderInternalTests {
    @Test("Shares one provider among its sessions, both when restored and after a refresh")
    func shared() async throws {
        let network = try ScriptedProvider()
        // Each decoded record has its own provider.
        let stored = try SessionRecord(decoding: Self.record().encoded(), location: "test")
        let again = try SessionRecord(decoding: stored.encoded(), location: "test")
        #expect(stored.sharedProvider !== again.sharedProvider)
        let connection = ProviderConnection(
            try network.provider,
            runtime: network.runtime,
            logger: Logger(label: "test")
        )
        let store = InMemoryStore()
        let sessions = [stored, again].map { OAuthSession($0, connection: connection, store: store) }
        let provider = sessions[0].record.sharedProvider
        #expect(sessions[1].record.sharedProvider === provider)
        let fresh = try SessionRecord(decoding: stored.encoded(), location: "test")
        _ = try sessions[0].publish(.init(record: fresh, event: nil))
        #expect(sessions[0].record.sharedProvider === provider)
    }

    private static func record() throws -> SessionRecord {
        var record = try SessionRecord.sample(
            for: Account(issuer: "https://accounts.example", clientID: "client", subject: "ada")
        )
        let document = #"{"issuer": "https://accounts.example", "token_endpoint": "https://accounts.example/t"}"#
        record.provider.metadata = try ServerMetadata(parsing: Array(document.utf8))
        return record
    }
}
