// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
internal import Tessera
internal import TesseraOAuth

/// The number of attempts and the random delays between them, with an upper bound that doubles each time.
///
/// - SeeAlso: [Exponential backoff and jitter](https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/)
public struct Backoff: Sendable, Hashable {
    /// The upper bound of the first delay.
    public var initial: Duration
    /// The largest upper bound.
    public var cap: Duration
    /// The maximum number of attempts, including the first one.
    public var attempts: Int
    /// The period after the first attempt in which further attempts may begin.
    ///
    /// If the server requires a longer delay, the call is not retried.
    public var deadline: Duration

    /// Creates a backoff, which by default allows up to 7 attempts within 2 minutes, with bounds from 1 to 32 seconds.
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

    /// A single attempt without retries.
    public static let once = Backoff(attempts: 1)
}

/// The remaining attempts and time of a call, or of a transfer since its last progress.
package struct RetryBudget {
    private let backoff: Backoff
    private var failures = 0
    private var begunAt: Int64
    /// Whether the last failure would have been retried if there had been more attempts or time left.
    private(set) var isSpent = false

    package init(of fetcher: AuthorizedFetcher, _ options: CallOptions) {
        self.backoff = options.backoff ?? fetcher.settings.backoff
        self.begunAt = fetcher.runtime.uptime()
    }

    /// Restores the entire budget after progress.
    mutating func renew(at uptime: Int64) {
        self.failures = 0
        self.begunAt = uptime
    }

    /// Returns the delay before the next attempt, or nil if the call must not be retried.
    package mutating func wait(
        of fetcher: AuthorizedFetcher,
        after cause: CallFailure.Cause,
        to request: HTTPRequest,
        _ options: CallOptions,
        isReplayable: Bool = true
    ) -> Duration? {
        self.failures += 1
        self.isSpent = self.failures >= self.backoff.attempts
        guard isReplayable, !self.isSpent else { return nil }
        let runtime = fetcher.runtime
        let failure = CallFailure(
            request: request,
            cause: cause,
            isIdempotent: options.isIdempotent(request),
            date: runtime.now()
        )
        guard case .retry(let minimum) = fetcher.settings.retryPolicy.decision(for: failure) else { return nil }
        let delay = RetryDelay(initial: self.backoff.initial, cap: self.backoff.cap)
            .duration(afterFailures: self.failures, runtime.randomBytes(8))
        let wait = max(minimum, delay)
        let elapsed = Duration.nanoseconds(runtime.uptime() - self.begunAt)
        self.isSpent = elapsed + wait > self.backoff.deadline
        return self.isSpent ? nil : wait
    }
}
