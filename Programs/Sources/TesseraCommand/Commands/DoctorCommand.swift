// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraGoogle

/// `tessera doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Diagnose sign-in problems and suggest fixes",
        discussion: """
            Checks the clock, the network, TLS, the provider, the store, the client and each account, in this order, \
            because a problem in one can explain a problem in the next. Sends no refresh token unless you pass \
            --refresh: the client is checked with a made-up token. The exit code is that of the first problem. With \
            --adc or --credentials, checks the search, the file, the clock and a token request instead.

            Examples:
              tessera doctor
              tessera doctor --account work --refresh
              tessera doctor --issuer https://login.example.com
              tessera doctor --offline --json
              tessera doctor --adc
            """
    )

    @Option(help: ArgumentHelp("Another provider to check, in addition to those of the accounts.", valueName: "url"))
    var issuer: String?

    @Flag(help: "Refresh each session to verify that the provider still accepts it.")
    var refresh = false

    @Flag(help: "Send no network requests.")
    var offline = false

    @Flag(help: "Allow plain http for a provider on a loopback address.")
    var allowLoopbackHTTP = false

    @OptionGroup var credentials: CredentialOptions
    @OptionGroup var account: AccountOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if self.offline, self.refresh || self.issuer != nil {
            throw ValidationError("--offline cannot be used with --refresh or --issuer.")
        }
        if self.credentials.isUsed, self.refresh || self.issuer != nil || self.allowLoopbackHTTP {
            throw ValidationError("--adc and --credentials cannot be used with options for a provider.")
        }
    }

    func run() async throws {
        if let choice = try self.credentials.choice(insteadOf: self.account) {
            return try await self.finish(
                try await CredentialExamination(choice: choice, requestsToken: !self.offline).report()
            )
        }
        let examination = Examination(
            account: self.account.account,
            provider: try self.provider(),
            asksProvider: !self.offline,
            refreshes: self.refresh
        )
        try await self.finish(try await examination.report(of: try self.account.store.open()))
    }

    private func finish(_ report: HealthReport) async throws {
        let report = HealthReport(report.checks + (await Self.programs().map { [$0] } ?? []))
        self.output.result(report.json, report.text)
        if report.status != .success { throw ExitCode(report.status.rawValue) }
    }

    /// Returns a problem if the programs that this one starts have other versions.
    private static func programs() async -> HealthCheck? {
        let differences = (try? await FileBytes.blocking { SiblingVersion.differences() }) ?? []
        guard let first = differences.first else { return nil }
        let list =
            differences
            .map { "\($0.path) (\(UntrustedText.printable($0.version ?? "unknown version", limit: 100)))" }
        let cause = "Other programs do not have the version of this one, \(ReleaseVersion.summary)."
        let finding = Finding(
            Finding.Code("programVersion", fix: "Install all programs from one release, or remove \(first.path)."),
            .certain,
            cause
        )
        let words = "not the same version: \(list.joined(separator: ", "))"
        return .problem(.programs, words, .usage, [finding])
    }

    private func provider() throws -> Provider? {
        guard let issuer else { return nil }
        let insecure: Insecure = self.allowLoopbackHTTP ? .loopbackHTTP : []
        let name = try IssuerText.read(issuer, option: "--issuer", insecure: insecure)
        return Provider(issuer: name, client: OAuthClient(clientID: ""), insecure: insecure).recognizingGoogle
    }
}
