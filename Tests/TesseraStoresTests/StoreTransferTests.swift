// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraStores
internal import TesseraSupport
internal import Tessera
internal import TesseraTesting
internal import Testing

@Suite("Transfer of sessions between stores")
struct StoreTransferTests {
    private static let ada = StoreFolder.ada
    private static let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_100), generation: 7)

    private static func save(_ record: SessionRecord, in store: any SessionStore) async throws {
        try await store.update(record.account) { try await $0.save(record) }
    }

    @Test("Copies a session with its generation and refresh mark and keeps the original")
    func copied() async throws {
        let (source, target) = (InMemoryStore(), InMemoryStore())
        let record = try SessionRecord.sample(for: Self.ada, generation: 7)
        try await Self.save(record, in: source)
        try await source.update(Self.ada) { try await $0.mark(Self.mark) }
        let transfer = StoreTransfer(from: source, to: target)
        #expect(try await transfer.copy(Self.ada) == .copied)
        var expected = record
        expected.refreshMark = Self.mark
        #expect(try await target.load(Self.ada) == expected)
        #expect(try await source.load(Self.ada) == expected)
        #expect(try await transfer.copy(Self.ada) == .alreadyThere)
        #expect(try await transfer.copy(StoreFolder.bob) == .missing)
    }

    @Test("Keeps another session of the account in the target unless it is to be replaced")
    func occupied() async throws {
        let (source, target) = (InMemoryStore(), InMemoryStore())
        try await Self.save(.sample(for: Self.ada, generation: 2), in: source)
        try await source.update(Self.ada) { try await $0.mark(RefreshMark(begunAt: Self.mark.begunAt, generation: 2)) }
        let other = try SessionRecord.sample(for: Self.ada, generation: 9)
        try await Self.save(other, in: target)
        let transfer = StoreTransfer(from: source, to: target)
        #expect(try await transfer.copy(Self.ada) == .occupied)
        #expect(try await target.load(Self.ada) == other)
        #expect(try await transfer.copy(Self.ada, replacing: true) == .copied)
        let copy = try #require(try await target.load(Self.ada))
        // Readers of the target must not treat the copy as older than the record it replaces.
        #expect(copy.generation == 10)
        #expect(copy.refreshMark == RefreshMark(begunAt: Self.mark.begunAt, generation: 10))
        #expect(try await transfer.copy(Self.ada) == .alreadyThere)
        #expect(copy.tokens == (try SessionRecord.sample(for: Self.ada, generation: 2)).tokens)
    }

    @Test("Replaces an unreadable record in the target only on request")
    func damagedTarget() async throws {
        let folder = try StoreFolder()
        let file = try await folder.save()
        try StoreFolder.write([1, 2, 3], to: file)
        let source = InMemoryStore()
        try await Self.save(.sample(for: Self.ada, generation: 4), in: source)
        let transfer = StoreTransfer(from: source, to: folder.open())
        #expect(await StoreFolder.code { _ = try await transfer.copy(Self.ada) } == .corrupt)
        #expect(try StoreFolder.read(file) == [1, 2, 3])
        #expect(try await transfer.copy(Self.ada, replacing: true) == .copied)
        #expect(try await folder.open().load(Self.ada)?.generation == 4)
    }

    @Test("Removes an original only when the target holds the same session")
    func removed() async throws {
        let (source, target) = (InMemoryStore(), InMemoryStore())
        try await Self.save(.sample(for: Self.ada, generation: 1), in: source)
        let transfer = StoreTransfer(from: source, to: target)
        #expect(try await transfer.copy(Self.ada) == .copied)
        // A program refreshed the session in the meantime.
        let newer = try SessionRecord.sample(for: Self.ada, generation: 2)
        try await Self.save(newer, in: source)
        try await transfer.removeOriginals(of: [Self.ada])
        #expect(try await source.load(Self.ada) == nil)
        #expect(try await target.load(Self.ada) == newer)
        #expect(try await target.list() == [Self.ada])
        try await transfer.removeOriginals(of: [Self.ada])
    }

    @Test("Does not replace a refreshed copy with its original, and keeps both")
    func newerCopy() async throws {
        let (source, target) = (InMemoryStore(), InMemoryStore())
        try await Self.save(.sample(for: Self.ada, generation: 1), in: source)
        let transfer = StoreTransfer(from: source, to: target)
        #expect(try await transfer.copy(Self.ada) == .copied)
        var newer = try SessionRecord.sample(for: Self.ada, generation: 2)
        newer.tokens?.obtainedAt += 60
        try await Self.save(newer, in: target)
        #expect(await StoreFolder.code { try await transfer.removeOriginals(of: [Self.ada]) } == .unavailable)
        #expect(try await target.load(Self.ada) == newer)
        #expect(try await source.load(Self.ada) != nil)
    }

    @Test("Keeps all sessions if source and target are the same store under two names")
    func oneStore() async throws {
        let folder = try StoreFolder()
        try await folder.save()
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.store)
        let alias = EncryptedFileStore(directory: link, keyDirectory: folder.keys)
        let transfer = StoreTransfer(from: folder.open(), to: alias)
        #expect(try await transfer.copy(Self.ada) == .alreadyThere)
        #expect(await StoreFolder.code { _ = try await transfer.removeOriginals(of: [Self.ada]) } == .unavailable)
        #expect(try await folder.open().list() == [Self.ada])
        // This also applies if the first account in the list has signed out in the meantime.
        try await folder.save(StoreFolder.bob)
        try await folder.open().remove(Self.ada)
        let all = [Self.ada, StoreFolder.bob]
        #expect(await StoreFolder.code { _ = try await transfer.removeOriginals(of: all) } == .unavailable)
        #expect(try await folder.open().list() == [StoreFolder.bob])
    }

    @Test("Throws notPersisted and keeps the original if the copy cannot be loaded")
    func notPersisted() async throws {
        let source = InMemoryStore()
        try await Self.save(.sample(for: Self.ada), in: source)
        let transfer = StoreTransfer(from: source, to: ForgetfulStore())
        #expect(await StoreFolder.code { _ = try await transfer.copy(Self.ada) } == .notPersisted)
        #expect(await StoreFolder.code { _ = try await transfer.removeOriginals(of: [Self.ada]) } == .notPersisted)
        #expect(try await source.load(Self.ada) != nil)
    }

    /// A store that accepts every record and saves none.
    private struct ForgetfulStore: SessionStore {
        func load(_ account: Account) async throws -> SessionRecord? { nil }
        func list() async throws -> [Account] { [] }
        func remove(_ account: Account) async throws {}
        func probe() async throws {}

        func update<Result: Sendable>(
            _ account: Account,
            _ body: SessionStoreUpdate<Result>
        ) async throws -> Result {
            try await body(SessionStoreEntry(load: { nil }, mark: { _ in }, save: { _ in }, remove: {}))
        }
    }
}
