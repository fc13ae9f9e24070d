// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

@testable internal import TesseraSimulation

@Suite("Session scenario")
struct SessionScenarioTests {
    @Test("The same seed gives the same events", arguments: UInt64(1)...10)
    func determinism(seed: UInt64) throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let scenario = SessionScenario(seed: seed)
        #expect(try scenario.run() == scenario.run())
    }

    @Test("Keeps every promise for each seed", arguments: UInt64(1)...30)
    func seeds(seed: UInt64) throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        #expect(throws: Never.self) { try SessionScenario(seed: seed).run() }
    }

    @Test("Each plan has at least 3 programs, 2 accounts, 50 operations and 5 faults", arguments: UInt64(1)...200)
    func size(seed: UInt64) {
        let plan = SessionPlan(seed: seed)
        #expect(plan.programs.count >= 3)
        #expect(plan.subjects.count >= 2)
        #expect(plan.operations >= 50)
        #expect(plan.faults >= 5)
    }

    @Test("A scenario's description creates the same scenario again")
    func description() throws {
        var scenario = SessionScenario(seed: 42)
        #expect(SessionScenario(scenario.description) == scenario)
        scenario.plan.steps.removeAll { $0.number % 3 > 0 }
        #expect(scenario.description.hasPrefix("42:0,"))
        #expect(SessionScenario(scenario.description) == scenario)
    }

    @Test("Rejects a text that is not the description of a scenario", arguments: ["", "x", "1:a", "1:2,b", ":1"])
    func invalidDescription(text: String) { #expect(SessionScenario(text) == nil) }

    @Test("Shrinks a scenario to the steps that matter")
    func shrinking() {
        let scenario = SessionScenario(seed: 42)
        let wanted = Set([scenario.plan.steps[3].number, scenario.plan.steps[40].number])
        let shrunk = scenario.shrunk { candidate in wanted.isSubset(of: candidate.plan.steps.map(\.number)) }
        #expect(Set(shrunk.plan.steps.map(\.number)) == wanted)
    }
}
