// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
internal import TesseraOAuth

/// How often a call is made again, and how long to wait: a random time below a bound that doubles.
///
/// - SeeAlso: [Exponential backoff and jitter](https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/)
public struct Backoff: Sendable, Hashable {
    /// The bound of the first wait.
    public var initial: Duration
    /// The largest bound.
    public var cap: Duration
    /// How often a call is sent at most, the first time included.
    public var attempts: Int
    /// The time after the first attempt in which others may begin.
    ///
    /// If the server demands a longer wait, the call ends at once.
    public var deadline: Duration

    /// Creates a backoff: by default up to 7 attempts within 2 minutes, with waits of 1 to 32 seconds.
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

    /// Makes every call once.
    public static let once = Backoff(attempts: 1)
}

/// The attempts and the time that are left to a call, or to a transfer since it last made progress.
package struct RetryBudget {
    private let backoff: Backoff
    private var failures = 0
    private var begunAt: Int64
    /// Whether the last failure would have been retried with more attempts or more time.
    private(set) var isSpent = false

    package init(of fetcher: AuthorizedFetcher, _ options: CallOptions) {
        self.backoff = options.backoff ?? fetcher.settings.backoff
        self.begunAt = fetcher.runtime.uptime()
    }

    /// Restores the whole budget after progress.
    mutating func renew(at uptime: Int64) {
        self.failures = 0
        self.begunAt = uptime
    }

    /// Returns how long to wait before the next attempt, nil if there is none.
    package mutating func wait(
        of fetcher: AuthorizedFetcher,
        after outcome: CallFailure.Outcome,
        to request: HTTPRequest,
        _ options: CallOptions,
        isReplayable: Bool = true
    ) -> Duration? {
        self.failures += 1
        self.isSpent = self.failures >= self.backoff.attempts
        // Part of a body may have been sent, unless the token was missing.
        if case .token = outcome {} else { guard isReplayable else { return nil } }
        guard !self.isSpent else { return nil }
        let runtime = fetcher.runtime
        let failure = CallFailure(
            request: request,
            outcome: outcome,
            isIdempotent: options.isIdempotent(request),
            date: runtime.now()
        )
        guard case .again(let minimum) = fetcher.settings.retryPolicy.verdict(on: failure) else { return nil }
        let wait = max(minimum, self.jitter(runtime.randomBytes(8)))
        let elapsed = Duration.nanoseconds(runtime.uptime() - self.begunAt)
        self.isSpent = elapsed + wait > self.backoff.deadline
        return self.isSpent ? nil : wait
    }

    /// A time below the bound that the failures so far have reached.
    private func jitter(_ randomBytes: [UInt8]) -> Duration {
        let bound = min(self.backoff.initial * (1 << min(self.failures - 1, 30)), self.backoff.cap)
        let number = randomBytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return bound * (Double(number >> 11) / 0x1p53)
    }
}
