// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(TestPrograms)
internal import Foundation
internal import Tessera
internal import TesseraStores
internal import TestPrograms
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Encrypted file store shared by processes")
struct EncryptedFileStoreProcessTests {
    @Test("Loses no update of four other processes and this one", .covers(116))
    func increments() async throws {
        let folder = try StoreFolder()
        let probes = try (1...4).map { _ in try ProbeProcess.start(["increment", folder.store, folder.keys, "25"]) }
        let store = folder.open()
        for _ in 0..<25 {
            try await store.update(StoreFolder.ada) { entry in
                let generation = try await entry.load()?.generation ?? 0
                try await entry.save(try .sample(for: StoreFolder.ada, generation: generation + 1))
            }
        }
        for probe in probes { #expect(await probe.output.lines().last?.hasPrefix("saved: ") == true) }
        #expect(try await store.load(StoreFolder.ada)?.generation == 125)
    }

    @Test(
        "Holds the last record or the one before it, and no lock, after its process is killed",
        .covers(115)
    )
    func killed() async throws {
        let folder = try StoreFolder()
        let store = folder.open()
        try await folder.save(generation: 0, size: 8192)
        let seed = TestSeed.printed()
        let random = SeededRandomBytes(seed: seed)
        var generation: Int64 = 0
        for round in 0..<Repetitions.count("TESSERA_KILLS", default: 120) {
            let probe = try ProbeProcess.start(["churn", folder.store, folder.keys])
            #expect(await probe.output.line() == "ready")
            let bytes = random.next(2)
            try await Task.sleep(for: .microseconds((Int(bytes[0]) << 8 | Int(bytes[1])) / 2))
            await probe.kill()
            let last = await probe.output.lines().last { $0.hasPrefix("saved: ") }
            let saved = last.flatMap { Int64($0.dropFirst("saved: ".count)) } ?? generation
            let read = try #require(try await store.load(StoreFolder.ada), "round \(round), seed \(seed)")
            #expect([saved, saved + 1].contains(read.generation), "round \(round), seed \(seed)")
            let settled = try await store.update(StoreFolder.ada) { try await $0.load() }
            var record = try #require(settled, "round \(round), seed \(seed)")
            #expect([read.generation, saved + 1].contains(record.generation), "round \(round), seed \(seed)")
            record.refreshMark = nil
            let expected = try SessionRecord.sample(for: StoreFolder.ada, generation: record.generation, size: 8192)
            #expect(record == expected, "round \(round), seed \(seed)")
            generation = record.generation
        }
        #expect(generation > 0)
    }

    @Test("Can be used for a sign-in after a process is killed during first use", .covers(115))
    func killedAtFirstUse() async throws {
        let seed = TestSeed.printed()
        let random = SeededRandomBytes(seed: seed)
        for round in 0..<30 {
            let folder = try StoreFolder()
            let probe = try ProbeProcess.start(["churn", folder.store, folder.keys])
            _ = await probe.output.line()
            try await Task.sleep(for: .microseconds(Int(random.next(1)[0]) * 40))
            await probe.kill()
            let store = folder.open()
            try await store.probe()
            try await folder.save(generation: 1_000_000)
            #expect(try await store.load(StoreFolder.ada)?.generation == 1_000_000, "round \(round), seed \(seed)")
        }
    }

    @Test(
        "Releases the lock of a killed process, and a waiting update throws busy after its timeout",
        .covers(116)
    )
    func holder() async throws {
        let folder = try StoreFolder()
        let probe = try ProbeProcess.start(["hold", folder.store, folder.keys])
        #expect(await probe.output.line() == "held")
        let clock = TestClock()
        let store = EncryptedFileStore(directory: folder.store, keyDirectory: folder.keys, clock: clock)
        let refused = Task { try await store.update(StoreFolder.ada) { _ in } }
        await clock.sleeperCount(reaches: 1)
        clock.advance(by: .milliseconds(59_999))
        await clock.sleeperCount(reaches: 1)
        clock.advance(by: .seconds(1))
        await #expect(throws: StoreError(.busy, location: folder.store + "/" + (try folder.names(".lock")[0]))) {
            try await refused.value
        }
        let waiting = Task { try await store.update(StoreFolder.ada) { _ in 42 } }
        await clock.sleeperCount(reaches: 1)
        await probe.kill()
        clock.advance(by: .milliseconds(1))
        #expect(try await waiting.value == 42)
    }

    @Test("A canceled update stops waiting for another process and does not keep the lock")
    func canceled() async throws {
        let folder = try StoreFolder()
        let probe = try ProbeProcess.start(["hold", folder.store, folder.keys])
        #expect(await probe.output.line() == "held")
        let clock = TestClock()
        let store = EncryptedFileStore(directory: folder.store, keyDirectory: folder.keys, clock: clock)
        let waiting = Task { try await store.update(StoreFolder.ada) { _ in } }
        await clock.sleeperCount(reaches: 1)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await probe.kill()
        #expect(try await folder.open().update(StoreFolder.ada) { _ in 42 } == 42)
    }

    @Test("An update that times out within one process does not pass its turn on", .covers(116))
    func timeout() async throws {
        let folder = try StoreFolder()
        let clock = TestClock()
        let store = EncryptedFileStore(directory: folder.store, keyDirectory: folder.keys, clock: clock)
        try await store.update(StoreFolder.ada) { entry in
            let waiting = Task { try await store.update(StoreFolder.ada) { _ in } }
            await clock.sleeperCount(reaches: 1)
            clock.advance(by: .seconds(60))
            await #expect(throws: StoreError.self) { try await waiting.value }
            try await entry.save(try .sample(for: StoreFolder.ada))
        }
        #expect(try await store.update(StoreFolder.ada) { _ in 42 } == 42)
    }
}
#endif
