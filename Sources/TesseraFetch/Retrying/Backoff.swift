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
    /// The period in which further attempts may begin.
    ///
    /// It begins with the first attempt of a call, and with the first failure of a transfer since its last progress. If
    /// the server requires a longer delay, the call is not retried.
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
    /// The uptime at which the period for attempts began, or nil before the first failure of a transfer.
    private var begunAt: Int64?
    /// Whether the last failure would have been retried if there had been more attempts or time left.
    private(set) var isSpent = false

    /// Creates the budget of a call or a transfer.
    ///
    /// An attempt of a transfer can take hours, which do not count.
    package init(of fetcher: AuthorizedFetcher, _ options: CallOptions, isTransfer: Bool = false) {
        self.backoff = options.backoff ?? fetcher.settings.backoff
        self.begunAt = isTransfer ? nil : fetcher.runtime.uptime()
    }

    /// Restores the entire budget of a transfer after progress.
    mutating func renew() { (self.failures, self.begunAt) = (0, nil) }

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
        let uptime = runtime.uptime()
        let begunAt = self.begunAt ?? uptime
        self.begunAt = begunAt
        let elapsed = Duration.nanoseconds(uptime - begunAt)
        self.isSpent = elapsed + wait > self.backoff.deadline
        return self.isSpent ? nil : wait
    }
}
