// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// A token and its deadlines, by a clock of the source's choice, in nanoseconds.
package struct CurrentToken<Token> {
    package let token: Token
    /// From here on it is replaced in the background.
    package let dueAt: Int64
    /// From here on callers wait for another one.
    package let expiredAt: Int64

    package init(_ token: Token, dueAt: Int64, expiredAt: Int64) {
        self.token = token
        self.dueAt = dueAt
        self.expiredAt = expiredAt
    }
}

extension CurrentToken: Sendable where Token: Sendable {}

/// An access token with deadlines by the clock that never jumps.
///
/// A wall clock that is set back or forward while the program runs changes nothing here. A token from a store whose time
/// lies in the future was stored under another clock: its age is unknown, so it is refreshed once.
extension CurrentToken where Token == AccessToken {
    /// The lifetime in seconds that is assumed where the provider does not tell it, until a 401 corrects it.
    private static var assumedLifetime: Int64 { 3_600 }
    /// A hundred years, in seconds: whatever a store contains, nothing is longer.
    private static var longestLifetime: Int64 { 3_155_760_000 }

    /// The token of a record; nil where there is none, and for a bound token whose key is lost, which is never sent.
    init?(_ record: SessionRecord, _ connection: ProviderConnection) {
        guard let tokens = record.tokens, tokens.tokenType != .dpop || record.dpopKey != nil else { return nil }
        self.init(tokens, dpopKey: record.dpopKey, connection)
    }

    /// A token that has arrived.
    init(_ tokens: TokenSet, dpopKey: DPoPKey?, _ connection: ProviderConnection, isRenewable: Bool? = nil) {
        self.init(
            tokens,
            dpop: tokens.tokenType == .dpop ? dpopKey.map { connection.prover($0) } : nil,
            now: connection.runtime.now(),
            uptime: connection.runtime.uptime(),
            isRenewable: isRenewable
        )
    }

    /// A token by its times, with a prover of the key that it is bound to.
    ///
    /// It is due when less than min(60 s, 10 % of its lifetime) is left, and expired when less than min(10 s, 2 %) is left.
    /// `isRenewable` tells whether another one can be obtained before the end: with a refresh token, unless told otherwise.
    init(_ tokens: TokenSet, dpop: DPoPProver?, now: Date, uptime: Int64, isRenewable: Bool? = nil) {
        let second: Double = 1_000_000_000
        let lifetime = Double(min(max(tokens.lifetime ?? Self.assumedLifetime, 0), Self.longestLifetime))
        let age = now.timeIntervalSince(tokens.obtainedAt)
        let remaining = age < -60 ? 0 : min(max(lifetime - age, 0), lifetime)
        let end = Double(uptime) + remaining * second
        let expiredAt = Int64(end - min(10, lifetime * 0.02) * second)
        // Without a refresh token there is nothing to do before the end.
        let isRenewable = isRenewable ?? (tokens.refreshToken != nil)
        self.init(
            AccessToken(tokens.accessToken, dpop: dpop, expiresAt: tokens.expiresAt),
            dueAt: isRenewable ? Int64(end - min(60, lifetime * 0.1) * second) : expiredAt,
            expiredAt: expiredAt
        )
    }
}
