// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("The contract of session stores")
struct SessionStoreContractTests {
    @Test("The store in memory keeps the contract", .covers(115), arguments: SessionStoreContract.all)
    func memory(sentence: SessionStoreContract) async throws {
        try await sentence.verify(InMemoryStore())
    }

    @Test("The encrypted file store keeps the contract", .covers(115), arguments: SessionStoreContract.all)
    func files(sentence: SessionStoreContract) async throws {
        let folder = try StoreFolder()
        try await sentence.verify(folder.open())
    }

    @Test(
        "Two file stores on one directory keep the contract between them",
        .covers(116),
        arguments: SessionStoreContract.all
    )
    func twoInstances(sentence: SessionStoreContract) async throws {
        let folder = try StoreFolder()
        try await sentence.verify(AlternatingStore(folder.open(), folder.open()))
    }

    @Test("The contract finds a store that breaks it", arguments: BrokenStore.Fault.allCases)
    func broken(fault: BrokenStore.Fault) async throws {
        let sentence = try #require(SessionStoreContract.all.first { $0.description.hasPrefix(fault.rawValue) })
        await #expect(throws: ContractFailure.self) { try await sentence.verify(BrokenStore(fault)) }
    }
}
