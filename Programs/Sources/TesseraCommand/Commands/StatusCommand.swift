// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraJSON
internal import TesseraStores

/// `tessera status`.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show scopes, token and store of a session",
        discussion: """
            Sends no network requests. The exit code is 6 if you have to sign in again.

            Examples:
              tessera status
              tessera status --account work --json
              tessera status > /dev/null || tessera login --google --client client_secret.json
            """
    )

    @OptionGroup var account: AccountOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (record, catalog) = try await self.account.record()
        let report = AccountReport(record)
        self.output.result(.object(report.members + Self.members(record, catalog)), Self.table(report, catalog))
        if report.state == .needsSignIn { throw ExitCode(ExitStatus.signInNeeded.rawValue) }
    }

    private static func members(_ record: SessionRecord, _ catalog: SessionCatalog) -> [JSONMember] {
        let history = record.history
        return [
            JSONMember(name: "lastRefreshAt", value: TimeText.json(history.lastRefreshAt)),
            JSONMember(name: "refreshCount", value: .integer(history.refreshCount)),
            JSONMember(name: "grantEndsAt", value: TimeText.json(history.refreshTokenExpiresAt)),
            JSONMember(name: "endedAt", value: TimeText.json(history.endedAt)),
            JSONMember(name: "endReason", value: AccountReport.text(history.endReason)),
            JSONMember(name: "interruptedRefreshAt", value: TimeText.json(record.refreshMark?.begunAt)),
            JSONMember(name: "origins", value: .array(record.authorizedOrigins.map { .string($0.description) })),
            JSONMember(name: "store", value: .string(catalog.uri.description)),
        ]
    }

    private static func table(_ report: AccountReport, _ catalog: SessionCatalog) -> TerminalText {
        let record = report.record
        let history = record.history
        func relative(_ date: Date) -> String { TimeText.relative(date, to: report.now) }
        let times = history.refreshCount == 1 ? "once" : "\(history.refreshCount) times"
        var table = FieldTable()
        table.add("Account", report.account)
        table.add("Provider", report.provider)
        table.add("State", report.state == .signedIn ? "signed in" : "sign-in needed: run 'tessera login'")
        table.add("Granted", report.granted)
        table.add("Missing", report.missing.map { "\($0)  (not granted)" })
        table.add("Token", report.token)
        table.add("Consented", relative(history.consentedAt))
        table.add(
            "Renewed",
            history.lastRefreshAt.map { "\(relative($0)), \(times) since consent" }
        )
        table.add("Grant expires", history.refreshTokenExpiresAt.map { relative($0) })
        table.add(
            "Warning",
            record.refreshMark.map {
                "a refresh that began \(relative($0.begunAt)) was interrupted, or is in progress in another process"
            }
        )
        table.add("May call", record.authorizedOrigins.map(\.description))
        table.add("Stored in", catalog.uri.description)
        return table.text
    }
}
