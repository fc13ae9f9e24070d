// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera drive`: starts `tessera-api`, an executable of its own, since it links Google's APIs as generated code.
struct DriveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drive",
        abstract: "Lists, gets, puts and removes files of Google Drive.",
        discussion: """
            Starts tessera-api with these arguments; 'tessera drive --help' lists them.

            Examples:
              tessera drive ls
              tessera drive put film.mp4
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of tessera-api.")
    var arguments: [String] = []

    func run() throws { try SiblingProgram.become("tessera-api", ["drive"] + self.arguments) }
}
