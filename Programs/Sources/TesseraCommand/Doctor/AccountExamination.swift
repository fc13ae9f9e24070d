// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGoogle

/// Looks at one account: from what is kept alone, unless a refresh is wanted.
struct AccountExamination: Sendable {
    let item: SessionShelf.Item
    let shelf: SessionShelf
    let refreshes: Bool
    let now: Date

    func check() async -> HealthCheck {
        let record: SessionRecord
        do { record = try self.item.record.get() } catch {
            return .failure(.account, error, of: self.item.words, Diagnosis(of: error, now: self.now).findings)
        }
        let report = AccountReport(record, now: self.now)
        if record.tokens == nil { return self.ended(record, report) }
        return self.refreshes && record.tokens?.refreshToken != nil
            ? await self.refreshed(record, report) : self.kept(record, report)
    }

    private func ended(_ record: SessionRecord, _ report: AccountReport) -> HealthCheck {
        let end = SessionEndedError(of: record, rules: record.provider.recognizingGoogle.grantRules, now: self.now)
        return self.problem(end, report, at: record.history.endedAt)
    }

    /// An end in one line, with what explains it below; «sign in again» where nothing does.
    private func problem(_ end: SessionEndedError, _ report: AccountReport, at date: Date? = nil) -> HealthCheck {
        let plain = ErrorReport(SessionEndedError(end.code, cause: end.cause))
        let since = date.map { " \(TimeText.relative($0, to: self.now))" } ?? ""
        let advice = Finding(Finding.Code(end.code.description, fix: plain.recoverySuggestion), .certain, "")
        let reason = plain.message.replacing("Signed out:", with: "signed out\(since):", maxReplacements: 1)
        return .problem(
            .account,
            "\(report.name): \(reason)",
            .signInNeeded,
            end.findings.isEmpty ? [advice] : end.findings
        )
    }

    private func kept(_ record: SessionRecord, _ report: AccountReport) -> HealthCheck {
        // The clock has a line of its own, which is of now.
        let findings = Diagnosis(of: record, rules: record.provider.recognizingGoogle.grantRules, now: self.now)
            .findings
            .filter { $0.code != .wrongClock }
        let words = "\(report.name): \(self.history(record))"
        if report.state == .needsSignIn { return .problem(.account, words, .signInNeeded, findings) }
        return findings.isEmpty ? .ok(.account, words) : .unknown(.account, words, findings)
    }

    private func history(_ record: SessionRecord) -> String {
        let history = record.history
        let consent = "signed in \(TimeText.relative(history.consentedAt, to: self.now))"
        guard record.tokens?.refreshToken != nil else { return "\(consent), cannot be renewed" }
        guard let last = history.lastRefreshAt else { return "\(consent), never renewed; --refresh tries it" }
        let times = history.refreshCount == 1 ? "once" : "\(history.refreshCount) times"
        return "\(consent), renewed \(times), last \(TimeText.relative(last, to: self.now)); --refresh tries it"
    }

    private func refreshed(_ record: SessionRecord, _ report: AccountReport) async -> HealthCheck {
        do {
            try await self.shelf.withSession(of: record) { session in _ = try await session.refresh() }
            return .ok(.account, "\(report.name): renewed just now")
        } catch let end as SessionEndedError {
            return self.problem(end, report)
        } catch {
            let rules = record.provider.recognizingGoogle.grantRules
            let findings = Diagnosis(of: record, after: error, rules: rules, now: self.now).findings
            return .failure(.account, error, of: report.name, findings)
        }
    }
}
