// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraOAuth
internal import TesseraSupport

/// Why a session ended, or why a call failed, from what is known on this machine: nothing is asked from anybody.
///
/// ``SessionEndedError`` brings its own; this one is for sessions that live, and for errors that are none of a session's:
///
/// ```swift
/// for finding in Diagnosis(of: session.record, after: error, now: Date()).findings { print(finding) }
/// ```
public struct Diagnosis: Sendable {
    /// The session; nil for an error without one.
    public let record: SessionRecord?
    /// The rules that are gone by.
    public let rules: GrantRules?
    /// What failed; nil where nothing has.
    public let error: (any Error)?
    /// The moment of the diagnosis.
    public let now: Date

    /// A diagnosis of a session.
    ///
    /// - Parameters:
    ///   - record: the session as it is kept, alive or ended.
    ///   - error: what failed just now, nil where nothing did.
    ///   - rules: the provider's rules; those of the record's provider unless given.
    ///   - now: the moment, by the wall clock.
    public init(
        of record: SessionRecord,
        after error: (any Error)? = nil,
        rules: GrantRules? = nil,
        now: Date
    ) {
        self.record = record
        self.rules = rules ?? record.provider.grantRules
        self.error = error
        self.now = now
    }

    /// A diagnosis of an error that belongs to no session, or to one that is not at hand.
    public init(of error: any Error, rules: GrantRules? = nil, now: Date) {
        self.record = nil
        self.rules = rules
        self.error = error
        self.now = now
    }

    /// What explains it, the likeliest first; empty where nothing is wrong, or nothing is known.
    ///
    /// What is certain stands alone: guesses beside it would only tire.
    public var findings: [Finding] {
        let error = (self.error as? SessionEndedError)?.cause ?? self.error ?? (self.isRefused ? self.refusal : nil)
        let found = [
            error.map { self.refusals($0) } ?? [], error.map { self.networkFindings($0) } ?? [],
            error.map { self.storeFindings($0) } ?? [], self.endFindings, self.livingFindings,
        ]
        .joined()
        let certain = found.filter { $0.certainty == .certain && $0.code != .wrongClock }
        let shown = certain.isEmpty ? Array(found) : certain + found.filter { $0.code == .wrongClock }
        // A stable order: rules that say the same amount stand as they are written.
        let ranked = Finding.Certainty.allCases.reversed().flatMap { rank in shown.filter { $0.certainty == rank } }
        return Array(ranked.prefix(4)).map(self.advised)
    }

    /// What the provider said when it refused the session, now or before.
    var refusal: OAuthError? {
        (self.error as? OAuthError) ?? (self.error as? SessionEndedError)?.cause ?? self.record?.history.refusal
    }

    /// Whether the provider has refused the refresh token.
    var isRefused: Bool {
        if let ended = self.error as? SessionEndedError { return ended.code.isRefusal }
        if let error = self.error as? OAuthError { return error.endsSession }
        guard let record, record.tokens == nil else { return false }
        return SessionEndedError.Code.named(record.history.endReason).isRefusal
    }

    /// Whether the end that the provider named is the one of its rule for clients in testing.
    func isTestingLimit(_ times: GrantTimes) -> Bool {
        guard let named = times.namedEnd, let lifetime = self.rules?.testingLifetime else { return false }
        return abs(named - Double(lifetime)) <= 3_600
    }

    /// The finding with the provider's own advice, where it has some.
    private func advised(_ finding: Finding) -> Finding {
        guard let fix = self.rules?.fixes[finding.code], finding.fix == finding.code.fix else { return finding }
        return Finding(finding.code, finding.certainty, finding.found, fix: fix)
    }
}

extension Diagnosis {
    /// What the provider's own words say.
    func refusals(_ error: any Error) -> [Finding] {
        guard let error = error as? OAuthError, let code = self.code(of: error) else { return [] }
        let name = UntrustedText.printable(error.subtype ?? error.code.rawValue, limit: 60)
        return [Finding(code, .certain, "\(self.sentence(code)) (\(name)).")]
    }

    private func code(of error: OAuthError) -> Finding.Code? {
        let names = [error.subtype, error.code.rawValue].compactMap { $0 }
        if let code = names.lazy.compactMap({ self.rules?.refusals[$0] }).first { return code }
        return switch error.code {
        case .invalidClient: .clientRefused
        case .unauthorizedClient: .clientUnauthorized
        default: nil
        }
    }

    private func sentence(_ code: Finding.Code) -> String {
        switch code {
        case .reauthentication: "The account's organisation wants the person to sign in again from time to time"
        case .adminPolicy: "An administrator of the account's organisation does not allow this access"
        case .organizationOnly: "The client is for accounts of its own organisation alone"
        case .clientDeleted: "The client was deleted at the provider"
        case .clientRefused: "The provider does not know the client, or its secret is another one by now"
        case .clientUnauthorized: "The client may not do this at the provider"
        default: "The provider said no"
        }
    }
}

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

/// The difference between this computer's clock and a server's, as far as one exchange can prove it.
public enum ClockSkew {
    /// Returns by how many seconds this computer's clock was ahead; negative if it was behind, 0 if no difference can be proved.
    ///
    /// A server's date is cut to a second, and was made at an unknown moment between sending and receiving.
    ///
    /// - Parameters:
    ///   - serverDate: The `Date` field of the response.
    ///   - sentAt: When the request was sent.
    ///   - receivedAt: When the response arrived.
    /// - Returns: Whole seconds.
    public static func seconds(serverDate: Date, sentAt: Date, receivedAt: Date) -> Int64 {
        let ahead = sentAt.timeIntervalSince(serverDate) - 1
        let behind = serverDate.timeIntervalSince(receivedAt)
        if ahead > 0 { return Int64(min(ahead.rounded(), 1e12)) }
        return behind > 0 ? -Int64(min(behind.rounded(), 1e12)) : 0
    }
}

/// Times as findings say them.
package enum SpokenTime {
    /// `7 days`, `5 hours`, `12 minutes`, `1 second`: the largest unit of which there are two.
    package static func span(_ seconds: Double) -> String {
        let whole = Int64(max(0, min(seconds, 1e11)).rounded())
        let units: [(Int64, String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
        let (length, name) = units.first { whole >= 2 * $0.0 } ?? (1, "second")
        let count = whole / length
        return "\(count) \(name)\(count == 1 ? "" : "s")"
    }

    /// `2026-05-01 12:00 UTC`.
    package static func moment(_ date: Date) -> String {
        let stamp = date.formatted(.iso8601)
        return "\(stamp.prefix(10)) \(stamp.dropFirst(11).prefix(5)) UTC"
    }
}
