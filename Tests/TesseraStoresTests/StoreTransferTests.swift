// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraStores
internal import TesseraSupport
internal import Tessera
internal import TesseraTesting
internal import Testing

@Suite("Sessions that move from one store to another")
struct StoreTransferTests {
    private static let ada = StoreFolder.ada
    private static let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_100), generation: 7)

    private static func save(_ record: SessionRecord, in store: any SessionStore) async throws {
        try await store.update(record.account) { try await $0.save(record) }
    }

    @Test("A session is copied with its generation and the mark of an interrupted refresh, and the original stays")
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
        #expect(try await transfer.copy(StoreFolder.bob) == .vanished)
    }

    @Test("Another session of the account stays where it is, unless it is to be replaced")
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
        // No reader of the second store may take it for an older one.
        #expect(copy.generation == 10)
        #expect(copy.refreshMark == RefreshMark(begunAt: Self.mark.begunAt, generation: 10))
        #expect(try await transfer.copy(Self.ada) == .alreadyThere)
        #expect(copy.tokens == (try SessionRecord.sample(for: Self.ada, generation: 2)).tokens)
    }

    @Test("A record that cannot be read in the second store is replaced only when that is asked for")
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

    @Test("An original goes only when the very same session is in the second store")
    func removed() async throws {
        let (source, target) = (InMemoryStore(), InMemoryStore())
        try await Self.save(.sample(for: Self.ada, generation: 1), in: source)
        let transfer = StoreTransfer(from: source, to: target)
        #expect(try await transfer.copy(Self.ada) == .copied)
        // A program refreshed it meanwhile.
        let newer = try SessionRecord.sample(for: Self.ada, generation: 2)
        try await Self.save(newer, in: source)
        try await transfer.removeOriginals(of: [Self.ada])
        #expect(try await source.load(Self.ada) == nil)
        #expect(try await target.load(Self.ada) == newer)
        #expect(try await target.list() == [Self.ada])
        try await transfer.removeOriginals(of: [Self.ada])
    }

    @Test("A copy that somebody went on with is never replaced by its original, and both stay")
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

    @Test("One store under two names keeps its sessions: nothing is removed, nothing is left over")
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
        // Also when whoever comes first in the list has signed out since.
        try await folder.save(StoreFolder.bob)
        try await folder.open().remove(Self.ada)
        let all = [Self.ada, StoreFolder.bob]
        #expect(await StoreFolder.code { _ = try await transfer.removeOriginals(of: all) } == .unavailable)
        #expect(try await folder.open().list() == [StoreFolder.bob])
    }

    @Test("A copy that does not come back is an error, and the original stays")
    func forgetful() async throws {
        let source = InMemoryStore()
        try await Self.save(.sample(for: Self.ada), in: source)
        let transfer = StoreTransfer(from: source, to: ForgetfulStore())
        #expect(await StoreFolder.code { _ = try await transfer.copy(Self.ada) } == .notKept)
        #expect(await StoreFolder.code { _ = try await transfer.removeOriginals(of: [Self.ada]) } == .notKept)
        #expect(try await source.load(Self.ada) != nil)
    }

    /// Takes everything and keeps nothing.
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
