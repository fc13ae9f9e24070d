// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// The access token at hand, and until when it serves by the clock that never jumps.
///
/// A wall clock that is set back or forward while the program runs changes nothing here. A token from a store whose time
/// lies in the future was stored under another clock: its age is unknown, so it is refreshed once.
struct CurrentToken: Sendable {
    let token: AccessToken
    /// From here on it is refreshed in the background: less than min(60 s, 10 % of its lifetime) is left.
    let dueAt: Int64
    /// From here on callers wait for a new one: less than min(10 s, 2 % of its lifetime) is left.
    let expiredAt: Int64

    /// What is assumed where the provider does not say how long a token lives; a 401 tells better.
    static let assumedLifetime: Int64 = 3_600
    /// A hundred years; whatever a store says, nothing is longer.
    static let longestLifetime: Int64 = 3_155_760_000

    /// The token of a record; nil where there is none, and for a bound token whose key is lost: it is never sent.
    init?(_ record: SessionRecord, _ connection: ProviderConnection) {
        guard let tokens = record.tokens else { return nil }
        var dpop: DPoPProver?
        if tokens.tokenType == .dpop {
            guard let key = record.dpopKey else { return nil }
            dpop = connection.prover(key)
        }
        self.init(tokens, dpop: dpop, now: connection.runtime.now(), uptime: connection.runtime.uptime())
    }

    /// A token by its times, with what proves the key it is bound to.
    ///
    /// `isRenewable` says whether another one can be had before the end: with a refresh token, unless told otherwise.
    init(_ tokens: TokenSet, dpop: DPoPProver?, now: Date, uptime: Int64, isRenewable: Bool? = nil) {
        let second: Double = 1_000_000_000
        let lifetime = Double(min(max(tokens.lifetime ?? Self.assumedLifetime, 0), Self.longestLifetime))
        let age = now.timeIntervalSince(tokens.obtainedAt)
        let remaining = age < -60 ? 0 : min(max(lifetime - age, 0), lifetime)
        let end = Double(uptime) + remaining * second
        self.token = AccessToken(tokens.accessToken, dpop: dpop, expiresAt: tokens.expiresAt)
        self.expiredAt = Int64(end - min(10, lifetime * 0.02) * second)
        // Without a refresh token there is nothing to do before the end.
        let isRenewable = isRenewable ?? (tokens.refreshToken != nil)
        self.dueAt = isRenewable ? Int64(end - min(60, lifetime * 0.1) * second) : self.expiredAt
    }
}
