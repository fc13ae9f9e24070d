// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import Tessera
internal import TesseraJSON

/// `tessera store check`.
struct StoreCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Writes to a store, reads that back, and reads every session that is there.",
        discussion: """
            What was written is removed again; no session changes, and nothing is asked from a provider. Fails (7) when
            something cannot be written or read.

            Examples:
              tessera store check
              tessera store check secret-service:
              tessera store check postgresql://tessera@db.example/sessions
            """
    )

    @Argument(help: "The store, as for --store. (default: the usual one)")
    var uri: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let shelf = try self.uri.map { try StoreOptions.open($0, named: "URI") } ?? StoreOptions.open(nil)
        let report = try await StoreReport(shelf)
        let failure = report.failure
        self.output.result(
            .object(report.members + (failure.map { ErrorReport($0).members } ?? [])),
            report.text
        )
        if let failure { throw self.output.failed(failure) }
    }
}
