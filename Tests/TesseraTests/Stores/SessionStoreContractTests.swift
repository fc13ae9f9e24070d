// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Session store contract")
struct SessionStoreContractTests {
    @Test("The in-memory store satisfies the session store contract", .covers(115), arguments: SessionStoreContract.all)
    func memory(requirement: SessionStoreContract) async throws {
        try await requirement.verify(InMemoryStore())
    }

    @Test("Detects a session store that violates the contract", arguments: BrokenStore.Fault.allCases)
    func broken(fault: BrokenStore.Fault) async throws {
        let requirement = try #require(SessionStoreContract.all.first { $0.description.hasPrefix(fault.rawValue) })
        await #expect(throws: ContractError.self) { try await requirement.verify(BrokenStore(fault)) }
    }
}
