// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Synchronization

/// Runs an asynchronous measurement from a synchronous main function, which profilers handle better.
public func runBlocking(_ body: @escaping @Sendable () async throws -> Void) throws {
    let result = Mutex<(any Error)?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        do { try await body() } catch { result.withLock { $0 = error } }
        done.signal()
    }
    done.wait()
    if let error = result.withLock({ $0 }) { throw error }
}
