// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// A token and its deadlines, in nanoseconds of the source's clock.
package struct CurrentToken<Token> {
    package let token: Token
    /// The time from which the token is refreshed in the background.
    package let dueAt: Int64
    /// The time from which callers wait for a new token.
    package let expiredAt: Int64

    package init(_ token: Token, dueAt: Int64, expiredAt: Int64) {
        self.token = token
        self.dueAt = dueAt
        self.expiredAt = expiredAt
    }
}

extension CurrentToken: Sendable where Token: Sendable {}

/// An access token with deadlines in monotonic time.
///
/// Changes to the wall clock while the program is running have no effect. A stored token whose time is in the future
/// was saved under a different clock. Its age is unknown, so it is refreshed once.
extension CurrentToken where Token == AccessToken {
    /// The lifetime in seconds that is assumed until a 401 response if the provider does not report one.
    package static var assumedLifetime: Int64 { 3_600 }
    /// Creates a token from a record, or returns nil if the record has no token or lacks the key that the token is
    /// bound to.
    ///
    /// `now` is the time by the clock that measured when the token was obtained, by default that of the connection.
    init?(_ record: SessionRecord, _ connection: ProviderConnection, now: Date? = nil) {
        guard let tokens = record.tokens, tokens.tokenType != .dpop || record.dpopKey != nil else { return nil }
        self.init(tokens, dpopKey: record.dpopKey, connection, now: now)
    }

    /// Creates a token from a set of tokens, with deadlines measured by the connection's clocks.
    init(
        _ tokens: TokenSet,
        dpopKey: DPoPKey?,
        _ connection: ProviderConnection,
        now: Date? = nil,
        isRenewable: Bool? = nil
    ) {
        self.init(
            tokens,
            dpop: tokens.tokenType == .dpop ? dpopKey.map { connection.prover($0) } : nil,
            now: now ?? connection.runtime.now(),
            uptime: connection.runtime.uptime(),
            isRenewable: isRenewable
        )
    }

    /// Creates a token with deadlines derived from its lifetime.
    ///
    /// The token is due when less than ``TokenMargin/refresh`` is left, and is treated as expired when less than
    /// ``TokenMargin/expiration`` is left. `isRenewable` indicates whether a new token can be obtained
    /// before that, which by default requires a refresh token.
    init(_ tokens: TokenSet, dpop: DPoPProver?, now: Date, uptime: Int64, isRenewable: Bool? = nil) {
        let lifetime = min(max(tokens.lifetime ?? Self.assumedLifetime, 0), Int64(Self.longestLifetime))
        let age = now.timeIntervalSince(tokens.obtainedAt)
        self.init(
            AccessToken(tokens.accessToken, dpop: dpop, expiresAt: tokens.expiresAt),
            lifetime: Double(lifetime),
            remaining: age < -60 ? 0 : min(max(Double(lifetime) - age, 0), Double(lifetime)),
            uptime: uptime,
            isRenewable: isRenewable ?? (tokens.refreshToken != nil)
        )
    }
}

extension CurrentToken {
    /// The longest lifetime in seconds, one hundred years, to which longer lifetimes are reduced.
    private static var longestLifetime: Double { 3_155_760_000 }

    /// Creates a token with deadlines derived from its lifetime in seconds, which began when it was requested.
    package init(_ token: Token, lifetime: Int64, from uptime: Int64) {
        self.init(token, lifetime: Double(lifetime), remaining: Double(lifetime), uptime: uptime)
    }

    /// Creates a token with deadlines derived from its lifetime and its remaining lifetime in seconds.
    ///
    /// A token that cannot be renewed is used until it expires.
    package init(_ token: Token, lifetime: Double, remaining: Double, uptime: Int64, isRenewable: Bool = true) {
        let (lifetime, remaining) = (
            min(max(lifetime, 0), Self.longestLifetime), min(max(remaining, 0), Self.longestLifetime)
        )
        let second: Double = 1_000_000_000
        let end = Double(uptime) + remaining * second
        let expiredAt = Int64(end - TokenMargin.expiration.seconds(ofLifetime: lifetime) * second)
        let dueAt = isRenewable ? Int64(end - TokenMargin.refresh.seconds(ofLifetime: lifetime) * second) : expiredAt
        self.init(token, dueAt: dueAt, expiredAt: expiredAt)
    }
}

/// A time before the expiration of an access token.
///
/// It is a number of seconds, but at most a fraction of the token's lifetime, so that short-lived tokens can be used.
package struct TokenMargin: Sendable {
    private let maximum: Double
    private let fraction: Double

    /// A token is refreshed when less than 60 seconds or 10% of its lifetime is left, whichever is shorter.
    package static let refresh = TokenMargin(maximum: 60, fraction: 0.1)
    /// A token is treated as expired when less than 10 seconds or 2% of its lifetime is left, whichever is shorter.
    package static let expiration = TokenMargin(maximum: 10, fraction: 0.02)

    /// Returns the margin in seconds for a token with a lifetime in seconds.
    package func seconds(ofLifetime lifetime: Double) -> Double { min(self.maximum, lifetime * self.fraction) }
}
