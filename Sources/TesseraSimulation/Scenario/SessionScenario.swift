// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// A random history of programs that use the same accounts, which checks every ``Invariant`` after each event.
///
/// ```swift
/// try SessionScenario(seed: 42).run()
/// ```
public struct SessionScenario: Sendable, Hashable {
    /// The seed of the scheduler, the network, the provider and the disks.
    public let seed: UInt64
    /// What happens.
    public var plan: SessionPlan

    /// Creates the scenario of a seed.
    public init(seed: UInt64) {
        self.seed = seed
        self.plan = SessionPlan(seed: seed)
    }

    /// Creates a scenario from its ``description``, such as `42` or `42:3,7,12`.
    ///
    /// Returns nil if the text is not the description of a scenario.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let seed = parts.first.flatMap({ UInt64($0) }) else { return nil }
        self.init(seed: seed)
        guard parts.count == 2 else { return }
        let numbers = parts[1].split(separator: ",").map { Int($0) }
        guard !numbers.contains(nil) else { return nil }
        self.plan = SessionPlan(seed: seed, steps: Set(numbers.compactMap { $0 }))
    }

    /// Simulates the history.
    ///
    /// - Returns: Everything that happened, in order.
    /// - Throws: ``InvariantViolation`` or ``SimulationError``.
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @discardableResult
    public func run() throws -> [SimulationEvent] {
        try Simulation.run(seed: self.seed) { simulation in
            try await SessionPrograms(self.plan, in: simulation).run()
        }
    }

    /// Simulates the history, and returns its events even if an invariant was violated.
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    public func history() throws -> (events: [SimulationEvent], violation: InvariantViolation?) {
        let events = Mutex<[SimulationEvent]>([])
        do {
            let all = try Simulation.run(seed: self.seed) { simulation in
                simulation.observe { event in events.withLock { $0.append(event) } }
                try await SessionPrograms(self.plan, in: simulation).run()
            }
            return (all, nil)
        } catch let violation as InvariantViolation {
            return (events.withLock { $0 }, violation)
        }
    }

    /// Returns a scenario with as few steps as possible that violates the same invariant.
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    public func shrunk(violating invariant: Invariant) -> SessionScenario {
        self.shrunk { $0.violates(invariant) }
    }

    /// Returns a scenario with as few steps as possible that still meets a condition.
    func shrunk(while holds: (SessionScenario) -> Bool) -> SessionScenario {
        var best = self
        var size = max(1, best.plan.steps.count / 2)
        while true {
            var isSmaller = false
            var start = 0
            while start < best.plan.steps.count {
                var candidate = best
                candidate.plan.steps.removeSubrange(start..<min(start + size, best.plan.steps.count))
                if holds(candidate) {
                    best = candidate
                    isSmaller = true
                } else {
                    start += size
                }
            }
            if size == 1, !isSmaller { return best }
            size = max(1, size / 2)
        }
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    private func violates(_ invariant: Invariant) -> Bool {
        do {
            try self.run()
            return false
        } catch {
            return (error as? InvariantViolation)?.invariant == invariant
        }
    }
}

extension SessionScenario: CustomStringConvertible {
    /// The seed, followed by the numbers of the steps unless the plan has all steps of the seed.
    public var description: String {
        if self.plan == SessionPlan(seed: self.seed) { return "\(self.seed)" }
        return "\(self.seed):" + self.plan.steps.map(\.number).sorted().map { "\($0)" }.joined(separator: ",")
    }
}
