// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import TesseraSupport
internal import Testing

@testable internal import TesseraSimulation

@Suite("Scheduler")
struct SchedulerTests {
    @Test("Time advances only when nothing else can happen, and to the earliest timer")
    func time() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        try Simulation.run(seed: 1) { simulation in
            let start = simulation.clock.now
            let order = Log()
            let tasks = [30, 10, 20]
                .map { seconds in
                    simulation.start {
                        try await simulation.clock.sleep(for: .seconds(seconds))
                        order.add("\(seconds) at \(start.duration(to: simulation.clock.now) / .seconds(1))")
                    }
                }
            for task in tasks { try await task.value }
            #expect(order.lines == ["10 at 10.0", "20 at 20.0", "30 at 30.0"])
        }
    }

    @Test("Different seeds run the same tasks in different orders, and the same seed in the same order")
    func orders() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let orders = try (UInt64(1)...50).map { try Self.order(ofSeed: $0) }
        #expect(orders == (try (UInt64(1)...50).map { try Self.order(ofSeed: $0) }))
        #expect(Set(orders).count > 40)
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    private static func order(ofSeed seed: UInt64) throws -> [String] {
        let order = Log()
        try Simulation.run(seed: seed) { _ in
            await withTaskGroup { group in
                for number in 0..<8 { group.addTask { order.add("\(number)") } }
            }
        }
        return order.lines
    }

    @Test("Rejects a history in which another thread resumes a task")
    func escape() {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        #expect(throws: SimulationError.escaped) {
            try Simulation.run(seed: 1) { simulation in
                let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)
                let resumed = Log()
                // This task begins when the other one is suspended, and ends when another thread has resumed that one.
                simulation.start {
                    let continuation = waiting.withLock { $0 }
                    DispatchQueue.global()
                        .async {
                            continuation?.resume()
                            resumed.add("")
                        }
                    while resumed.lines.isEmpty {}
                }
                await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation } }
            }
        }
    }

    @Test("Reports a program that waits for something that never happens")
    func stuck() {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let held = Log()
        #expect(throws: SimulationError.stuck) {
            try Simulation.run(seed: 1) { _ in
                await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in held.add("") }
            }
        }
        #expect(held.lines.count == 1)
    }

    @Test("Reports a program that never ends")
    func endless() {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        #expect(throws: SimulationError.endless) {
            try Simulation.run(seed: 1, limit: 1_000) { simulation in
                while true { try await simulation.clock.sleep(for: .seconds(1)) }
            }
        }
    }

    @Test("A canceled sleep ends immediately, whether it is canceled before or after it begins", arguments: [0, 5])
    func cancellation(delay: Int) throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        try Simulation.run(seed: 1) { simulation in
            let task = simulation.start { try await simulation.clock.sleep(for: .seconds(60)) }
            if delay > 0 { try await simulation.clock.sleep(for: .seconds(delay)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(simulation.clock.now.offset == .seconds(delay))
        }
    }

    @Test("The sleeps of a killed process end with an error, and later ones do not begin")
    func killed() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        try Simulation.run(seed: 1) { simulation in
            let process = simulation.makeMachine().start()
            let task = simulation.start { try await process.clock.sleep(for: .seconds(60)) }
            try await simulation.clock.sleep(for: .seconds(1))
            process.kill()
            await #expect(throws: CancellationError.self) { try await task.value }
            await #expect(throws: CancellationError.self) { try await process.clock.sleep(for: .seconds(1)) }
            #expect(simulation.clock.now.offset == .seconds(1))
        }
    }
}
