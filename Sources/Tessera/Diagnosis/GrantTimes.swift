// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The times of a grant in seconds after its consent, up to the moment of its end.
struct GrantTimes: Sendable {
    /// How old it was at the end; nil where the consent's time is unknown, or lies after the end.
    let age: Double?
    /// When it was seen to work for the last time: at a refresh, else at the consent itself.
    let lastGood: Double
    /// Its own end, where the provider named one.
    let namedEnd: Double?

    init(_ history: SessionHistory, end: Date) {
        let consent = history.consentedAt
        let isKnown = consent > Date(timeIntervalSince1970: 0) && consent <= end
        self.age = isKnown ? end.timeIntervalSince(consent) : nil
        self.lastGood = max(0, history.lastRefreshAt?.timeIntervalSince(consent) ?? 0)
        self.namedEnd = history.refreshTokenExpiresAt?.timeIntervalSince(consent)
    }
}
