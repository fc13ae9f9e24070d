// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraTesting
internal import Testing

@Suite("Transient stores")
struct TransientStoreTests {
    @Test("The in-memory store satisfies the transient store contract", arguments: TransientStoreContract.all)
    func memory(requirement: TransientStoreContract) async throws {
        let store = InMemoryStore()
        try await requirement.verify(store, store)
    }

    @Test("Detects a transient store that returns an entry twice")
    func broken() async throws {
        let forgetful = ForgetfulStore()
        let failed = await withTaskGroup(of: Bool.self) { group in
            for requirement in TransientStoreContract.all {
                group.addTask { (try? await requirement.verify(forgetful, forgetful)) == nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failed >= 2)
    }
}

/// A store that does not remove entries when they are taken or expire.
private struct ForgetfulStore: TransientStore {
    let store = InMemoryStore()

    func save(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws {
        try await self.store.save(content, as: name, until: .distantFuture, now: now)
    }

    func content(of name: String, now: Date) async throws -> [UInt8]? {
        try await self.store.content(of: name, now: now)
    }

    func take(_ name: String, now: Date) async throws -> [UInt8]? { try await self.store.content(of: name, now: now) }
}
