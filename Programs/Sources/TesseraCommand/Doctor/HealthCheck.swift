// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON

/// One line of what `tessera doctor` found: what was looked at, how it is, and what explains and mends it.
struct HealthCheck: Sendable {
    /// How it is.
    enum State: String, Sendable {
        case ok
        case problem
        /// Not looked at, or nothing to be sure of.
        case unknown

        var sign: String {
            switch self {
            case .ok: "✓"
            case .problem: "✗"
            case .unknown: "?"
            }
        }
    }

    /// What is looked at.
    enum Subject: String, Sendable {
        case clock, network, tls, provider, store, client, account

        var title: String { self == .tls ? "TLS" : self.rawValue.prefix(1).uppercased() + self.rawValue.dropFirst() }
    }

    let subject: Subject
    let state: State
    /// One line for people.
    let words: String
    /// The exit code where it is a problem.
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

    /// A failure that a call met, with what explains it; the error's own advice where nothing does.
    static func failure(_ subject: Subject, _ error: any Error, of name: String? = nil, _ findings: [Finding]) -> Self {
        let report = ErrorReport(error)
        let guidance = Finding(Finding.Code(report.code, fix: report.recoverySuggestion), .certain, "")
        // A store's name may end in a colon of its own.
        let separator = name?.hasSuffix(":") == true ? " " : ": "
        let words = [name, report.message].compactMap { $0 }.joined(separator: separator)
        return Self(subject, .problem, words, report.status, findings.isEmpty ? [guidance] : findings)
    }

    var json: JSONNode {
        [
            "check": .string(self.subject.rawValue), "state": .string(self.state.rawValue),
            "words": .string(self.words), "findings": .array(self.findings.map(\.json)),
        ]
    }
}

extension Finding {
    /// The finding as commands print it for programs.
    var json: JSONNode {
        [
            "code": .string(self.code.description), "certainty": .string(self.certainty.rawValue),
            "found": .string(self.found), "fix": .string(self.fix),
        ]
    }
}
