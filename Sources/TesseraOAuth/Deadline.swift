// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Runs work against a clock.
package enum Deadline {
    /// The result of `work`, or ``TransportError`` `timedOut` after `limit`; the work is cancelled then.
    package static func run<Value: Sendable>(
        _ limit: Duration,
        clock: any Clock<Duration>,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await clock.sleep(for: limit)
                throw TransportError(.timedOut)
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}
