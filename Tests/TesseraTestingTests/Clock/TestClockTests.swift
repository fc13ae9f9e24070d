// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Test clock")
struct TestClockTests {
    @Test("Advances uptime and date together, and only on request")
    func advancing() {
        let clock = TestClock()
        let (date, uptime) = (clock.date, clock.uptime())
        clock.advance(by: .milliseconds(1_500))
        #expect(clock.date.timeIntervalSince(date) == 1.5)
        #expect(clock.uptime() - uptime == 1_500_000_000)
        #expect(clock.now.offset == .milliseconds(1_500))
    }

    @Test("Sets the wall clock without changing the uptime", .covers(118))
    func jump() {
        let clock = TestClock()
        let uptime = clock.uptime()
        clock.setWallClock(to: clock.date.addingTimeInterval(-86_400))
        #expect(clock.wallClock() == TestClock().date.addingTimeInterval(-86_400))
        #expect(clock.uptime() == uptime)
    }

    @Test("The duration from an earlier to a later instant is positive")
    func sign() {
        let start = TestClock.Instant(offset: .zero)
        let later = start.advanced(by: .seconds(3))
        #expect(start < later)
        #expect(start.duration(to: later) == .seconds(3))
        #expect(later.duration(to: start) == .seconds(-3))
    }

    @Test("Wakes a sleeper at its deadline and not before")
    func sleeping() async throws {
        let clock = TestClock()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    return seconds
                }
            }
            await clock.sleeperCount(reaches: 3)
            clock.advance(by: .milliseconds(999))
            #expect(clock.sleeperCount == 3)
            clock.advance(by: .milliseconds(1))
            #expect(clock.sleeperCount == 2)
            let first = try await group.next()
            #expect(first == 1)
            clock.advance(by: .seconds(2))
            #expect(clock.sleeperCount == 0)
            let rest = try await group.reduce(into: Set()) { $0.insert($1) }
            #expect(rest == [2, 3])
        }
    }

    @Test("A canceled sleeper returns at once, even if it is canceled before it sleeps")
    func cancelling() async {
        let clock = TestClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleeperCount(reaches: 1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test("A deadline in the past does not sleep")
    func past() async throws {
        let clock = TestClock()
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: TestClock.Instant(offset: .seconds(5)), tolerance: nil)
    }

    @Test("The same seed produces the same bytes, and each call new ones")
    func randomBytes() {
        let bytes = SeededRandomBytes(seed: 7)
        let (first, second) = (bytes.next(32), bytes.source(32))
        #expect(first.count == 32)
        #expect(first != second)
        #expect(SeededRandomBytes(seed: 7).next(32) == first)
        #expect(SeededRandomBytes(seed: 8).next(32) != first)
    }
}
