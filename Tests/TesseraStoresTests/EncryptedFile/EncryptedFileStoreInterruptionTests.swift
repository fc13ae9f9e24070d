// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("An encrypted file store that was interrupted")
struct EncryptedFileStoreInterruptionTests {
    @Test("Interrupted at any byte of a save, the old record and the mark are still there", .covers(115))
    func torn() async throws {
        let folder = try StoreFolder()
        let states = try await Self.states(folder)
        let store = folder.open()
        for count in 0...states.new.count {
            try StoreFolder.write(Array(states.new[..<count]) + states.marked[count...], to: states.pending)
            let record = try #require(try await store.load(StoreFolder.ada))
            #expect(record.generation == 1)
            #expect(record.refreshMark == states.mark, "at byte \(count)")
        }
        let inside = try await store.update(StoreFolder.ada) { try await $0.load() }
        #expect(inside?.generation == 1)
        #expect(inside?.refreshMark == states.mark)
    }

    @Test("A record that lacked only its rename is found by the next update, and was not there before", .covers(115))
    func rolledForward() async throws {
        let folder = try StoreFolder()
        let states = try await Self.states(folder)
        let store = folder.open()
        try StoreFolder.write(states.new, to: states.pending)
        #expect(try await store.load(StoreFolder.ada)?.generation == 1)
        let inside = try await store.update(StoreFolder.ada) { try await $0.load() }
        #expect(inside == (try .sample(for: StoreFolder.ada, generation: 2, size: 64)))
        #expect(try await store.load(StoreFolder.ada) == inside)
        #expect(try folder.names(".pending").isEmpty)
    }

    @Test("An older record in the pending file is not put in place of a newer one")
    func notBack() async throws {
        let folder = try StoreFolder()
        let states = try await Self.states(folder)
        try await folder.save(generation: 3)
        try StoreFolder.write(states.new, to: states.pending)
        let inside = try await folder.open().update(StoreFolder.ada) { try await $0.load() }
        #expect(inside?.generation == 3)
    }

    @Test(
        "Rubbish in the pending file is no mark, and the next save clears it away",
        arguments: [0, 1, 51, 52, 53, 9000]
    )
    func rubbish(count: Int) async throws {
        let folder = try StoreFolder()
        let states = try await Self.states(folder)
        try StoreFolder.write([UInt8](repeating: 0x54, count: count), to: states.pending)
        #expect(try await folder.open().load(StoreFolder.ada)?.refreshMark == nil)
        try await folder.save(generation: 2)
        #expect(try await folder.open().load(StoreFolder.ada)?.generation == 2)
        #expect(try folder.names(".pending").isEmpty)
    }

    @Test("A mark with any one bit changed, or another account's, is no mark", .shows(claims: 2))
    func forged() async throws {
        let folder = try StoreFolder()
        let states = try await Self.states(folder)
        let store = folder.open()
        for index in states.marked.indices.suffix(52) {
            var bytes = states.marked
            bytes[index] ^= 1
            try StoreFolder.write(bytes, to: states.pending)
            #expect(try await store.load(StoreFolder.ada)?.refreshMark == nil, "byte \(index)")
        }
        let bobs = try await folder.save(StoreFolder.bob)
        try StoreFolder.write(states.marked, to: bobs.replacingOccurrences(of: ".session", with: ".pending"))
        #expect(try await store.load(StoreFolder.bob)?.refreshMark == nil)
    }

    private struct States {
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_000.125), generation: 1)
        var pending = ""
        var marked: [UInt8] = []
        var new: [UInt8] = []
    }

    /// The bytes of the next record, and a store that is left with the old record and a mark.
    private static func states(_ folder: StoreFolder) async throws -> States {
        var states = States()
        let path = try await folder.save(generation: 2)
        states.new = try StoreFolder.read(path)
        try await folder.open().remove(StoreFolder.ada)
        try await folder.save(generation: 1)
        states.pending = path.replacingOccurrences(of: ".session", with: ".pending")
        try await folder.open().update(StoreFolder.ada) { [mark = states.mark] in try await $0.mark(mark) }
        states.marked = try StoreFolder.read(states.pending)
        return states
    }
}
