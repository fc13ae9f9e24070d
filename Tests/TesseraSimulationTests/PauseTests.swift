// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

@testable internal import TesseraSimulation

@Suite("Paused processes")
struct PauseTests {
    @Test("The sleeps of a paused process end after the pause, and those of other processes are not delayed")
    func sleeps() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        try Simulation.run(seed: 1) { simulation in
            let machine = simulation.makeMachine()
            let (paused, other) = (machine.start(), machine.start())
            let log = Log()
            let tasks = [(paused, "paused", 10), (other, "other", 10), (paused, "late", 90)]
                .map { process, name, seconds in
                    simulation.start {
                        try await process.clock.sleep(for: .seconds(seconds))
                        log.add("\(name) at \(simulation.clock.now.offset / .seconds(1))")
                    }
                }
            try await simulation.clock.sleep(for: .seconds(1))
            paused.pause(seconds: 60)
            for task in tasks { try await task.value }
            #expect(log.lines == ["other at 10.0", "paused at 61.0", "late at 90.0"])
        }
    }

    @Test("A timer that belongs to the network fires while its process is paused")
    func network() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        try Simulation.run(seed: 1) { simulation in
            let process = simulation.makeMachine().start()
            process.pause(seconds: 60)
            let scheduler = simulation.scheduler
            try await scheduler.sleep(until: 10_000_000_000, for: process.id, firesWhilePaused: true)
            #expect(simulation.clock.now.offset == .seconds(10))
            await process.waitUntilResumed()
            #expect(simulation.clock.now.offset == .seconds(60))
        }
    }

    @Test("A paused process can be killed")
    func killed() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        try Simulation.run(seed: 1) { simulation in
            let process = simulation.makeMachine().start()
            process.pause(seconds: 60)
            let task = simulation.start { try await process.clock.sleep(for: .seconds(1)) }
            try await simulation.clock.sleep(for: .seconds(5))
            process.kill()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(simulation.clock.now.offset == .seconds(5))
        }
    }

    @Test("The steps of a plan do not depend on those that follow them", arguments: UInt64(1)...50)
    func numbers(seed: UInt64) {
        let plan = SessionPlan(seed: seed, steps: Set(0..<1_000))
        #expect(Set(plan.steps.map(\.number)) == Set(0..<plan.steps.count))
        #expect(zip(plan.steps, plan.steps.dropFirst()).allSatisfy { $0.time <= $1.time })
        let later = plan.steps.filter { step in
            switch step.action {
            case .fault(.pause), .fault(.leasesLost), .fault(.declined), .fault(.keyringLocked), .fault(.keyringErrors):
                true
            default: false
            }
        }
        // The first steps of each plan are at least 57 operations and faults without any of these.
        #expect(later.allSatisfy { $0.number >= 57 })
    }
}
