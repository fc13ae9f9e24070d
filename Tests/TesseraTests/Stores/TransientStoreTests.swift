// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraTesting
internal import Testing

@Suite("Things that are kept for a time")
struct TransientStoreTests {
    @Test("The store in memory keeps the contract", arguments: TransientStoreContract.all)
    func memory(sentence: TransientStoreContract) async throws {
        let store = InMemoryStore()
        try await sentence.verify(store, store)
    }

    @Test("The contract finds a store that gives a thing twice")
    func broken() async throws {
        let forgetful = ForgetfulStore()
        let failed = await withTaskGroup(of: Bool.self) { group in
            for sentence in TransientStoreContract.all {
                group.addTask { (try? await sentence.verify(forgetful, forgetful)) == nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failed >= 2)
    }
}

/// A store that forgets to remove what was taken, and when things end.
private struct ForgetfulStore: TransientStore {
    let store = InMemoryStore()

    func keep(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws {
        try await self.store.keep(content, as: name, until: .distantFuture, now: now)
    }

    func content(of name: String, now: Date) async throws -> [UInt8]? {
        try await self.store.content(of: name, now: now)
    }

    func take(_ name: String, now: Date) async throws -> [UInt8]? { try await self.store.content(of: name, now: now) }
}
