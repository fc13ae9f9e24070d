// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import TesseraConsole

/// The `tessera` commands that call Google APIs.
struct GoogleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tessera",
        abstract: "Call Google APIs",
        version: ReleaseVersion.summary,
        subcommands: [
            MethodCommand.self, DriveCommand.self, GmailCommand.self, CalendarCommand.self, StorageCommand.self,
        ]
    )
}
