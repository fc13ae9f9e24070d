// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import Foundation
internal import Tessera
internal import TesseraSQLite
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Session store contract in SQLite")
struct SQLiteContractTests {
    @Test("The SQLite store fulfills the session store contract", .covers(115), arguments: SessionStoreContract.all)
    func contract(requirement: SessionStoreContract) async throws {
        let folder = try DatabaseFolder()
        try await requirement.verify(folder.open())
    }

    @Test(
        "Two stores on one SQLite database fulfill the session store contract",
        .covers(116),
        arguments: SessionStoreContract.all
    )
    func twoInstances(requirement: SessionStoreContract) async throws {
        let folder = try DatabaseFolder()
        try await requirement.verify(AlternatingStore(folder.open(), folder.open()))
    }

    @Test("Twenty stores that open together create one database and save every session")
    func first() async throws {
        let folder = try DatabaseFolder()
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    let account = Account(issuer: "https://a.example", clientID: "client", subject: "\(number)")
                    try await folder.save(account)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await folder.open().list().count == 20)
    }

    @Test("Creates no additional files for a thousand accounts")
    func manyAccounts() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        for number in 0..<1000 {
            let account = Account(issuer: "https://a.example", clientID: "client", subject: "\(number)")
            try await store.update(account) { _ in }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["", "-shm", "-wal", ".lock", ".reserve"].map { "sessions.sqlite" + $0 })
    }
}
#endif
