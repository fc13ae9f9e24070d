// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import TesseraConsole

/// `tessera credentials`.
struct CredentialsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credentials",
        abstract: "Show credentials for programs without a user",
        discussion: """
            Other commands use these credentials instead of a session with --adc or --credentials FILE.

            Examples:
              tessera credentials show
              tessera credentials show --credentials key.json --json
            """,
        subcommands: [CredentialsShowCommand.self]
    )
}

/// `tessera credentials show`.
struct CredentialsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show which credentials are used and why",
        discussion: """
            Searches for Application Default Credentials, or reads the file in --credentials. Prints no secret. The \
            project or the account may require a request to the metadata server or to Google. The exit code is 6 if \
            no credentials are found.

            Examples:
              tessera credentials show
              tessera credentials show --credentials key.json
              tessera credentials show --json
            """
    )

    @OptionGroup var credentials: CredentialOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let choice = try self.credentials.choiceOrDefault()
        let report = try await choice.withCredentials(isSilent: true) { try await CredentialReport(choice, $0) }
        self.output.result(report.json, report.text)
    }
}
