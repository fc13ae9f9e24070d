// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraStores
internal import TesseraSupport
internal import Testing

@Suite("The record of the chosen store")
struct ChosenStoreTests {
    @Test("Of many who choose at once one wins, all hear the same name, and nothing else is left behind")
    func race() async throws {
        let folder = try StoreFolder()
        let place = folder.path + "/config/tessera/store"
        let names = try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                let executor = BlockingExecutor()
                group.addTask { try await executor.run { try ChosenStore(path: place).record("file:/\(number)") } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(names.count == 8)
        #expect(Set(names).count == 1)
        #expect(try ChosenStore(path: place).read() == names[0])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/config/tessera") == ["store"])
        #expect(try StoreFolder.mode(place) == 0o600)
        #expect(try StoreFolder.mode(folder.path + "/config/tessera") == 0o700)
    }

    @Test("A name that was written down is not replaced")
    func second() throws {
        let folder = try StoreFolder()
        let place = ChosenStore(path: folder.path + "/store")
        #expect(try place.read() == nil)
        #expect(try place.record("secret-service:") == "secret-service:")
        #expect(try place.record("memory:") == "secret-service:")
        #expect(try place.read() == "secret-service:")
    }

    @Test("Neither a link nor a directory is taken for it")
    func link() throws {
        let folder = try StoreFolder()
        let path = folder.path + "/link"
        try StoreFolder.write(Array("file:/elsewhere\n".utf8), to: folder.path + "/target")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.path + "/target")
        for place in [path, folder.path] {
            let error = #expect(throws: StoreError.self) { try ChosenStore(path: place).read() }
            #expect(error?.code == .unavailable)
        }
    }
}
