// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraOAuth

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
