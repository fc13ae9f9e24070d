// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession

/// The number of calls per second and their processor time.
struct Rate {
    private var calls = 0
    private var time = Duration.zero
    /// The processor time in microseconds.
    private var work = 0.0

    var perSecond: Double { Double(self.calls) / (self.time / .seconds(1)) }
    var microseconds: Double { self.work / Double(self.calls) }

    init() {}

    static func += (sum: inout Self, other: Self) {
        sum.calls += other.calls
        sum.time += other.time
        sum.work += other.work
    }

    /// Measures calls, with `inFlight` concurrent calls for `duration`.
    init(
        of call: @escaping @Sendable () async throws -> Void,
        _ inFlight: Int,
        _ duration: Duration
    ) async throws {
        let clock = ContinuousClock()
        let processor = ProcessorTime.process
        let start = clock.now
        let end = start + duration
        self.calls = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<inFlight {
                group.addTask {
                    var calls = 0
                    while clock.now < end {
                        try await call()
                        calls += 1
                    }
                    return calls
                }
            }
            return try await group.reduce(0, +)
        }
        self.time = clock.now - start
        self.work = (ProcessorTime.process - processor) / 1_000
    }
}
