// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// A grant that the user approves on another device, along with its token request, polling interval and deadline.
///
/// - SeeAlso: [RFC 8628, section 3.5](https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5),
///   [OpenID Connect CIBA Core 1.0, section 10.1](https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html)
package struct PolledGrant: Sendable {
    /// The longest polling interval that is accepted, in seconds.
    static let longestInterval: Int64 = 3_600

    let request: TokenRequest
    /// The lifetime, in seconds after the response (`expires_in`).
    let expiresIn: Int64
    /// The polling interval, in seconds (`interval`), which is at least 1.
    let interval: Int64
    /// The uptime, in nanoseconds, at which the grant expires.
    let deadline: Int64

    /// Creates a pending grant from the members that all such responses have in common.
    ///
    /// A missing `interval` is treated as 5, and 0 is treated as 1. An interval that is negative, not a number of
    /// seconds, or longer than an hour is rejected.
    init(_ fields: JSONFields, request: TokenRequest, uptime: Int64) throws {
        guard let expiresIn = try fields.seconds("expires_in") else {
            throw fields.violation("expires_in in the response", "none")
        }
        guard expiresIn > 0 else { throw fields.violation("expires_in to be positive", "0") }
        let interval = try fields.seconds("interval") ?? 5
        guard interval <= Self.longestInterval else {
            throw fields.violation("interval of at most \(Self.longestInterval) seconds", "\(interval)")
        }
        self.request = request
        self.expiresIn = expiresIn
        self.interval = max(interval, 1)
        self.deadline = uptime &+ Duration.seconds(expiresIn).nanoseconds
    }

    /// The longest wait after a failure, in seconds, unless the interval is longer.
    private static let longestBackOff: Int64 = 60
    /// The timeout of one request.
    private static let timeout: Duration = .seconds(60)

    /// Polls until the user decides.
    ///
    /// Only one request is sent at a time. The first is sent after one interval, and each of the others one interval
    /// after the previous response.
    ///
    /// Polling continues after `authorization_pending`. `slow_down` permanently adds 5 seconds to the interval. A
    /// network failure or a busy server doubles the wait, up to a minute, until the next response. Any other error ends
    /// polling. If the task has been canceled, a successful result is not returned.
    ///
    /// - Parameters:
    ///   - runtime: The source of time.
    ///   - send: A closure that sends the request once, within the given deadline.
    /// - Returns: The value that `send` returns.
    /// - Throws: Any final error that `send` throws, ``OAuthError`` with `expired_token` when the lifetime ends, even
    ///   if the provider does not return it, or `CancellationError`.
    package func decision<Value>(
        runtime: OAuthRuntime,
        _ send: (_ request: TokenRequest, _ deadline: Duration) async throws -> Value
    ) async throws -> Value {
        var interval: Duration = .seconds(self.interval)
        var wait = interval
        while true {
            let remaining = try await self.sleep(wait, runtime)
            do {
                let value = try await send(self.request, min(remaining, Self.timeout))
                try Task.checkCancellation()
                return value
            } catch {
                switch error {
                case OAuthError.Code.authorizationPending:
                    wait = interval
                case OAuthError.Code.slowDown:
                    interval += .seconds(5)
                    wait = interval
                case _ where Self.isTemporary(error):
                    // RFC 8628, section 3.5: a client MUST poll less often after a timeout. Doubling the wait is
                    // recommended.
                    wait = min(wait * 2, max(interval, .seconds(Self.longestBackOff)))
                default:
                    throw error
                }
                if let seconds = Self.retryAfter(error) { wait = max(wait, .seconds(seconds)) }
            }
        }
    }

    /// Sleeps until the next request is due and returns the remaining lifetime, or throws if the lifetime ends.
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

    /// Returns whether a failure may be temporary.
    ///
    /// A denial is not temporary, even if its status is 5xx.
    private static func isTemporary(_ error: any Error) -> Bool {
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
    /// Polls until the user approves or denies a grant, and returns the tokens.
    func decision(on grant: PolledGrant) async throws -> TokenResponse {
        try await grant.decision(runtime: self.runtime) { request, deadline in
            try await self.send(request, deadline: deadline)
        }
    }
}
