// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

@testable internal import TesseraSimulation

@Suite("Order in which records are saved")
struct RecordOrderTests {
    private static let old = Self.record(1)
    private static let new = Self.record(3)

    private static func record(_ number: Int) -> SavedTokens {
        SavedTokens(
            subject: "ada",
            access: SimulatedToken(.access, subject: "ada", consent: 0, number: number + 1),
            refresh: SimulatedToken(.refresh, subject: "ada", consent: 0, number: number)
        )
    }

    /// Returns whether process 1 violates the order by saving the old record after process 2 has saved the new one.
    private static func violates(
        _ seconds: Int64,
        delay: Int64,
        foundBy processes: [ProcessID]
    ) -> Bool {
        var order = RecordOrder()
        let found = processes.map { (Int64(0), $0, SimulationEvent.Action.found(Self.old, store: "disk")) }
        let saves: [(Int64, ProcessID, SimulationEvent.Action)] = [
            (1, 2, .saved(Self.new, store: "disk")), (seconds, 1, .saved(Self.old, store: "disk")),
        ]
        return (found + saves)
            .contains { seconds, process, action in
                let event = SimulationEvent(time: seconds, actor: .process(process), action: action)
                return order.observe(event, delay: delay) != nil
            }
    }

    @Test("An older record may be reported late only if another process has just found it while threads are busy")
    func late() {
        #expect(!Self.violates(2, delay: 5, foundBy: [2]))
        #expect(Self.violates(2, delay: 0, foundBy: [2]))
        #expect(Self.violates(6, delay: 5, foundBy: [2]))
        #expect(Self.violates(2, delay: 5, foundBy: []))
        #expect(Self.violates(2, delay: 5, foundBy: [1, 2]))
    }
}
