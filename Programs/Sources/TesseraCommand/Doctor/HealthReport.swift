// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON

/// Everything that was looked at, in order.
struct HealthReport: Sendable {
    let checks: [HealthCheck]

    init(_ checks: [HealthCheck]) { self.checks = checks }

    /// The exit code: that of the first problem.
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
                + check.findings.flatMap { Self.lines($0, beside: check.words) }.map { "\(margin)\($0)" }
        }
        return (lines + ["", "\(self.summary)"]).joined(separator: "\n")
    }

    /// What a line has not said yet, and the fix.
    private static func lines(_ finding: Finding, beside words: String) -> [String] {
        let isSaid = finding.found.isEmpty || words.contains(finding.found.dropLast())
        return (isSaid ? [] : [finding.certainty.prefix + finding.found])
            + (finding.fix.isEmpty ? [] : ["→ " + finding.fix])
    }

    private var summary: String {
        let problems = self.checks.count { $0.state == .problem }
        let unknown = self.checks.count { $0.state == .unknown }
        switch (problems, unknown) {
        case (0, 0): return "Nothing is wrong."
        case (0, _): return "Nothing is known to be wrong; what has a question mark could not be told."
        case (1, _): return "One thing is wrong."
        default: return "\(problems) things are wrong; the first may explain the others."
        }
    }
}
