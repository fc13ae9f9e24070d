// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Files of released versions")
struct EncryptedFileStoreFixtureTests {
    @Test(
        "Loads files and the key of format 1, including the mark of an interrupted refresh",
        .covers(119)
    )
    func formatOne() async throws {
        let folder = try StoreFolder()
        let fixture = StoreFolder.fixture("file-1")
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_100), generation: 3)
        if ProcessInfo.processInfo.environment["TESSERA_WRITE_FIXTURES"] == "1" {
            try await folder.save(StoreFolder.ada, generation: 3)
            try await folder.save(StoreFolder.bob, generation: 5)
            try await folder.open().update(StoreFolder.ada) { try await $0.mark(mark) }
            try? FileManager.default.removeItem(atPath: fixture)
            try FileManager.default.copyItem(atPath: folder.path, toPath: fixture)
        } else {
            try FileManager.default.removeItem(atPath: folder.path)
            try FileManager.default.copyItem(atPath: fixture, toPath: folder.path)
            // Git does not preserve these permissions.
            for path in [folder.keys, folder.store] { try StoreFolder.setMode(0o700, path) }
            try StoreFolder.setMode(0o600, folder.key)
            for name in try folder.names() { try StoreFolder.setMode(0o600, folder.store + "/" + name) }
            var ada = try SessionRecord.sample(for: StoreFolder.ada, generation: 3, size: 64)
            ada.refreshMark = mark
            #expect(try await folder.open().load(StoreFolder.ada) == ada)
            let bob = try SessionRecord.sample(for: StoreFolder.bob, generation: 5, size: 64)
            #expect(try await folder.open().load(StoreFolder.bob) == bob)
        }
    }
}
