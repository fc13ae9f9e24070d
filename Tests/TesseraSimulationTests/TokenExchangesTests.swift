// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

@testable internal import TesseraSimulation

@Suite("Token requests on the wire")
struct TokenExchangesTests {
    private static let token = SimulatedToken(.refresh, subject: "ada", consent: 0, number: 1)

    /// Returns whether a time limit may pass while a response is read that arrives after `seconds`.
    private static func mayEnd(
        _ seconds: Int64,
        delay: Int64,
        after action: SimulationEvent.Action? = nil
    ) -> Bool? {
        var exchanges = TokenExchanges()
        exchanges.begin(1, Self.token, 1, at: 0)
        if let action { exchanges.observe(SimulationEvent(time: 0, actor: .process(1), action: action)) }
        return exchanges.end(1)?.mayEnd(at: seconds * 1_000_000_000, delay: delay * 1_000_000_000)
    }

    @Test("A time limit may pass while a response is read only if threads are busy at that time")
    func limits() {
        #expect(Self.mayEnd(58, delay: 5) == true)
        #expect(Self.mayEnd(58, delay: 0) == false)
        #expect(Self.mayEnd(54, delay: 5) == false)
        #expect(Self.mayEnd(64, delay: 5) == true)
        #expect(Self.mayEnd(81, delay: 5) == false)
    }

    @Test("A response that arrives when a stopped process continues is read", arguments: [true, false])
    func stopped(isPaused: Bool) {
        #expect(Self.mayEnd(64, delay: 5, after: isPaused ? .paused(seconds: 64) : .suspended) == false)
        #expect(Self.mayEnd(58, delay: 5, after: isPaused ? .paused(seconds: 10) : .suspended) == true)
    }

    @Test("An app may send a request after its time has run out only while threads are busy")
    func late() {
        let second: Int64 = 1_000_000_000
        var exchanges = TokenExchanges()
        exchanges.observe(SimulationEvent(time: 0, actor: .process(1), action: .activitiesExpired))
        #expect(!exchanges.isLate(1, at: 0))
        exchanges.observe(SimulationEvent(time: 0, actor: .network, action: .threadsBusy))
        #expect(exchanges.isLate(1, at: 4 * second))
        #expect(!exchanges.isLate(1, at: 5 * second))
        #expect(!exchanges.isLate(2, at: 4 * second))
        exchanges.begin(1, Self.token, 1, at: 4 * second)
        exchanges.begin(2, Self.token, 1, at: 6 * second)
        #expect(exchanges.end(1)?.isReleased == true)
        #expect(exchanges.end(2)?.isReleased == false)
    }

    @Test("A process that is killed has no requests")
    func killed() { #expect(Self.mayEnd(58, delay: 5, after: .killed) == nil) }
}
