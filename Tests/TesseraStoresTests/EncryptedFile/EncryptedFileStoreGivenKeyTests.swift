// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraStores
internal import TesseraSupport
internal import Tessera
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Keys supplied to a file store or read on demand")
struct EncryptedFileStoreGivenKeyTests {
    private static func key(_ byte: UInt8) throws -> StoreKey {
        try StoreKey([UInt8](repeating: byte, count: StoreKey.length))
    }

    private static func save(_ generation: Int64, in store: EncryptedFileStore) async throws {
        try await store.update(StoreFolder.ada) {
            try await $0.save(try .sample(for: StoreFolder.ada, generation: generation))
        }
    }

    /// A store for a key that is read on demand.
    private final class Vault: Sendable {
        let stored = Mutex<StoreKey?>(nil)
        let readCount = Mutex(0)

        func open(_ folder: StoreFolder) -> EncryptedFileStore {
            let key = PromptedKey(
                location: "the vault",
                reading: {
                    self.readCount.withLock { $0 += 1 }
                    return self.stored.withLock { $0 }
                },
                making: {
                    let key = StoreKey.random()
                    self.stored.withLock { $0 = key }
                    return key
                }
            )
            return EncryptedFileStore(
                directory: folder.store,
                keySource: .asked(key),
                forcesNetworkFileSystem: false,
                lockTimeout: .seconds(60),
                clock: ContinuousClock()
            )
        }
    }

    @Test(
        "Stores with supplied keys and with a key read on demand fulfill the session store contract",
        .covers(115),
        arguments: SessionStoreContract.all
    )
    func contract(requirement: SessionStoreContract) async throws {
        let given = try StoreFolder()
        try await requirement.verify(EncryptedFileStore(directory: given.store, keys: StoreKeys(try Self.key(7))))
        let prompted = try StoreFolder()
        try await requirement.verify(Vault().open(prompted))
    }

    @Test("Opens records with a former key and seals new ones with the current key")
    func rotation() async throws {
        let folder = try StoreFolder()
        let (old, new) = (try Self.key(1), try Self.key(2))
        let before = EncryptedFileStore(directory: folder.store, keys: StoreKeys(old))
        try await Self.save(1, in: before)
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_000), generation: 1)
        try await before.update(StoreFolder.ada) { try await $0.mark(mark) }
        let between = EncryptedFileStore(directory: folder.store, keys: StoreKeys(new, former: [old]))
        #expect(try await between.load(StoreFolder.ada)?.refreshMark == mark)
        try await Self.save(2, in: between)
        let after = EncryptedFileStore(directory: folder.store, keys: StoreKeys(new))
        #expect(try await after.load(StoreFolder.ada)?.generation == 2)
        #expect(try await after.load(StoreFolder.ada)?.refreshMark == nil)
        #expect(await EncryptedFileStoreKeyTests.code { try await before.load(StoreFolder.ada) } == .keyMissing)
        #expect(await EncryptedFileStoreKeyTests.code { try await Self.save(3, in: before) } == .keyMissing)
        #expect(try await after.load(StoreFolder.ada)?.generation == 2)
        #expect(!FileManager.default.fileExists(atPath: folder.keys))
    }

    @Test("Reads a key once, creates it only without records and reports a missing one")
    func readOnDemand() async throws {
        let folder = try StoreFolder()
        let vault = Vault()
        let first = vault.open(folder)
        try await Self.save(1, in: first)
        let reads = vault.readCount.withLock { $0 }
        try await Self.save(2, in: first)
        #expect(try await first.load(StoreFolder.ada)?.generation == 2)
        #expect(vault.readCount.withLock { $0 } == reads)
        let second = vault.open(folder)
        #expect(try await second.load(StoreFolder.ada)?.generation == 2)
        #expect(try await second.load(StoreFolder.ada)?.generation == 2)
        #expect(vault.readCount.withLock { $0 } == reads + 1)
        vault.stored.withLock { $0 = nil }
        let third = vault.open(folder)
        let error = await EncryptedFileStoreDamageTests.error { try await third.load(StoreFolder.ada) }
        #expect(error == StoreError(.keyMissing, location: "the vault"))
        #expect(await EncryptedFileStoreKeyTests.code { try await third.probe() } == .keyMissing)
        #expect(vault.stored.withLock { $0 } == nil)
    }
}
