// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

extension Diagnosis {
    /// The possible reasons for a rejected refresh token, based on the session's history.
    var endFindings: [Finding] {
        guard let record, self.isRefused else { return [] }
        let history = record.history
        let end = history.endedAt ?? self.now
        let times = RefreshTokenTimes(history, end: end)
        return [
            self.clock(history), self.testing(record, times), self.timeLimit(history, times), self.idleness(times),
            self.interruption(history), self.refreshTokenReuse(history), self.password(record), self.revocation(record),
            self.signInLimit(history),
        ]
        .compactMap { $0 }
    }

    private var provider: String { self.record.map { UntrustedText.printable($0.provider.name, limit: 60) } ?? "" }

    /// Returns a finding if the session probably ended because the client is in testing.
    ///
    /// Such a client's refresh tokens expire after a fixed time, even if they are used.
    private func testing(_ record: SessionRecord, _ times: RefreshTokenTimes) -> Finding? {
        guard let lifetime = self.policy?.testingLifetime.map(Double.init), let age = times.age else { return nil }
        let rule = "refresh tokens issued to a client in testing expire \(TimeDescription.span(lifetime)) after consent"
        if times.namedEnd != nil {
            guard self.isTestingLimit(times), age >= lifetime else { return nil }
            return Finding(.testingClient, .likely, "The refresh token has expired: \(rule).")
        }
        let isHarmless = record.grantedScopes.granted.allSatisfy {
            self.policy?.harmlessScopes.contains(record.grantedScopes.aliases.canonical($0)) == true
        }
        guard !isHarmless, age >= lifetime, times.lastGood <= lifetime + 3_600 else { return nil }
        let isNear = age - times.lastGood <= 2 * lifetime
        let last = "the last successful refresh was \(TimeDescription.span(times.lastGood)) after consent"
        return Finding(
            .testingClient,
            isNear ? .likely : .possible,
            "The refresh token was rejected \(TimeDescription.span(age)) after consent, and \(last). "
                + "At \(self.provider), \(rule)."
        )
    }

    private func timeLimit(_ history: SessionHistory, _ times: RefreshTokenTimes) -> Finding? {
        guard let named = times.namedEnd, let age = times.age, named <= age, let end = history.refreshTokenExpiresAt
        else { return nil }
        // testing(_:_:) reports this case.
        if self.isTestingLimit(times) { return nil }
        return Finding(
            .timeLimitedAccess,
            .certain,
            "Access was granted only until \(TimeDescription.moment(end))."
        )
    }

    private func idleness(_ times: RefreshTokenTimes) -> Finding? {
        guard let lifetime = self.policy?.idleLifetime, let age = times.age else { return nil }
        let unused = age - times.lastGood
        guard unused >= Double(lifetime) else { return nil }
        let rule = "\(self.provider) expires unused refresh tokens after \(TimeDescription.span(Double(lifetime)))"
        return Finding(.idle, .likely, "The refresh token was not used for \(TimeDescription.span(unused)). \(rule).")
    }

    /// Returns a finding if another program may have used the refresh token.
    ///
    /// Only the provider can distinguish a used token from an invalid one. Most providers that rotate refresh tokens
    /// mention reuse in the error description. The description proves nothing if a refresh of this session was
    /// interrupted, because that refresh may have used the token.
    private func refreshTokenReuse(_ history: SessionHistory) -> Finding? {
        let words = self.refusal?.serverDescription?.lowercased() ?? ""
        let namesReuse = ["replaced", "reuse", "already been used", "already used", "rotated"]
        if namesReuse.contains(where: words.contains), !self.isInterrupted(history) {
            return Finding(
                .refreshTokenReuse,
                .likely,
                "The refresh token was already used. Another program, or a copy of this session, has the new one."
            )
        }
        guard history.refreshTokenReplacedAt != nil else { return nil }
        let rule = "\(self.provider) replaces the refresh token when it is used"
        return Finding(.refreshTokenReuse, .possible, "\(rule), so using a copy of this session ends this one.")
    }

    private func isInterrupted(_ history: SessionHistory) -> Bool {
        ((self.error as? SessionEndedError)?.code ?? .named(history.endReason)) == .interrupted
    }

    private func interruption(_ history: SessionHistory) -> Finding? {
        guard self.isInterrupted(history) else { return nil }
        return Finding(
            .interruptedRefresh,
            .likely,
            "A refresh was interrupted before its response was saved, so the newest refresh token is lost."
        )
    }

    private func password(_ record: SessionRecord) -> Finding? {
        guard let beginnings = self.policy?.passwordScopes,
            let scope = record.grantedScopes.granted.first(where: { scope in
                beginnings.contains { scope.rawValue.hasPrefix($0) }
            })
        else { return nil }
        let name = UntrustedText.printable(scope.rawValue, limit: 80)
        return Finding(
            .passwordChanged,
            .possible,
            "The session has the scope \(name) and ends when the user changes the password."
        )
    }

    private func signInLimit(_ history: SessionHistory) -> Finding? {
        guard let limit = self.policy?.signInLimit else { return nil }
        let rule = "\(self.provider) allows at most \(limit) sign-ins per account and client, and ends the oldest one"
        let isMany = history.signInCount * 2 >= limit
        let count = isMany ? "This store alone has recorded \(history.signInCount) sign-ins of the account. " : ""
        let sentence = count.isEmpty ? rule.prefix(1).uppercased() + rule.dropFirst() : count + rule
        return Finding(.tooManySignIns, isMany ? .likely : .possible, "\(sentence).")
    }

    private func revocation(_ record: SessionRecord) -> Finding {
        Finding(
            .revoked,
            .possible,
            "The user or an administrator revoked the access at \(self.provider)."
        )
    }
}

/// Key times in a session's life, in seconds since the user's consent.
struct RefreshTokenTimes: Sendable {
    /// The session's age when it ended, or nil if the time of consent is unknown or later than the end.
    let age: Double?
    /// The time of the last successful refresh, or 0 if there was none.
    let lastGood: Double
    /// The time at which the refresh token expires, or nil if the provider did not report one.
    let namedEnd: Double?

    init(_ history: SessionHistory, end: Date) {
        let consent = history.consentedAt
        let isKnown = consent > Date(timeIntervalSince1970: 0) && consent <= end
        self.age = isKnown ? end.timeIntervalSince(consent) : nil
        self.lastGood = max(0, history.lastRefreshAt?.timeIntervalSince(consent) ?? 0)
        self.namedEnd = history.refreshTokenExpiresAt?.timeIntervalSince(consent)
    }
}
