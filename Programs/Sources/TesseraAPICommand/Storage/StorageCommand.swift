// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera storage`.
struct StorageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage",
        abstract: "Lists, gets and puts objects of Google Cloud Storage.",
        discussion: """
            Transfers show how far they are on a terminal, and say so now and then in a pipe. Ctrl-C leaves what has come or
            gone: the same command with --resume goes on from there.

            Examples:
              tessera storage ls my-bucket
              tessera storage get my-bucket films/film.mp4 -o film.mp4
              tessera storage put my-bucket film.mp4 --name films/film.mp4
            """,
        subcommands: [StorageListCommand.self, StorageGetCommand.self, StoragePutCommand.self]
    )
}
