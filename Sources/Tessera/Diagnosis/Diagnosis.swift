// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraOAuth
internal import TesseraSupport

/// An explanation of why a session ended or a call failed, based on local information only.
///
/// A diagnosis sends no requests. ``SessionEndedError`` includes its own findings. Create a diagnosis for a session
/// that is still active, or for an error that is unrelated to a session:
///
/// ```swift
/// for finding in Diagnosis(of: session.record, after: error, now: Date()).findings { print(finding) }
/// ```
public struct Diagnosis: Sendable {
    /// The session's record, or nil for an error without a session.
    public let record: SessionRecord?
    /// The provider's refresh token policy, or nil if it is unknown.
    public let policy: RefreshTokenPolicy?
    /// The error to explain, or nil if nothing has failed.
    public let error: (any Error)?
    /// The wall-clock time of the diagnosis.
    public let now: Date

    /// Creates a diagnosis of a session.
    ///
    /// - Parameters:
    ///   - record: The session's stored record. The session may be active or ended.
    ///   - error: The error that just occurred, or nil if nothing failed.
    ///   - policy: The provider's policy, or nil to use the policy of the record's provider.
    ///   - now: The current wall-clock time.
    public init(
        of record: SessionRecord,
        after error: (any Error)? = nil,
        policy: RefreshTokenPolicy? = nil,
        now: Date
    ) {
        self.record = record
        self.policy = policy ?? record.provider.refreshTokenPolicy
        self.error = error
        self.now = now
    }

    /// Creates a diagnosis of an error that does not belong to a session, or whose session is unavailable.
    public init(of error: any Error, policy: RefreshTokenPolicy? = nil, now: Date) {
        self.record = nil
        self.policy = policy
        self.error = error
        self.now = now
    }

    /// The findings, most likely first, or an empty array if there is no problem or the cause is unknown.
    ///
    /// There are at most four. If any finding other than `wrongClock` is certain, less certain ones are omitted.
    public var findings: [Finding] {
        let error = (self.error as? SessionEndedError)?.cause ?? self.error ?? (self.isRefused ? self.refusal : nil)
        let found = [
            error.map { self.refusals($0) } ?? [], error.map { self.networkFindings($0) } ?? [],
            error.map { self.storeFindings($0) } ?? [], self.endFindings, self.activeSessionFindings,
        ]
        .joined()
        let certain = found.filter { $0.certainty == .certain && $0.code != .wrongClock }
        let shown = certain.isEmpty ? Array(found) : certain + found.filter { $0.code == .wrongClock }
        // Findings with the same certainty keep the order above.
        let ranked = Finding.Certainty.allCases.reversed().flatMap { rank in shown.filter { $0.certainty == rank } }
        return Array(ranked.prefix(4)).map(self.advised)
    }

    /// The error with which the provider rejected the session, either now or earlier.
    var refusal: OAuthError? {
        (self.error as? OAuthError) ?? (self.error as? SessionEndedError)?.cause ?? self.record?.history.refusal
    }

    /// Whether the provider has rejected the refresh token.
    var isRefused: Bool {
        if let ended = self.error as? SessionEndedError { return ended.code.isRefusal }
        if let error = self.error as? OAuthError { return error.endsSession }
        guard let record, record.tokens == nil else { return false }
        return SessionEndedError.Code.named(record.history.endReason).isRefusal
    }

    /// Returns whether the reported expiration time matches the provider's limit for clients in testing.
    func isTestingLimit(_ times: RefreshTokenTimes) -> Bool {
        guard let named = times.namedEnd, let lifetime = self.policy?.testingLifetime else { return false }
        return abs(named - Double(lifetime)) <= 3_600
    }

    /// Returns the finding with the policy's advice, if there is any, unless the finding already has specific advice.
    private func advised(_ finding: Finding) -> Finding {
        guard let fix = self.policy?.fixes[finding.code], finding.fix == finding.code.fix else { return finding }
        return Finding(finding.code, finding.certainty, finding.cause, fix: fix)
    }
}

extension Diagnosis {
    /// Returns the finding for the provider's error code, if it has a known meaning.
    func refusals(_ error: any Error) -> [Finding] {
        guard let error = error as? OAuthError, let code = self.code(of: error) else { return [] }
        let name = UntrustedText.printable(error.subtype ?? error.code.rawValue, limit: 60)
        return [Finding(code, .certain, "\(self.sentence(code)) (\(name)).")]
    }

    private func code(of error: OAuthError) -> Finding.Code? {
        let names = [error.subtype, error.code.rawValue].compactMap { $0 }
        if let code = names.lazy.compactMap({ self.policy?.refusals[$0] }).first { return code }
        return switch error.code {
        case .invalidClient: .clientRefused
        case .unauthorizedClient: .clientUnauthorized
        default: nil
        }
    }

    private func sentence(_ code: Finding.Code) -> String {
        switch code {
        case .reauthentication: "The account's organization requires users to sign in again periodically"
        case .adminPolicy: "An administrator of the account's organization does not allow this access"
        case .organizationOnly: "The client accepts only accounts of its own organization"
        case .clientDeleted: "The client was deleted at the provider"
        case .clientRefused: "The client ID is unknown to the provider, or the client secret is wrong"
        case .clientUnauthorized: "The provider does not allow this client to make the request"
        default: "The provider rejected the request"
        }
    }
}

extension Diagnosis {
    /// The largest clock difference that is not reported, in seconds.
    package static let clockTolerance: Int64 = 60

