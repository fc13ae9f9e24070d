// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraStores
internal import TesseraSupport
internal import Testing

@Suite("Record of the selected store")
struct ChosenStoreTests {
    @Test("One of several concurrent selections wins, all callers get its name and no other file is left")
    func race() async throws {
        let folder = try StoreFolder()
        let location = folder.path + "/config/tessera/store"
        let names = try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                let executor = BlockingExecutor()
                group.addTask { try await executor.run { try ChosenStore(path: location).record("file:/\(number)") } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(names.count == 8)
        #expect(Set(names).count == 1)
        #expect(try ChosenStore(path: location).read() == names[0])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/config/tessera") == ["store"])
        #expect(try StoreFolder.mode(location) == 0o600)
        #expect(try StoreFolder.mode(folder.path + "/config/tessera") == 0o700)
    }

    @Test("Does not replace a recorded name")
    func second() throws {
        let folder = try StoreFolder()
        let location = ChosenStore(path: folder.path + "/store")
        #expect(try location.read() == nil)
        #expect(try location.record("secret-service:") == "secret-service:")
        #expect(try location.record("memory:") == "secret-service:")
        #expect(try location.read() == "secret-service:")
    }

    @Test("Rejects a symbolic link or a directory at its path")
    func link() throws {
        let folder = try StoreFolder()
        let path = folder.path + "/link"
        try StoreFolder.write(Array("file:/elsewhere\n".utf8), to: folder.path + "/target")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.path + "/target")
        for location in [path, folder.path] {
            let error = #expect(throws: StoreError.self) { try ChosenStore(path: location).read() }
            #expect(error?.code == .unavailable)
        }
    }
}
