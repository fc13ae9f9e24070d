// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import os

/// A lock that protects a value, with the interface of the standard library's `Mutex`.
///
/// `Synchronization.Mutex` requires iOS 18 and macOS 15. This lock is available on every supported system version.
package struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
    /// A class that holds the value, because `OSAllocatedUnfairLock` does not directly support noncopyable values.
    private final class Storage {
        var value: Value

        init(_ value: consuming Value) { self.value = value }
    }

    private let lock: OSAllocatedUnfairLock<Storage>

    /// Creates a lock that protects `value`.
    package init(_ value: consuming sending Value) {
        self.lock = OSAllocatedUnfairLock(uncheckedState: Storage(value))
    }

    /// Calls `body` with exclusive access to the value.
    ///
    /// The lock is not recursive, so `body` must not acquire it again.
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result: Swift.Result<Result, Failure> = self.lock.withLockUnchecked { storage in
            do throws(Failure) { return .success(try body(&storage.value)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
#endif

extension Mutex where Value == Bool {
    /// Sets the value to true and returns whether it was false, which only the first caller learns.
    package borrowing func setOnce() -> Bool {
        self.withLock { value in
            defer { value = true }
            return !value
        }
    }
}
