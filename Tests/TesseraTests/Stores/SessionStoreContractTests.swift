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

    @Test("The contract finds a store that breaks it", arguments: BrokenStore.Fault.allCases)
    func broken(fault: BrokenStore.Fault) async throws {
        let sentence = try #require(SessionStoreContract.all.first { $0.description.hasPrefix(fault.rawValue) })
        await #expect(throws: ContractError.self) { try await sentence.verify(BrokenStore(fault)) }
    }
}
