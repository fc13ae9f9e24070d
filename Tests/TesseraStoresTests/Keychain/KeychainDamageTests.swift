// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Damaged keychain items and items of released versions")
struct KeychainDamageTests {
    private static let ada = Account(issuer: "https://accounts.example", clientID: "client", subject: "ada")
    private static let bob = Account(issuer: "https://accounts.example", clientID: "client", subject: "bob")
    private static let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_100), generation: 3)

    private let locks = LockFolder()
    private let keychain = InMemoryKeychain()
    private let location = KeychainLocation(
        usesDataProtection: true,
        accessGroup: nil,
        accessibility: .afterFirstUnlock
    )

    private var store: KeychainSessionStore {
        KeychainSessionStore(
            self.keychain,
            location: self.location,
            service: "sessions",
            lockDirectory: LockDirectory(path: self.locks.path)
        )
    }

    private static func save(_ accounts: Account..., in store: KeychainSessionStore) async throws {
        for account in accounts {
            try await store.update(account) { entry in
                try await entry.save(try .sample(for: account, size: 0))
                try await entry.mark(Self.mark)
            }
        }
    }

    /// Returns copies of the bytes, each with one flipped bit or truncated before a byte.
    private static func damages(of bytes: [UInt8]) -> [[UInt8]] {
        bytes.indices.flatMap { index in
            var flipped = bytes
            flipped[index] ^= 1 << (index % 8)
            return [flipped, Array(bytes[..<index])]
        }
    }

    @Test(
        "Reports any changed or truncated byte of an item, writes nothing and loads other accounts",
        .covers(119)
    )
    func everyByte() async throws {
        let store = self.store
        try await Self.save(Self.ada, Self.bob, in: store)
        let record = try await store.load(Self.ada)
        let original = try #require(self.keychain.item(of: Self.ada))
        var items: [KeychainItem] = []
        for data in Self.damages(of: original.data) {
            items.append(original)
            items[items.count - 1].data = data
        }
        for attributes in Self.damages(of: original.attributes) {
            items.append(original)
            items[items.count - 1].attributes = attributes
        }
        for (number, damaged) in items.enumerated() {
            self.keychain.damage(Self.ada) { $0 = damaged }
            let loading = await StoreFolder.code { _ = try await store.load(Self.ada) }
            #expect(loading == .corrupt, "damage \(number)")
            // Each update takes a lock on disk.
            if number % 16 == 0 {
                let marking = await StoreFolder.code { try await store.update(Self.ada) { try await $0.mark(nil) } }
                #expect(marking == .corrupt, "damage \(number)")
            }
            #expect(try await store.load(Self.bob) != nil, "damage \(number)")
            #expect(self.keychain.item(of: Self.ada) == damaged, "damage \(number)")
        }
        self.keychain.damage(Self.ada) { $0 = original }
        #expect(try await store.load(Self.ada) == record)
    }

    @Test("Lists a damaged keychain item, which can be removed or replaced by a new sign-in", .covers(119))
    func repaired() async throws {
        let store = self.store
        try await Self.save(Self.ada, Self.bob, in: store)
        self.keychain.damage(Self.ada) { $0.data.removeLast() }
        #expect(try await store.list() == [Self.ada, Self.bob])
        let new = try SessionRecord.sample(for: Self.ada, generation: 2, size: 0)
        try await store.update(Self.ada) { try await $0.save(new) }
        #expect(try await store.load(Self.ada) == new)
        self.keychain.damage(Self.ada) { $0.data = [] }
        try await store.remove(Self.ada)
        #expect(try await store.load(Self.ada) == nil)
        #expect(try await store.list() == [Self.bob])
    }

    @Test(
        "Omits an item with another account's attributes from the list and reports it if it is the only one",
        .covers(119)
    )
    func attributes() async throws {
        let store = self.store
        try await Self.save(Self.ada, Self.bob, in: store)
        let bobsAttributes = try #require(self.keychain.item(of: Self.bob)).attributes
        self.keychain.damage(Self.ada) { $0.attributes = bobsAttributes }
        #expect(try await store.list() == [Self.bob])
        try await store.remove(Self.bob)
        await #expect { try await store.list() } throws: { StoreError.Code.corrupt ~= $0 }
    }

    @Test("Leaves a keychain item of a newer version unchanged and reports it as newer, not damaged", .covers(119))
    func newer() async throws {
        let store = self.store
        try await Self.save(Self.ada, in: store)
        let text = "tessera 2\nanything\n33a085d684f0cbd7d6cc2c9148e64d203c9cbda07d773e36253f68352ca2ded8"
        self.keychain.damage(Self.ada) { $0.data = Array(text.utf8) }
        await #expect { try await store.load(Self.ada) } throws: { StoreError.Code.newerFormat ~= $0 }
        await #expect { try await store.update(Self.ada) { try await $0.mark(Self.mark) } } throws: {
            StoreError.Code.newerFormat ~= $0
        }
        #expect(self.keychain.item(of: Self.ada)?.data == Array(text.utf8))
    }

    @Test("Loads the keychain item of format 1 with the mark of an interrupted refresh", .covers(119))
    func formatOne() async throws {
        let fixture = """
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
        let item = KeychainItem(
            service: "sessions",
            account: "5af93b1bd6fca31a7c797a8c589452f54fad73819c3c396695d3cde0e979a445",
            label: "Tessera: work at Example",
            attributes: Array("\0\0\0\u{18}https://accounts.example\0\0\0\u{6}client\0\0\0\u{3}ada".utf8),
            data: Array(fixture.utf8)
        )
        #expect(self.keychain.add(item, to: self.location) == KeychainStatus.success)
        var record = try SessionRecord.sample(for: Self.ada, generation: 3, size: 8)
        record.refreshMark = Self.mark
        let store = self.store
        #expect(try await store.load(Self.ada) == record)
        #expect(try await store.list() == [Self.ada])
    }
}
