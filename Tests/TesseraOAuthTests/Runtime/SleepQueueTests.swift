// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing
internal import TesseraOAuth
internal import TesseraTesting

@Suite("Sleep queue", .timeLimit(.minutes(1)))
struct SleepQueueTests {
    private let clock: TestClock
    private let queue: SleepQueue<TestClock>

    init() {
        self.clock = TestClock()
        self.queue = SleepQueue(self.clock, tolerance: .milliseconds(50))
    }

    private func sleep(_ seconds: Int) -> Task<Duration, any Error> {
        let (clock, queue) = (self.clock, self.queue)
        return Task {
            try await queue.sleep(until: TestClock.Instant(offset: .seconds(seconds)))
            return clock.now.offset
        }
    }

    @Test("Canceled sleeps end immediately and leave no additional sleeping tasks")
    func cancelled() async throws {
        let first = self.sleep(60)
        await self.clock.sleeperCount(reaches: 1)
        for second in 60..<160 {
            let task = self.sleep(second)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(self.clock.sleeperCount == 1)
        self.clock.advance(by: .seconds(60))
        #expect(try await first.value == .seconds(60))
    }

    @Test("Each sleep ends at its time, regardless of the order in which they began")
    func order() async throws {
        let tasks = [60, 5, 61, 30].map { self.sleep($0) }
        // Only the first two sleep on the clock. The others are covered by an earlier wake-up.
        await self.clock.sleeperCount(reaches: 1)
        var ends: [Duration] = []
        for (task, seconds) in zip([1, 3, 0, 2], [5, 25, 30, 1]) {
            await self.clock.sleeperCount(reaches: 1)
            self.clock.advance(by: .seconds(seconds))
            ends.append(try await tasks[task].value)
        }
        #expect(ends == [.seconds(5), .seconds(30), .seconds(60), .seconds(61)])
    }

    @Test("A sleep until a past time ends immediately")
    func over() async throws {
        self.clock.advance(by: .seconds(10))
        #expect(try await self.sleep(5).value == .seconds(10))
    }
}
