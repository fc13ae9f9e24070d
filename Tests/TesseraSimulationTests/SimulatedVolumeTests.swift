// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Testing

@testable internal import TesseraSimulation

@Suite("Simulated volume")
struct SimulatedVolumeTests {
    private static let seeds = UInt64(1)...200

    /// Returns what is at each path after a power failure, for many seeds.
    private static func results(_ change: (SimulatedVolume) -> Void) -> Set<[String: [UInt8]]> {
        Set(
            Self.seeds.map { seed in
                let volume = SimulatedVolume(random: SeededGenerator(seed: seed))
                change(volume)
                volume.losePower()
                return Dictionary(
                    uniqueKeysWithValues: volume.names(in: "")
                        .map { name in
                            (name, volume.inode(at: "/" + name)?.state.withLock { $0.contents } ?? [])
                        }
                )
            }
        )
    }

    @Test("Synchronized contents with a synchronized name survive a power failure")
    func synchronized() {
        let results = Self.results { volume in
            let file = volume.create("/a")
            file.apply(.write([1, 2, 3], at: 0))
            file.synchronize()
            volume.synchronizeDirectory()
        }
        #expect(results == [["a": [1, 2, 3]]])
    }

    @Test("Contents that were not synchronized can be lost, and so can a name")
    func unsynchronized() {
        let results = Self.results { volume in volume.create("/a").apply(.write([1], at: 0)) }
        #expect(results == [[:], ["a": []], ["a": [1]]])
    }

    @Test("A write can be torn at each sector")
    func torn() {
        let results = Self.results { volume in
            let file = volume.create("/a")
            file.apply(.write([UInt8](repeating: 1, count: 1_024), at: 0))
            file.synchronize()
            volume.synchronizeDirectory()
            file.apply(.write([UInt8](repeating: 2, count: 1_024), at: 0))
        }
        let sectors = results.compactMap { result in result["a"].map { [$0[0], $0[511], $0[512], $0[1_023]] } }
        #expect(Set(sectors) == [[1, 1, 1, 1], [1, 1, 2, 2], [2, 2, 1, 1], [2, 2, 2, 2]])
    }

    @Test("A rename without a synchronized directory leaves the old or the new file")
    func renamed() {
        let results = Self.results { volume in
            for (name, byte) in [("/a", UInt8(1)), ("/b", 2)] {
                let file = volume.create(name)
                file.apply(.write([byte], at: 0))
                file.synchronize()
            }
            volume.synchronizeDirectory()
            volume.move("/b", to: "/a")
        }
        #expect(results == [["a": [1], "b": [2]], ["a": [2]]])
    }

    @Test("A file that was removed and created again has a different lock")
    func locks() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        try Simulation.run(seed: 1) { simulation in
            let machine = simulation.makeMachine()
            let volumes = (0..<2).map { _ in ProcessVolume(volume: machine.volume, process: machine.start()) }
            let first = try volumes[0].lock("/lock")
            let second = try volumes[1].lock("/lock")
            #expect(try first.tryLock())
            #expect(try !second.tryLock())
            first.release()
            #expect(try second.tryLock())
            try volumes[0].remove("/lock")
            #expect(try volumes[0].lock("/lock").tryLock())
        }
    }

    @Test("A killed process releases its locks, and none of its later operations has an effect")
    func killed() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        try Simulation.run(seed: 1) { simulation in
            let machine = simulation.makeMachine()
            let (first, second) = (machine.start(), machine.start())
            let volume = ProcessVolume(volume: machine.volume, process: first)
            let file = try #require(try volume.file(at: "/a", writing: true, creating: true))
            #expect(try volume.lock("/lock").tryLock())
            first.kill(afterOperations: 1)
            try file.write([1], at: 0)
            #expect(throws: (any Error).self) { try file.write([2], at: 0) }
            #expect(!first.isRunning)
            #expect(throws: (any Error).self) { try volume.remove("/a") }
            let other = ProcessVolume(volume: machine.volume, process: second)
            #expect(try other.contents(of: "/a", limit: 10) == [1])
            #expect(try other.lock("/lock").tryLock())
        }
    }

    @Test("A full disk rejects new space, but not writes to space that a file has")
    func full() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        try Simulation.run(seed: 1) { simulation in
            let machine = simulation.makeMachine()
            let volume = ProcessVolume(volume: machine.volume, process: machine.start())
            let file = try #require(try volume.file(at: "/a", writing: true, creating: true))
            try file.write([1, 2], at: 0)
            machine.setDiskFull(true)
            try file.write([3, 4], at: 0)
            #expect(throws: (any Error).self) { try file.write([5], at: 2) }
            #expect(throws: (any Error).self) { try volume.file(at: "/b", writing: true, creating: true) }
            machine.setDiskFull(false)
            try file.write([5], at: 2)
        }
    }
}
