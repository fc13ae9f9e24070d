// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// The `tessera` commands that call Google APIs.
struct GoogleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tessera",
        abstract: "Call Google APIs",
        subcommands: [MethodCommand.self, DriveCommand.self, GmailCommand.self, StorageCommand.self]
    )
}
