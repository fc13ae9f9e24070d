// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
internal import TesseraOAuth

/// What is left of the tries and the time that a call, or a transfer since it last moved, may take.
package struct Patience {
    private let backoff: Backoff
    private var failures = 0
    private var begunAt: Int64

    package init(of fetcher: AuthorizedFetcher, _ options: CallOptions) {
        self.backoff = options.backoff ?? fetcher.settings.backoff
        self.begunAt = fetcher.runtime.uptime()
    }

    /// Something was achieved: everything begins anew.
    mutating func renew(at uptime: Int64) {
        self.failures = 0
        self.begunAt = uptime
    }

    /// How long to wait before the next try; nil where there is none.
    package mutating func wait(
        of fetcher: AuthorizedFetcher,
        after outcome: CallFailure.Outcome,
        to request: HTTPRequest,
        isIdempotent: Bool,
        isReplayable: Bool = true
    ) -> Duration? {
        self.failures += 1
        guard self.failures < self.backoff.attempts else { return nil }
        // A body that can be sent once may have been sent, but for a token that never came.
        if case .token = outcome {} else { guard isReplayable else { return nil } }
        let runtime = fetcher.runtime
        let failure = CallFailure(
            request: request,
            outcome: outcome,
            isIdempotent: isIdempotent,
            date: runtime.now()
        )
        guard case .again(let minimum) = fetcher.settings.retryPolicy.verdict(on: failure) else { return nil }
        let wait = self.backoff.wait(
            afterFailures: self.failures,
            atLeast: minimum,
            randomBytes: runtime.randomBytes(8)
        )
        let elapsed = Duration.nanoseconds(runtime.uptime() - self.begunAt)
        return elapsed + wait <= self.backoff.deadline ? wait : nil
    }
}
