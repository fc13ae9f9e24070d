// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Simulates sessions for a range of seeds, or prints the history of one scenario.
//
//   Simulator run FIRST COUNT [THREADS]                simulates COUNT seeds beginning with FIRST
//   Simulator find FIRST COUNT [THREADS [INVARIANT]]   stops at the first seed that violates an invariant, or this one
//   Simulator show SCENARIO                            prints every event of a scenario, such as 42 or 42:3,7,12
//   Simulator trace SCENARIO                           prints the steps of Models/sessions.pml that it shows
//   Simulator shrink SCENARIO                          prints the shortest scenario with the same violation
//
// Exits with 1 if an invariant was violated.

internal import Dispatch
internal import TesseraSimulation
internal import TesseraSupport

guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { exit(2) }
let words = Array(CommandLine.arguments.dropFirst())
switch words.first {
case "run" where words.count >= 3, "find" where words.count >= 3:
    guard let first = UInt64(words[1]), let count = UInt64(words[2]),
        let threads = Int(words.count > 3 ? words[3] : "1")
    else { usage() }
    let wanted = words.count > 4 ? [Invariant(rawValue: words[4])].compactMap { $0 } : Invariant.allCases
    exit(Seeds(first..<first + count, stoppingAt: words[0] == "find" ? Set(wanted) : []).run(threads: threads))
case "show" where words.count == 2:
    guard let scenario = SessionScenario(words[1]) else { usage() }
    exit(try show(scenario))
case "trace" where words.count == 2:
    guard let scenario = SessionScenario(words[1]) else { usage() }
    try trace(scenario)
case "shrink" where words.count == 2:
    guard let scenario = SessionScenario(words[1]) else { usage() }
    guard let violation = try scenario.history().violation else { exit(0) }
    let shrunk = scenario.shrunk(violating: violation.invariant)
    print("Scenario \(shrunk)")
    exit(try show(shrunk))
default: usage()
}

func usage() -> Never {
    print("usage: Simulator run|find FIRST COUNT [THREADS [INVARIANT]] | show|trace|shrink SCENARIO")
    exit(2)
}

@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
func show(_ scenario: SessionScenario) throws -> Int32 {
    let (events, violation) = try scenario.history()
    for event in events { print(event) }
    guard let violation else { return 0 }
    print("Violation of \(violation)")
    return 1
}

/// Prints the traces of a scenario.
///
/// The first line of each trace has the number of processes, whether the store has leases, and whether the provider
/// detects that a replaced token is used again.
@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
func trace(_ scenario: SessionScenario) throws {
    let hasLeases = scenario.plan.store == .database
    let detectsReuse = scenario.plan.settings.refreshTokens == .rotatingWithReuseDetection
    for trace in ModelTrace.traces(of: try scenario.history().events, plan: scenario.plan) {
        print("trace \(trace.processes) \(hasLeases ? 1 : 0) \(detectsReuse ? 1 : 0)", terminator: "\t")
        print("Scenario \(scenario), consent \(trace.consent), store \(trace.store)")
        for step in trace.steps { print("\(step.label.rawValue) \(step.process) \(step.value)\t\(step.event)") }
    }
}

/// The simulation of a range of seeds on several threads.
@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
final class Seeds: Sendable {
    private struct State {
        var next: UInt64
        var histories = 0
        var events = 0
        var operations: [Int] = []
        var faults: [Int] = []
        var failures: [(seed: UInt64, error: String)] = []
        var isFound = false
    }

    private let seeds: Range<UInt64>
    /// The invariants whose first violation ends the run.
    private let last: Set<Invariant>
    private let state: Mutex<State>

    init(_ seeds: Range<UInt64>, stoppingAt last: Set<Invariant>) {
        self.seeds = seeds
        self.last = last
        self.state = Mutex(State(next: seeds.lowerBound))
    }

    /// Simulates all seeds, prints the result, and returns the exit status.
    func run(threads: Int) -> Int32 {
        let begun = ContinuousClock.now
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            while let seed = self.next() { self.simulate(seed) }
        }
        let seconds = begun.duration(to: .now) / .seconds(1)
        let state = self.state.withLock { $0 }
        for failure in state.failures.sorted(by: { $0.seed < $1.seed }).prefix(20) {
            print("Seed \(failure.seed): \(failure.error)")
        }
        print(
            "\(state.histories) histories with \(state.events) events, \(state.failures.count) violations, "
                + "\(Int(Double(state.histories) / max(seconds, 0.001))) histories per second"
        )
        print("Operations: \(Self.distribution(state.operations)). Faults: \(Self.distribution(state.faults)).")
        return state.failures.isEmpty ? 0 : 1
    }

    private static func distribution(_ values: [Int]) -> String {
        let sorted = values.sorted()
        guard let least = sorted.first, let most = sorted.last else { return "none" }
        return "\(least) to \(most), median \(sorted[sorted.count / 2])"
    }

    private func next() -> UInt64? {
        self.state.withLock { state in
            guard state.next < self.seeds.upperBound, !state.isFound else { return nil }
            state.next += 1
            return state.next - 1
        }
    }

    private func simulate(_ seed: UInt64) {
        let scenario = SessionScenario(seed: seed)
        let result = Result { try scenario.run() }
        self.state.withLock { state in
            state.histories += 1
            state.operations.append(scenario.plan.operations)
            state.faults.append(scenario.plan.faults)
            switch result {
            case .success(let events): state.events += events.count
            case .failure(let error):
                state.failures.append((seed, "\(error)"))
                if let violation = error as? InvariantViolation, self.last.contains(violation.invariant) {
                    state.isFound = true
                }
            }
        }
    }
}
