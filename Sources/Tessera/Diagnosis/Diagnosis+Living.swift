// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
extension Diagnosis {
    /// From how many seconds on a clock is called wrong.
    package static let clockTolerance: Int64 = 60

    /// What will end a session that lives.
    var livingFindings: [Finding] {
        guard let record, let tokens = record.tokens, !self.isRefused else { return [] }
        let history = record.history
        let times = GrantTimes(history, end: self.now)
        let ending = tokens.refreshToken == nil ? self.noRenewal(tokens) : self.ending(history, times)
        return [self.clock(history), ending, self.mark(record), self.count(history)].compactMap { $0 }
    }

    /// The clock, as it was at the provider's last answer or is by the error at hand.
    func clock(_ history: SessionHistory) -> Finding? { history.clockSkew.flatMap { Self.wrongClock(ahead: $0) } }

    /// Returns a finding if this computer's clock is wrong by more than a minute.
    ///
    /// - Parameter ahead: By how many seconds it is ahead of the provider's, as from ``ClockSkew``; negative if it is behind.
    /// - Returns: The finding; nil if the clock is right.
    public static func wrongClock(ahead: Int64) -> Finding? {
        guard ahead.magnitude > Self.clockTolerance.magnitude else { return nil }
        let span = SpokenTime.span(Double(ahead.magnitude))
        return Finding(
            .wrongClock,
            .certain,
            "The clock here is \(span) \(ahead > 0 ? "ahead of" : "behind") the provider's."
        )
    }

    private func noRenewal(_ tokens: TokenSet) -> Finding? {
        guard let end = tokens.expiresAt, end <= self.now else { return nil }
        return Finding(
            .noRefreshToken,
            .certain,
            "The access token ended at \(SpokenTime.moment(end)), and the provider gave no refresh token."
        )
    }

    private func ending(_ history: SessionHistory, _ times: GrantTimes) -> Finding? {
        if let end = history.refreshTokenExpiresAt {
            let left = end.timeIntervalSince(self.now)
            guard left < 3 * 86_400 else { return nil }
            let verb = left > 0 ? "ends" : "ended"
            let isTesting = self.isTestingLimit(times)
            let code: Finding.Code = isTesting ? .testingClient : .timeLimitedGrant
            let why = isTesting ? ": the client seems to be in testing" : ""
            return Finding(
                code,
                isTesting ? .likely : .certain,
                "The grant \(verb) at \(SpokenTime.moment(end))\(why)."
            )
        }
        guard let lifetime = self.rules?.idleLifetime.map(Double.init), let age = times.age,
            age - times.lastGood > lifetime * 5 / 6
        else { return nil }
        let unused = SpokenTime.span(age - times.lastGood)
        return Finding(
            .idle,
            .likely,
            "The grant was not used for \(unused); the provider drops it after \(SpokenTime.span(lifetime)).",
            fix: "Use it now: 'tessera token --refresh', or any call of the program."
        )
    }

    private func mark(_ record: SessionRecord) -> Finding? {
        guard let mark = record.refreshMark else { return nil }
        let ago = SpokenTime.span(self.now.timeIntervalSince(mark.begunAt))
        return Finding(
            .interruptedRefresh,
            .possible,
            "A refresh that began \(ago) ago did not end; it may be under way in another process.",
            fix: "If none is, the next call shows whether the session survived."
        )
    }

    private func count(_ history: SessionHistory) -> Finding? {
        guard let limit = self.rules?.signInLimit, history.signInCount * 2 >= limit else { return nil }
        return Finding(
            .tooManySignIns,
            .possible,
            "This store has seen \(history.signInCount) sign-ins of the account; of \(limit) the oldest is dropped.",
            fix: "Keep the session instead of signing in at each start."
        )
    }
}
