// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The random delay before another attempt, with an upper bound that doubles with each failure.
///
/// - SeeAlso: [Exponential backoff and jitter](https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/)
package struct RetryDelay: Sendable {
    /// The upper bound after the first failure.
    package let initial: Duration
    /// The largest upper bound.
    package let cap: Duration

    package init(initial: Duration, cap: Duration) {
        self.initial = initial
        self.cap = cap
    }

    /// Returns a delay for a number of failures, which is at least 1, from 8 random bytes.
    package func duration(afterFailures failures: Int, _ randomBytes: [UInt8]) -> Duration {
        let bound = min(self.initial * (1 << min(failures - 1, 30)), self.cap)
        let number = randomBytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return bound * (Double(number >> 11) / 0x1p53)
    }
}
