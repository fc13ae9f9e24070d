// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraJSON

/// The results of all checks, in order.
struct HealthReport: Sendable {
    let checks: [HealthCheck]

    init(_ checks: [HealthCheck]) { self.checks = checks }

    /// The exit code for the first problem, or success if no problem was found.
    var status: ExitStatus { self.checks.first { $0.state == .problem }?.status ?? .success }

    var json: JSONNode {
        ["isWell": .bool(self.status == .success), "checks": .array(self.checks.map(\.json))]
    }

    var text: TerminalText {
        let width = self.checks.map(\.subject.title.count).max() ?? 0
        let margin = String(repeating: " ", count: width + 4)
        let lines = self.checks.flatMap { check -> [TerminalText] in
            let title = check.subject.title
            let space = String(repeating: " ", count: width - title.count + 2)
            return ["\(check.state.sign) \(title)\(space)\(check.words)"]
                + check.findings.flatMap { Self.lines($0, following: check.words) }.map { "\(margin)\($0)" }
        }
        return (lines + ["", "\(self.summary)"]).joined(separator: "\n")
    }

    /// Returns the lines for a finding: its cause, unless the check's text already includes it, and its fix.
    private static func lines(_ finding: Finding, following words: String) -> [String] {
        let isIncluded = finding.cause.isEmpty || words.contains(finding.cause.dropLast())
        return (isIncluded ? [] : [finding.certainty.prefix + finding.cause])
            + (finding.fix.isEmpty ? [] : ["→ " + finding.fix])
    }

    private var summary: String {
        let problems = self.checks.count { $0.state == .problem }
        let unknown = self.checks.count { $0.state == .unknown }
        switch (problems, unknown) {
        case (0, 0): return "No problems were found."
        case (0, _): return "No problems were found. Checks with a question mark were inconclusive."
        case (1, _): return "One problem was found."
        default: return "\(problems) problems were found. The first may explain the others."
        }
    }
}

/// The result of one check by `tessera doctor`, with possible causes and fixes.
struct HealthCheck: Sendable {
    /// The result of a check.
    enum State: String, Sendable {
        case ok
        case problem
        /// The check was skipped or was inconclusive.
        case unknown

        var sign: String {
            switch self {
            case .ok: "✓"
            case .problem: "✗"
            case .unknown: "?"
            }
        }
    }

    /// The subject of a check.
    enum Subject: String, Sendable {
        case clock, network, tls, provider, store, client, account, credentials, file, token, programs

        var title: String { self == .tls ? "TLS" : self.rawValue.prefix(1).uppercased() + self.rawValue.dropFirst() }
    }

    let subject: Subject
    let state: State
    /// The result as one line of text.
    let words: String
    /// The exit code if the check found a problem.
    let status: ExitStatus
    let findings: [Finding]

    private init(
        _ subject: Subject,
        _ state: State,
        _ words: String,
        _ status: ExitStatus = .success,
        _ findings: [Finding] = []
    ) {
        self.subject = subject
        self.state = state
        self.words = words
        self.status = status
        self.findings = findings
    }

    static func ok(_ subject: Subject, _ words: String) -> Self { Self(subject, .ok, words) }

    static func unknown(_ subject: Subject, _ words: String, _ findings: [Finding] = []) -> Self {
        Self(subject, .unknown, words, .success, findings)
    }

    static func problem(
        _ subject: Subject,
        _ words: String,
        _ status: ExitStatus,
        _ findings: [Finding] = []
    ) -> Self {
        Self(subject, .problem, words, status, findings)
    }

    /// Creates the result for an error, with the findings or the error's own advice.
    static func failure(_ subject: Subject, _ error: any Error, of name: String? = nil, _ findings: [Finding]) -> Self {
        let report = ErrorReport(error)
        let guidance = Finding(Finding.Code(report.code, fix: report.recoverySuggestion), .certain, "")
        // The name of a store can already end in a colon.
        let separator = name?.hasSuffix(":") == true ? " " : ": "
        let words = [name, report.message].compactMap { $0 }.joined(separator: separator)
        return Self(subject, .problem, words, report.status, findings.isEmpty ? [guidance] : findings)
    }

    /// Creates the result for the difference between the local clock and a server's.
    static func clock(ahead: Int64, of server: String) -> Self {
        if let finding = Diagnosis.wrongClock(ahead: ahead) {
            return .problem(.clock, finding.cause, .usage, [finding])
        }
        let difference = ahead == 0 ? "as" : "\(ahead.magnitude) s \(ahead > 0 ? "ahead of" : "behind")"
        return .ok(.clock, "\(difference) \(server)'s")
    }

    var json: JSONNode {
        [
            "check": .string(self.subject.rawValue), "state": .string(self.state.rawValue),
            "words": .string(self.words), "findings": .array(self.findings.map(\.json)),
        ]
    }
}
