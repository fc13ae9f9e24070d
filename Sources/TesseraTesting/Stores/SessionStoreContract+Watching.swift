// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

extension SessionStoreContract {
    /// What happened, in the order in which it did.
    final class Journal: Sendable {
        private let state = Mutex<[String]>([])

        var lines: [String] { self.state.withLock { $0 } }

        func add(_ line: String) { self.state.withLock { $0.append(line) } }
    }

    /// The result of `work`, or a failure when it hangs: a store that waits for itself should fail, not stop, a suite.
    static func promptly<Value: Sendable>(
        _ sentence: String,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (results, finish) = AsyncStream<Result<Value, any Error>>.makeStream()
        let worker = Task {
            do { finish.yield(.success(try await work())) } catch { finish.yield(.failure(error)) }
        }
        let watchdog = Task {
            try await ContinuousClock().sleep(for: .seconds(30))
            finish.yield(.failure(ContractError(sentence)))
        }
        defer {
            worker.cancel()
            watchdog.cancel()
        }
        for await result in results { return try result.get() }
        throw CancellationError()
    }
}
