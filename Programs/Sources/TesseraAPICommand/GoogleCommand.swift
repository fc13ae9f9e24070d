// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// The commands of `tessera` that call Google's APIs.
struct GoogleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tessera",
        abstract: "Call Google APIs",
        subcommands: [MethodCommand.self, DriveCommand.self, GmailCommand.self, StorageCommand.self]
    )
}
