// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import Tessera
internal import TesseraJSON

/// `tessera accounts select`.
struct AccountsSelectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "select",
        abstract: "Chooses the account that is meant where none is named.",
        discussion: """
            The choice is kept with the account, and lasts until another one is selected.

            Examples:
              tessera accounts select work
              tessera accounts select ada@example.com
            """
    )

    @Argument(help: "The name given at sign-in, the email address or the subject, as for --account.")
    var name: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let shelf = try self.store.open()
        let record = try await shelf.record(named: self.name)
        try await shelf.signIn(for: record).select(record.account)
        try await KeptToken.forgetAll()
        let name = AccountReport(record).name
        self.output.result(["account": .string(name), "selected": true], "Selected: \(name)")
    }
}
