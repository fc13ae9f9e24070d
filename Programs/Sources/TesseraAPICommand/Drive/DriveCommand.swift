// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera drive`.
struct DriveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drive",
        abstract: "Lists, gets, puts and removes files of Google Drive.",
        discussion: """
            Transfers show how far they are on a terminal, and say so now and then in a pipe. Ctrl-C leaves what has come or
            gone: the same command with --resume goes on from there.

            Examples:
              tessera drive ls
              tessera drive get film.mp4
              tessera drive put film.mp4 --resume
              tessera drive rm ID
            """,
        subcommands: [DriveListCommand.self, DriveGetCommand.self, DrivePutCommand.self, DriveRemoveCommand.self]
    )
}
