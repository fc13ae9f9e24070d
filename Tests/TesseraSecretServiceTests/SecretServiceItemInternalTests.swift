// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
@testable internal import TesseraSecretService
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Items of the Secret Service")
struct SecretServiceItemInternalTests {
    /// The value of an item written in format 1.
    static let formatOne = """
        tessera 1
        refresh 000000000000000341c5821472000000
        {"format":1,"account":{"issuer":"https://accounts.example","clientID":"client","subject":"ada"},\
        "generation":3,"grant":{"requested":["openid","email"],"granted":["openid"]},\
        "identity":{"email":"ada@example.com","emailVerified":true,"name":"Ada","label":"work"},\
        "provider":{"name":"Example","issuer":"https://accounts.example","clientID":"client",\
        "clientSecret":"sample-client-secret","idTokenAlgorithms":["RS256"],"issuerAliases":[],"scopeAliases":{},\
        "authorizationParameters":{},"incrementalParameters":{},"authorizedOrigins":["https://accounts.example"]},\
        "authorizedOrigins":["https://api.example"],"history":{"consentedAt":1700000000000,\
        "lastRefreshAt":1700000000000,"refreshCount":3},"tokens":{"accessToken":"sample-access-token-3",\
        "tokenType":"Bearer","obtainedAt":1700000000000,"lifetime":3600,"refreshToken":"sample-refresh-token-3",\
        "idToken":"iiiiiiii"}}
        78de788e4c4bcebf7baa32bd10f8468fe57c72d62acb52179d5733095c0a3086
        """
    private static let ada = Account(issuer: "https://accounts.example", clientID: "client", subject: "ada")
    private static let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_100), generation: 3)

    /// Returns the record read from one of Ada's items with this value.
    private static func record(in value: [UInt8]) throws -> SessionRecord? {
        let key = AccountKey(Self.ada)
        let texts = [key.name, Self.ada.issuer, Self.ada.clientID, Self.ada.subject]
        let item = SecretServiceAttributes.withCStrings(texts) { SecretServiceItem($0, value) }
        return try item.record(of: key)
    }

    @Test("Reports any changed or truncated byte of a value as damage", .covers(119))
    func everyByte() throws {
        var record = try SessionRecord.sample(for: Self.ada, generation: 3, size: 0)
        record.refreshMark = Self.mark
        let original = ChecksummedRecord.text(of: record)
        #expect(try Self.record(in: original) == record)
        for index in original.indices {
            var flipped = original
            flipped[index] ^= 1 << (index % 8)
            let change = #expect(throws: StoreError.self, "byte \(index)") { try Self.record(in: flipped) }
            #expect(change?.code == .corrupt, "byte \(index)")
            // A keyring that crashes while it creates an item leaves an empty value.
            guard index > 0 else { continue }
            let cut = #expect(throws: StoreError.self, "\(index) bytes") {
                try Self.record(in: Array(original[..<index]))
            }
            #expect(cut?.code == .corrupt, "\(index) bytes")
        }
        #expect(try Self.record(in: []) == nil)
    }

    @Test("Reports a value of a newer version as newer, not damaged", .covers(119))
    func newer() throws {
        let text = "tessera 2\nanything\n33a085d684f0cbd7d6cc2c9148e64d203c9cbda07d773e36253f68352ca2ded8"
        let error = #expect(throws: StoreError.self) { try Self.record(in: Array(text.utf8)) }
        #expect(error?.code == .newerFormat)
    }

    @Test("Loads the fixture of format 1 with the mark of an interrupted refresh", .covers(119))
    func fixture() throws {
        var record = try SessionRecord.sample(for: Self.ada, generation: 3, size: 8)
        record.refreshMark = Self.mark
        #expect(try Self.record(in: Array(Self.formatOne.utf8)) == record)
    }
}
