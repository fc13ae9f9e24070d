// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
@testable internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("Stores created when weak passphrases were accepted")
struct PassphraseStrengthInternalTests {
    private static func open(_ folder: StoreFolder) -> EncryptedFileStore {
        EncryptedFileStore(directory: folder.store) { _ in Secret("hunter2") }
    }

    @Test("Opens with its weak passphrase, which can be changed to a stronger one")
    func opened() async throws {
        let folder = try StoreFolder()
        let key = StoreKey.random()
        let bytes = try SealedKey.seal(key, with: Secret("hunter2"), .standard, location: "test")
        try FileSystem.makeDirectory(folder.store)
        try FileSystem.make(folder.store + "/passphrase.key", holding: bytes)
        let store = Self.open(folder)
        try await store.update(StoreFolder.ada) { try await $0.save(try .sample(for: StoreFolder.ada)) }
        #expect(try await Self.open(folder).load(StoreFolder.ada) != nil)
        try await EncryptedFileStore.changePassphrase(
            ofStore: folder.store,
            from: Secret("hunter2"),
            to: EncryptedFileStore.generatePassphrase()
        )
    }
}
