// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession

/// How often something was done in a second, and what it cost the processors.
struct Rate {
    let perSecond: Double
    let microseconds: Double

    /// Calls, `inFlight` at a time, for `duration`.
    init(
        of call: @escaping @Sendable () async throws -> Void,
        _ inFlight: Int,
        _ duration: Duration
    ) async throws {
        let clock = ContinuousClock()
        let processor = ProcessorTime.process
        let start = clock.now
        let end = start + duration
        let calls = try await withThrowingTaskGroup(of: Int.self) { group in
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
        self.perSecond = Double(calls) / ((clock.now - start) / .seconds(1))
        self.microseconds = (ProcessorTime.process - processor) / 1_000 / Double(calls)
    }
}
