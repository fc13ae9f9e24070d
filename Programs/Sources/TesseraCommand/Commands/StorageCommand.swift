// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera storage`: starts `tessera-api`, an executable of its own, since it links Google's APIs as generated code.
struct StorageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage",
        abstract: "Lists, gets and puts objects of Google Cloud Storage.",
        discussion: """
            Starts tessera-api with these arguments; 'tessera storage --help' lists them.

            Examples:
              tessera storage ls my-bucket
              tessera storage put my-bucket film.mp4
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of tessera-api.")
    var arguments: [String] = []

    func run() throws { try SiblingProgram.become("tessera-api", ["storage"] + self.arguments) }
}
