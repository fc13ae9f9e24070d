// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

extension Diagnosis {
    /// Why a refresh token was refused, from the session's history.
    var endFindings: [Finding] {
        guard let record, self.isRefused else { return [] }
        let history = record.history
        let end = history.endedAt ?? self.now
        let times = GrantTimes(history, end: end)
        return [
            self.clock(history), self.testing(record, times), self.timeLimit(history, times), self.idleness(times),
            self.interruption(history), self.twoOwners(history), self.password(record), self.revocation(record),
            self.signInLimit(history),
        ]
        .compactMap { $0 }
    }

    private var provider: String { self.record.map { UntrustedText.printable($0.provider.name, limit: 60) } ?? "" }

    /// A client in testing: its grants end after a fixed time, however often they are used.
    private func testing(_ record: SessionRecord, _ times: GrantTimes) -> Finding? {
        guard let lifetime = self.rules?.testingLifetime.map(Double.init), let age = times.age else { return nil }
        let rule = "grants of a client in testing end \(SpokenTime.span(lifetime)) after the consent"
        if times.namedEnd != nil {
            guard self.isTestingLimit(times), age >= lifetime else { return nil }
            return Finding(.testingClient, .likely, "The grant lived for \(SpokenTime.span(lifetime)): \(rule).")
        }
        let isHarmless = record.grant.granted.allSatisfy {
            self.rules?.harmlessScopes.contains(record.grant.aliases.canonical($0)) == true
        }
        guard !isHarmless, age >= lifetime, times.lastGood <= lifetime + 3_600 else { return nil }
        let isNear = age - times.lastGood <= 2 * lifetime
        let last = "the last refresh that worked was \(SpokenTime.span(times.lastGood)) after it"
        return Finding(
            .testingClient,
            isNear ? .likely : .possible,
            "Refused \(SpokenTime.span(age)) after the consent, \(last); \(self.provider)'s \(rule)."
        )
    }

    private func timeLimit(_ history: SessionHistory, _ times: GrantTimes) -> Finding? {
        guard let named = times.namedEnd, let age = times.age, named <= age, let end = history.refreshTokenExpiresAt
        else { return nil }
        // The rule above has it.
        if self.isTestingLimit(times) { return nil }
        return Finding(
            .timeLimitedGrant,
            .certain,
            "The access was granted until \(SpokenTime.moment(end)), no longer."
        )
    }

    private func idleness(_ times: GrantTimes) -> Finding? {
        guard let lifetime = self.rules?.idleLifetime, let age = times.age else { return nil }
        let unused = age - times.lastGood
        guard unused >= Double(lifetime) else { return nil }
        let rule = "\(self.provider) drops one after \(SpokenTime.span(Double(lifetime)))"
        return Finding(.idle, .likely, "The grant was not used for \(SpokenTime.span(unused)); \(rule).")
    }

    /// Only the provider can tell an old token from a wrong one; most that rotate say it in words.
    ///
    /// They say the same of a session's own refresh that was interrupted: where one was, the words prove nothing.
    private func twoOwners(_ history: SessionHistory) -> Finding? {
        let words = self.refusal?.serverDescription?.lowercased() ?? ""
        let namesReuse = ["replaced", "reuse", "already been used", "already used", "rotated"]
        if namesReuse.contains(where: words.contains), !self.isInterrupted(history) {
            return Finding(
                .twoOwners,
                .likely,
                "The refresh token had been used before: another program, or a copy of this session, has its successor."
            )
        }
        guard history.refreshTokenReplacedAt != nil else { return nil }
        let rule = "\(self.provider) replaces the refresh token when it is used"
        return Finding(.twoOwners, .possible, "\(rule), so a copy of this session elsewhere ends this one.")
    }

    private func isInterrupted(_ history: SessionHistory) -> Bool {
        ((self.error as? SessionEndedError)?.code ?? .named(history.endReason)) == .interrupted
    }

    private func interruption(_ history: SessionHistory) -> Finding? {
        guard self.isInterrupted(history) else { return nil }
        return Finding(
            .interruptedRefresh,
            .likely,
            "A refresh was cut off before its answer was saved, so the provider's newest token is lost."
        )
    }

    private func password(_ record: SessionRecord) -> Finding? {
        guard let beginnings = self.rules?.passwordScopes,
            let scope = record.grant.granted.first(where: { scope in
                beginnings.contains { scope.rawValue.hasPrefix($0) }
            })
        else { return nil }
        let name = UntrustedText.printable(scope.rawValue, limit: 80)
        return Finding(
            .passwordChanged,
            .possible,
            "The grant has \(name): it ends when the person changes the password."
        )
    }

    private func signInLimit(_ history: SessionHistory) -> Finding? {
        guard let limit = self.rules?.signInLimit else { return nil }
        let rule = "\(self.provider) keeps \(limit) sign-ins of an account with a client and drops the oldest"
        let isMany = history.signInCount * 2 >= limit
        let count = isMany ? "This store alone has seen \(history.signInCount) sign-ins of the account; " : ""
        let sentence = count.isEmpty ? rule.prefix(1).uppercased() + rule.dropFirst() : count + rule
        return Finding(.tooManySignIns, isMany ? .likely : .possible, "\(sentence).")
    }

    private func revocation(_ record: SessionRecord) -> Finding {
        Finding(
            .revoked,
            .possible,
            "The person, or an administrator, removed the access at \(self.provider)."
        )
    }
}

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
