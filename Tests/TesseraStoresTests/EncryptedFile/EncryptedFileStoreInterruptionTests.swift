// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Interrupted saves of an encrypted file store")
struct EncryptedFileStoreInterruptionTests {
    @Test("Keeps the old record and the mark when a save is interrupted at any byte", .covers(115))
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

    @Test("Writes a mark into one disk sector for a record of any size", .covers(115), arguments: [64, 20_011, 50_000])
    func sector(size: Int) async throws {
        let folder = try StoreFolder()
        let path = try await folder.save(size: size)
        for generation in [1, 2] as [Int64] {
            try await folder.open()
                .update(StoreFolder.ada) { entry in
                    try await entry.mark(RefreshMark(begunAt: Date(), generation: generation))
                }
            let pending = try StoreFolder.read(path.replacingOccurrences(of: ".session", with: ".pending"))
            #expect((pending.count - 52) % 4096 == 0)
        }
    }

    @Test(
        "Keeps the mark when a power loss interrupts an extension of the reserved space",
        .covers(115),
        arguments: [1, 52, 512, 4095, 4096, 40_000],
        [64, 36_000, 100_000]
    )
    func extended(extension count: Int, size: Int) async throws {
        let folder = try StoreFolder()
        let states = try await Self.states(folder)
        try StoreFolder.write(states.marked + [UInt8](repeating: 0, count: count), to: states.pending)
        #expect(try await folder.open().load(StoreFolder.ada)?.refreshMark == states.mark)
        try await folder.save(generation: 2, size: size)
        #expect(
            try await folder.open().load(StoreFolder.ada)
                == .sample(for: StoreFolder.ada, generation: 2, size: size)
        )
        #expect(try folder.names(".pending").isEmpty)
    }

    @Test("The next update completes a save that was interrupted before its rename", .covers(115))
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

    @Test("Keeps the mark of a record that replaces one of the same generation, at any interruption", .covers(115))
    func retained() async throws {
        let folder = try StoreFolder()
        let states = try await Self.states(folder)
        let store = folder.open()
        var selected = try #require(try await store.load(StoreFolder.ada))
        selected.history.selectedAt = Date(timeIntervalSince1970: 1_700_000_001)
        try await store.update(StoreFolder.ada) { [selected] in try await $0.save(selected) }
        #expect(try StoreFolder.read(states.pending).count > 32_768)
        #expect(try await store.load(StoreFolder.ada) == selected)
        let path = states.pending.replacingOccurrences(of: ".pending", with: ".session")
        let saved = try StoreFolder.read(path)
        let old = try await Self.states(folder)
        let (record, length) = (try StoreFolder.read(path), saved.count)
        for pending in (0...length).map({ saved[..<$0] + old.marked[$0...] }) + [saved[...]] {
            try StoreFolder.write(record, to: path)
            try StoreFolder.write(Array(pending), to: states.pending)
            let found = try await store.update(StoreFolder.ada) { try await $0.load() }
            #expect(found?.generation == 1)
            #expect(found?.refreshMark == states.mark, "with a pending file of \(pending.count) bytes")
        }
        #expect(try await store.load(StoreFolder.ada) == selected)
    }

    @Test("Does not replace a newer record with an older one in the pending file")
    func notBack() async throws {
        let folder = try StoreFolder()
        let states = try await Self.states(folder)
        try await folder.save(generation: 3)
        try StoreFolder.write(states.new, to: states.pending)
        let inside = try await folder.open().update(StoreFolder.ada) { try await $0.load() }
        #expect(inside?.generation == 3)
    }

    @Test(
        "Ignores invalid data in the pending file and removes it on the next save",
        arguments: [0, 1, 51, 52, 53, 9000]
    )
    func invalidData(count: Int) async throws {
        let folder = try StoreFolder()
        let states = try await Self.states(folder)
        try StoreFolder.write([UInt8](repeating: 0x54, count: count), to: states.pending)
        #expect(try await folder.open().load(StoreFolder.ada)?.refreshMark == nil)
        try await folder.save(generation: 2)
        #expect(try await folder.open().load(StoreFolder.ada)?.generation == 2)
        #expect(try folder.names(".pending").isEmpty)
    }

    @Test("Ignores a mark with a changed bit or of another account", .shows(claims: 2))
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
        let bobsFile = try await folder.save(StoreFolder.bob)
        try StoreFolder.write(states.marked, to: bobsFile.replacingOccurrences(of: ".session", with: ".pending"))
        #expect(try await store.load(StoreFolder.bob)?.refreshMark == nil)
    }

    private struct States {
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_000.125), generation: 1)
        var pending = ""
        var marked: [UInt8] = []
        var new: [UInt8] = []
    }

    /// Returns the bytes of the next record and leaves the store with the old record and a mark.
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
