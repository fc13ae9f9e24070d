// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

/// How often a call is made again, and how long is waited in between: a time drawn from all up to a bound that doubles.
///
/// - SeeAlso: [Exponential backoff and jitter](https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/)
public struct Backoff: Sendable, Hashable {
    /// The bound of the first wait.
    public var initial: Duration
    /// No bound is above it.
    public var cap: Duration
    /// How often a call is sent at most, the first time included.
    public var attempts: Int
    /// From the first sending on: no other begins later.
    ///
    /// A server that demands a longer wait ends the call at once.
    public var deadline: Duration

    /// A second, doubled up to 32; seven times at most, within two minutes.
    public init(
        initial: Duration = .seconds(1),
        cap: Duration = .seconds(32),
        attempts: Int = 7,
        deadline: Duration = .seconds(120)
    ) {
        self.initial = initial
        self.cap = cap
        self.attempts = attempts
        self.deadline = deadline
    }

    /// Every call once.
    public static let once = Backoff(attempts: 1)

    /// The wait after so many failures, at least one: full jitter, and never less than the server demands.
    func wait(afterFailures failures: Int, atLeast minimum: Duration, randomBytes: [UInt8]) -> Duration {
        let bound = min(self.initial * (1 << min(failures - 1, 30)), self.cap)
        let number = randomBytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let share = Double(number >> 11) / 0x1p53
        return max(minimum, bound * share)
    }
}
