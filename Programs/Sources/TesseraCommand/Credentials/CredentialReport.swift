// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraGoogle
internal import TesseraJSON
internal import TesseraOAuth

/// A description of credentials and of the search that found them, without secrets.
struct CredentialReport: Sendable {
    private let choice: CredentialChoice
    private let credentials: GoogleCredentials
    private var account: String?
    private var project: String?
    private var universe: String?
    private var warnings: [String] = []

    /// Asks the credentials for their account, project and universe, and collects errors as warnings.
    ///
    /// - Throws: `CancellationError`.
    init(_ choice: CredentialChoice, _ credentials: GoogleCredentials) async throws {
        self.choice = choice
        self.credentials = credentials
        if let path = choice.file(of: credentials), FileBytes.isOpenToOthers(path) {
            self.warnings.append("other users can read \(path); run 'chmod 600 \(path)'")
        }
        self.account = try await self.value("account") { try await credentials.email() }
        self.project = try await self.value("project") { try await credentials.project() }
        self.universe = try await self.value("universe") { try await credentials.universeDomain() }
    }

    private mutating func value(_ name: String, _ request: () async throws -> String?) async throws -> String? {
        do { return try await request() } catch is CancellationError { throw CancellationError() } catch {
            let report = ErrorReport(self.choice.explained(error, self.credentials.kind))
            self.warnings.append("the \(name) is unknown: \(report.message)")
            return nil
        }
    }

    /// A step of the search.
    private struct Step {
        let source: String
        let location: String?
        let isUsed: Bool
        /// The reason why the step did not find credentials, or nil if it did.
        let reason: String?

        var json: JSONNode {
            [
                "source": .string(self.source), "location": CredentialReport.text(self.location),
                "used": .bool(self.isUsed), "reason": CredentialReport.text(self.reason),
            ]
        }
    }

    private var steps: [Step] {
        if case .file(let path) = self.choice.source {
            return [Step(source: "--credentials", location: path, isUsed: true, reason: nil)]
        }
        let search = self.credentials.search
        let rest = GoogleCredentialSearchStep.Source.allCases.filter { source in
            !search.contains { $0.source == source }
        }
        return search.map { step in
            Step(
                source: step.source.rawValue,
                location: step.location,
                isUsed: step.reason == nil,
                reason: step.reason
            )
        } + rest.map { Step(source: $0.rawValue, location: nil, isUsed: false, reason: "not searched") }
    }

    private static func text(_ value: String?) -> JSONNode { value.map { .string($0) } ?? .null }

    var json: JSONNode {
        let used = self.steps.first(where: \.isUsed)
        return [
            "kind": .string(self.credentials.kind.rawValue),
            "source": Self.text(used?.source),
            "location": Self.text(used?.location),
            "account": Self.text(self.account),
            "subject": Self.text(self.choice.subject),
            "scopes": .array(self.credentials.scopes.map { .string($0.rawValue) }),
            "project": Self.text(self.project),
            "quotaProject": Self.text(self.credentials.quotaProject),
            "universeDomain": Self.text(self.universe),
            "search": .array(self.steps.map(\.json)),
            "warnings": .array(self.warnings.map { .string($0) }),
        ]
    }

    var text: TerminalText {
        let used = self.steps.first(where: \.isUsed)
        var fields = FieldTable()
        fields.add("Kind", self.credentials.kind.rawValue)
        fields.add("Found by", used?.source)
        fields.add("Location", used?.location)
        fields.add("Account", self.account)
        fields.add("Acts as", self.choice.subject)
        fields.add("Scopes", self.credentials.scopes.map(\.rawValue))
        fields.add("Project", self.project ?? "none")
        fields.add("Quota project", self.credentials.quotaProject ?? "none")
        fields.add("Universe", self.universe)
        fields.add("Warning", self.warnings)
        var search = ColumnTable("SEARCHED", "LOCATION", "RESULT")
        for step in self.steps { search.add(step.source, step.location ?? "-", step.reason ?? "used") }
        return fields.text + "\n\n" + search.text
    }
}

extension CredentialChoice {
    /// Returns the path of the file that contains the credentials, or nil if they are not in a file.
    func file(of credentials: GoogleCredentials) -> String? {
        if case .file(let path) = self.source { return path }
        guard let step = credentials.search.last, step.source != .metadataServer else { return nil }
        return step.location
    }
}
