// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import Foundation
internal import GRDB
internal import Tessera
internal import TesseraSQLite
internal import TesseraTesting
internal import Testing

@Suite("Things that are kept for a time in SQLite")
struct SQLiteTransientTests {
    @Test("Two stores on one database keep the contract between them", arguments: TransientStoreContract.all)
    func contract(sentence: TransientStoreContract) async throws {
        let folder = try DatabaseFolder()
        try await sentence.verify(folder.open(), folder.open())
    }

    @Test("The database holds neither names nor contents, and what has ended goes with the next that is kept")
    func rows() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await store.keep(Array("a-secret-content".utf8), as: "a-secret-name", until: Date(timeIntervalSince1970: 1))
        try await store.keep(Array("a-secret-content".utf8), as: "another-secret", until: .distantFuture)
        let rows = try folder.meddle { try Row.fetchAll($0, sql: "SELECT * FROM transient") }
        #expect(rows.count == 1)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for file in files {
            let bytes = try Data(contentsOf: URL(filePath: folder.path).appending(path: file))
            #expect(bytes.range(of: Data("secret".utf8)) == nil, "\(file)")
        }
    }
}
#endif
