// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import Foundation
internal import GRDB
internal import Tessera
internal import TesseraSQLite
internal import TesseraTesting
internal import Testing

@Suite("Transient store in SQLite")
struct SQLiteTransientTests {
    @Test(
        "Two stores on one SQLite database fulfill the transient store contract",
        arguments: TransientStoreContract.all
    )
    func contract(requirement: TransientStoreContract) async throws {
        let folder = try DatabaseFolder()
        try await requirement.verify(folder.open(), folder.open())
    }

    @Test("Stores neither names nor contents in plaintext and deletes expired values on the next save")
    func rows() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await store.save(Array("a-secret-content".utf8), as: "a-secret-name", until: Date(timeIntervalSince1970: 1))
        try await store.save(Array("a-secret-content".utf8), as: "another-secret", until: .distantFuture)
        let rows = try folder.modify { try Row.fetchAll($0, sql: "SELECT * FROM transient") }
        #expect(rows.count == 1)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for file in files {
            let bytes = try Data(contentsOf: URL(filePath: folder.path).appending(path: file))
            #expect(bytes.range(of: Data("secret".utf8)) == nil, "\(file)")
        }
    }
}
#endif
