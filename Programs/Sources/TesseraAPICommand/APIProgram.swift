// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import TesseraCommand
internal import TesseraPostgreSQL
internal import TesseraSQLite
internal import TesseraStores

/// `tessera-api`: the commands that call Google's APIs, with every store; `tessera` starts it.
@main
enum APIProgram {
    static func main() { CommandLineProgram.main(GoogleCommand.self, databases: [.sqlite, .postgreSQL, .postgres]) }
}

/// The commands of `tessera` that call Google's APIs.
struct GoogleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tessera",
        abstract: "Calls Google's APIs for you.",
        subcommands: [MethodCommand.self, DriveCommand.self, GmailCommand.self, StorageCommand.self]
    )
}
