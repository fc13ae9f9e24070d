// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Logging
@testable internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("What many sessions hold once")
struct SharedProviderInternalTests {
    @Test("Sessions of one provider share its metadata, as they are restored and after each refresh")
    func shared() async throws {
        let network = try ScriptedProvider()
        // A record that was read has parts of its own.
        let stored = try SessionRecord(decoding: Self.record().encoded(), place: "test")
        let again = try SessionRecord(decoding: stored.encoded(), place: "test")
        #expect(stored.provider.sharedMetadata !== again.provider.sharedMetadata)
        let connection = ProviderConnection(
            try network.provider,
            runtime: network.runtime,
            logger: Logger(label: "test")
        )
        let store = InMemoryStore()
        let sessions = [stored, again].map { OAuthSession($0, connection: connection, store: store) }
        let metadata = try #require(sessions[0].record.provider.sharedMetadata)
        #expect(sessions[1].record.provider.sharedMetadata === metadata)
        let fresh = try SessionRecord(decoding: stored.encoded(), place: "test")
        _ = try sessions[0].publish(.init(record: fresh, event: nil))
        #expect(sessions[0].record.provider.sharedMetadata === metadata)
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
