// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraJSON
internal import TesseraMigration
internal import TesseraStores

/// `tessera export`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export a session for use by other Google libraries",
        discussion: """
            Use the format authorized_user, which gcloud also writes, for GOOGLE_APPLICATION_CREDENTIALS. The format token \
            is google-auth's token.json. Both contain the refresh token in plaintext. Anyone who reads the file can \
            act as you until you revoke access.

            The other program and tessera then share one refresh token. If the provider rotates refresh tokens, a \
            refresh by either one ends the other's session, so such a session is not exported.

            Examples:
              tessera export --output ~/robot.json
              tessera export --format token --output token.json --account work
              GOOGLE_APPLICATION_CREDENTIALS=~/robot.json python3 robot.py
            """
    )

    @Option(
        help: ArgumentHelp("authorized_user or token.", valueName: "format"),
        completion: .list(AuthorizedUserFile.Format.allCases.map(\.rawValue))
    )
    var format = AuthorizedUserFile.Format.authorizedUser.rawValue

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file, created with mode 0600. (default: standard output)", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @Flag(help: "Replace an existing file, or print to a terminal.")
    var force = false

    @OptionGroup var account: AccountOptions
    @OptionGroup var console: OutputOptions

    func validate() throws {
        guard AuthorizedUserFile.Format(rawValue: self.format) == nil else { return }
        let names = AuthorizedUserFile.Format.allCases.map(\.rawValue).joined(separator: " or ")
        throw ValidationError("--format is \(names).")
    }

    private var path: String? { self.output == "-" ? nil : self.output }

    func run() async throws {
        guard self.path != nil || !Console.isOutputFileReadableByOthers else {
            throw CommandError.usage(
                "Could not export to standard output: other users can read the file that it was redirected to",
                "Run 'tessera export --output FILE' instead, which creates the file with mode 0600."
            )
        }
        guard self.path != nil || self.force || !Console.isOutputTerminal else {
            throw CommandError.usage(
                "Could not export to a terminal: the export contains a refresh token",
                "Choose a file with --output, or add --force."
            )
        }
        guard let format = AuthorizedUserFile.Format(rawValue: self.format) else { return }
        let (record, _) = try await self.account.record()
        let bytes = try AuthorizedUserFile(exporting: record, as: format).encoded()
        if let path {
            try await self.write(bytes, to: path)
            self.report(record, path)
        } else {
            try await OutputFile.open(nil).write(bytes)
        }
        Console.note(
            """
            tessera: Anyone who reads the exported credentials can act as you until you revoke access. Two programs now share \
            one refresh token. If the provider rotates it, only the first program to refresh keeps its session.
            """
        )
    }

    private func write(_ bytes: [UInt8], to path: String) async throws {
        let (location, replaces) = (path.absolutePath, self.force)
        let isWritten: Bool
        do {
            isWritten = try await FileBytes.blocking {
                try PrivateFile.write(bytes, to: location, replaces: replaces)
            }
        } catch let error as StoreError {
            throw CommandError.usage(
                "--output \(path): \(error.status.map { FileBytes.words($0) } ?? error.description)",
                "Choose another file. Nothing was written."
            )
        }
        guard isWritten else {
            throw CommandError.usage(
                "--output: \(path) already exists",
                "Choose another name, or replace it with --force. Nothing was written."
            )
        }
    }

    private func report(_ record: SessionRecord, _ path: String) {
        let name = AccountReport(record).name
        self.console.result(
            ["account": .string(name), "format": .string(self.format), "file": .string(path)],
            "Exported \(name) as \(self.format): \(path)"
        )
    }
}