    /// The findings about an active session that may end soon.
    var activeSessionFindings: [Finding] {
        guard let record, let tokens = record.tokens, !self.isRefused else { return [] }
        let history = record.history
        let times = RefreshTokenTimes(history, end: self.now)
        let ending = tokens.refreshToken == nil ? self.noRenewal(tokens) : self.ending(history, times)
        return [self.clock(history), ending, self.mark(record), self.count(history)].compactMap { $0 }
    }

    /// Returns a finding if the clock was wrong when the provider last responded.
    func clock(_ history: SessionHistory) -> Finding? { history.clockSkew.flatMap { Self.wrongClock(ahead: $0) } }

    /// Returns a finding if this computer's clock is wrong by more than a minute.
    ///
    /// - Parameter ahead: The number of seconds that this clock is ahead of the provider's, or a negative number if it
    ///   is behind, as returned by ``ClockSkew``.
    /// - Returns: The finding, or nil if the clock is correct.
    public static func wrongClock(ahead: Int64) -> Finding? {
        guard ahead.magnitude > Self.clockTolerance.magnitude else { return nil }
        let span = TimeDescription.span(Double(ahead.magnitude))
        return Finding(
            .wrongClock,
            .certain,
            "This computer's clock is \(span) \(ahead > 0 ? "ahead of" : "behind") the provider's clock."
        )
    }

    private func noRenewal(_ tokens: TokenSet) -> Finding? {
        guard let end = tokens.expiresAt, end <= self.now else { return nil }
        return Finding(
            .noRefreshToken,
            .certain,
            "The access token expired at \(TimeDescription.moment(end)), and the provider issued no refresh token."
        )
    }

    private func ending(_ history: SessionHistory, _ times: RefreshTokenTimes) -> Finding? {
        if let end = history.refreshTokenExpiresAt {
            let left = end.timeIntervalSince(self.now)
            guard left < 3 * 86_400 else { return nil }
            let verb = left > 0 ? "expires" : "expired"
            let isTesting = self.isTestingLimit(times)
            let code: Finding.Code = isTesting ? .testingClient : .timeLimitedAccess
            let why = isTesting ? " because the client appears to be in testing" : ""
            return Finding(
                code,
                isTesting ? .likely : .certain,
                "The refresh token \(verb) at \(TimeDescription.moment(end))\(why)."
            )
        }
        guard let lifetime = self.policy?.idleLifetime.map(Double.init), let age = times.age,
            age - times.lastGood > lifetime * 5 / 6
        else { return nil }
        let unused = TimeDescription.span(age - times.lastGood)
        return Finding(
            .idle,
            .likely,
            "The refresh token has not been used for \(unused). It expires after \(TimeDescription.span(lifetime)).",
            fix: "Run 'tessera token --refresh', or make an API call from the program."
        )
    }

    private func mark(_ record: SessionRecord) -> Finding? {
        guard let mark = record.refreshMark else { return nil }
        let ago = TimeDescription.span(self.now.timeIntervalSince(mark.begunAt))
        return Finding(
            .interruptedRefresh,
            .possible,
            "A refresh that began \(ago) ago did not finish. It may still be running in another process.",
            fix: "If no other process is running, the next call shows whether the session is still valid."
        )
    }

    private func count(_ history: SessionHistory) -> Finding? {
        guard let limit = self.policy?.signInLimit, history.signInCount * 2 >= limit else { return nil }
        return Finding(
            .tooManySignIns,
            .possible,
            "This store has recorded \(history.signInCount) sign-ins of the account, and the provider allows \(limit).",
            fix: "Reuse the stored session instead of signing in each time the program starts."
        )
    }
}

/// The difference between this computer's clock and a server's clock.
public enum ClockSkew {
    /// Returns the smallest difference between the clocks that is consistent with one exchange.
    ///
    /// The server's date is truncated to whole seconds, and the server created it at an unknown time between the
    /// request and the response.
    ///
    /// - Parameters:
    ///   - serverDate: The `Date` field of the response.
    ///   - sentAt: The local time at which the request was sent.
    ///   - receivedAt: The local time at which the response arrived.
    /// - Returns: The number of whole seconds by which this computer's clock was ahead of the server's. Negative if it
    ///   was behind, and 0 if the exchange does not prove a difference.
    public static func seconds(serverDate: Date, sentAt: Date, receivedAt: Date) -> Int64 {
        let ahead = sentAt.timeIntervalSince(serverDate) - 1
        let behind = serverDate.timeIntervalSince(receivedAt)
        if ahead > 0 { return Int64(min(ahead.rounded(), 1e12)) }
        return behind > 0 ? -Int64(min(behind.rounded(), 1e12)) : 0
    }
}

/// Formats times for findings.
package enum TimeDescription {
    /// Returns a duration in the largest unit that gives at least 2, such as `7 days` or `12 minutes`.
    package static func span(_ seconds: Double) -> String {
        let whole = Int64(max(0, min(seconds, 1e11)).rounded())
        let units: [(Int64, String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
        let (length, name) = units.first { whole >= 2 * $0.0 } ?? (1, "second")
        let count = whole / length
        return "\(count) \(name)\(count == 1 ? "" : "s")"
    }

    /// Returns a time in a form such as `2026-05-01 12:00 UTC`.
    package static func moment(_ date: Date) -> String {
        let stamp = date.formatted(.iso8601)
        return "\(stamp.prefix(10)) \(stamp.dropFirst(11).prefix(5)) UTC"
    }
}
