// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// A grant that a person decides about elsewhere: what is asked at the token endpoint, how often, and until when.
///
/// - SeeAlso: [RFC 8628, section 3.5](https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5),
///   [OpenID Connect CIBA Core 1.0, section 10.1](https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html)
package struct PendingGrant: Sendable {
    /// The longest interval that is believed, in seconds.
    static let longestInterval: Int64 = 3_600

    let request: TokenRequest
    /// `expires_in` in seconds, from the answer on.
    let expiresIn: Int64
    /// `interval` in seconds: at least 1.
    let interval: Int64
    /// The end, by the runtime's uptime.
    let deadline: Int64

    /// Reads the members that every such answer has.
    ///
    /// `interval` is 5 where it is absent, and 0 counts as 1; what is negative, no number of seconds, or longer than an
    /// hour is refused: nobody can follow it.
    init(_ fields: JSONFields, request: TokenRequest, uptime: Int64) throws {
        guard let expiresIn = try fields.seconds("expires_in") else {
            throw fields.violation("expires_in in the answer", "none")
        }
        guard expiresIn > 0 else { throw fields.violation("expires_in to be a time ahead", "0") }
        let interval = try fields.seconds("interval") ?? 5
        guard interval <= Self.longestInterval else {
            throw fields.violation("interval of at most \(Self.longestInterval) seconds", "\(interval)")
        }
        self.request = request
        self.expiresIn = expiresIn
        self.interval = max(interval, 1)
        self.deadline = uptime &+ Duration.seconds(expiresIn).nanoseconds
    }

    /// The longest wait between two tries after failures, in seconds, unless the interval itself is longer.
    private static let longestBackOff: Int64 = 60
    /// How long one try may take.
    private static let patience: Duration = .seconds(60)

    /// Asks until there is a decision: one request at a time, each an interval after the answer to the one before, the
    /// first an interval after now.
    ///
    /// `authorization_pending` goes on; `slow_down` makes the interval 5 seconds longer for good; a network that fails
    /// and a server that is busy double the wait, up to a minute, until the next answer. Everything else ends it. A
    /// success that comes after the task's cancellation is not returned.
    ///
    /// - Parameters:
    ///   - runtime: the clock.
    ///   - send: sends the request once, within the time given.
    /// - Returns: what `send` returns.
    /// - Throws: what `send` throws that is final; ``OAuthError`` `expired_token` at the end of the lifetime, also when
    ///   the provider never says so; `CancellationError`.
    package func decision<Value>(
        runtime: OAuthRuntime,
        _ send: (_ request: TokenRequest, _ deadline: Duration) async throws -> Value
    ) async throws -> Value {
        var interval: Duration = .seconds(self.interval)
        var wait = interval
        while true {
            let remaining = try await self.sleep(wait, runtime)
            do {
                let value = try await send(self.request, min(remaining, Self.patience))
                try Task.checkCancellation()
                return value
            } catch {
                switch error {
                case OAuthError.Code.authorizationPending:
                    wait = interval
                case OAuthError.Code.slowDown:
                    interval += .seconds(5)
                    wait = interval
                case _ where Self.isPassing(error):
                    // RFC 8628, section 3.5: a client MUST ask less often after a timeout; doubling is recommended.
                    wait = min(wait * 2, max(interval, .seconds(Self.longestBackOff)))
                default:
                    throw error
                }
                if let seconds = Self.retryAfter(error) { wait = max(wait, .seconds(seconds)) }
            }
        }
    }

    /// Sleeps until the next try is due, and gives the time that is left then; throws at the end of the lifetime.
    private func sleep(_ wait: Duration, _ runtime: OAuthRuntime) async throws -> Duration {
        let left = self.left(runtime)
        try await runtime.clock.sleep(for: min(wait, left))
        let remaining = self.left(runtime)
        guard left > wait, remaining > .zero else { throw OAuthError(.expiredToken) }
        return remaining
    }

    private func left(_ runtime: OAuthRuntime) -> Duration {
        max(.zero, .nanoseconds(self.deadline &- runtime.uptime()))
    }

    /// Whether a failure may pass by itself; a no that comes with a status 5xx is a no.
    private static func isPassing(_ error: any Error) -> Bool {
        switch error {
        case let error as OAuthError: error.isTransient && ![.accessDenied, .expiredToken].contains(error.code)
        case let error as HTTPStatusError: error.isTransient
        case let error as TransportError: error.isRetryable
        default: false
        }
    }

    private static func retryAfter(_ error: any Error) -> Int? {
        (error as? OAuthError)?.retryAfter ?? (error as? HTTPStatusError)?.retryAfter
    }
}

extension RegisteredClient {
    /// Asks for a decision and sends what it is asked with.
    func decision(on grant: PendingGrant) async throws -> TokenResponse {
        try await grant.decision(runtime: self.runtime) { request, deadline in
            try await self.send(request, deadline: deadline)
        }
    }
}
