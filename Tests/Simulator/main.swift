// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Simulates sessions for a range of seeds, or prints the history of one scenario.
//
//   Simulator run FIRST COUNT [THREADS]    simulates COUNT seeds beginning with FIRST
//   Simulator show SCENARIO                prints every event of a scenario, such as 42 or 42:3,7,12
//   Simulator shrink SEED                  prints the shortest scenario with the violation of a seed, and its events
//
// Exits with 1 if an invariant was violated.

import Dispatch
import TesseraSimulation
import TesseraSupport

guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { exit(2) }
let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.dropFirst().first) {
case ("run", let first?):
    let numbers = [first] + arguments.dropFirst(2)
    run(UInt64(first) ?? 1, count: numbers.dropFirst().first.flatMap { UInt64($0) } ?? 1, threads: numbers.dropFirst(2).first.flatMap { Int($0) } ?? 1)
case ("show", let text?):
    guard let scenario = SessionScenario(text) else { exit(2) }
    let (events, violation) = try scenario.history()
    for event in events { print(event) }
    if let violation { print("Violation: \(violation)") }
    exit(violation == nil ? 0 : 1)
case ("shrink", let text?):
    guard let scenario = SessionScenario(text) else { exit(2) }
    guard let violation = try scenario.history().violation else { exit(0) }
    let shrunk = scenario.shrunk(violating: violation.invariant)
    let history = try shrunk.history()
    print("Scenario: \(shrunk)")
    for event in history.events { print(event) }
    if let violation = history.violation { print("Violation: \(violation)") }
    exit(1)
default:
    print("usage: Simulator run FIRST COUNT [THREADS] | show SCENARIO | shrink SCENARIO")
    exit(2)
}

@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
func run(_ first: UInt64, count: UInt64, threads: Int) -> Never {
    let next = Atomic<UInt64>(first)
    let failures = Mutex<[(UInt64, String)]>([])
    let totals = Mutex<[Int]>([0, 0])
    let begun = ContinuousClock.now
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
        while case let seed = next.wrappingAdd(1, ordering: .relaxed).oldValue, seed < first + count {
            do {
                let scenario = SessionScenario(seed: seed)
                let events = try scenario.run()
                totals.withLock { $0[0] += events.count }
            } catch {
                failures.withLock { $0.append((seed, "\(error)")) }
            }
        }
    }
    let elapsed = begun.duration(to: .now) / .seconds(1)
    for (seed, error) in failures.withLock({ $0 }).sorted(by: { $0.0 < $1.0 }).prefix(20) { print("seed \(seed): \(error)") }
    let failed = failures.withLock { $0.count }
    print("\(count) histories, \(totals.withLock { $0[0] }) events, \(failed) violations, \(Int(Double(count) / elapsed)) histories per second")
    exit(failed == 0 ? 0 : 1)
}
