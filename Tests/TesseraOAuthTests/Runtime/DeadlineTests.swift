// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing
internal import TesseraOAuth
internal import TesseraTesting

@Suite("Deadline", .timeLimit(.minutes(1)))
struct DeadlineTests {
    private let clock = TestClock()

    @Test("Ends the work when the time is up")
    func timeIsOver() async throws {
        let clock = self.clock
        let result = Task {
            try await Deadline.run(.seconds(60), clock: clock) { try await clock.sleep(for: .seconds(90)) }
        }
        await clock.sleeperCount(reaches: 2)
        clock.advance(by: .seconds(60))
        let error = await #expect(throws: TransportError.self) { try await result.value }
        #expect(error?.code == .timedOut)
        #expect(clock.now.offset == .seconds(60))
    }

    @Test(
        "Returns a response that arrived while the process was suspended",
        arguments: [Duration.seconds(61), .seconds(64), .seconds(3_600)]
    )
    func suspended(for time: Duration) async throws {
        let clock = self.clock
        let (response, arrival) = AsyncStream.makeStream(of: String.self)
        async let result = Deadline.run(.seconds(60), clock: clock) {
            for await text in response { return text }
            throw CancellationError()
        }
        await clock.sleeperCount(reaches: 1)
        clock.advance(by: time)
        arrival.yield("tokens")
        #expect(try await result == "tokens")
    }

    @Test("Ends the work 5 seconds after a suspension if there is no response")
    func suspendedWithoutResponse() async throws {
        let clock = self.clock
        let result = Task {
            try await Deadline.run(.seconds(60), clock: clock) { try await clock.sleep(for: .seconds(10_000)) }
        }
        await clock.sleeperCount(reaches: 2)
        clock.advance(by: .seconds(3_600))
        await clock.sleeperCount(reaches: 2)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: TransportError.self) { try await result.value }
        #expect(error?.code == .timedOut)
    }
}
