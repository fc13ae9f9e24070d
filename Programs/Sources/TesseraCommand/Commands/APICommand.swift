// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera api`: starts `tessera-api`, an executable of its own, since it links a reader of discovery documents.
struct APICommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "Calls any method of any of Google's APIs by its name.",
        discussion: """
            Starts tessera-api with these arguments; 'tessera api --help' lists them.

            Examples:
              tessera api drive.files.list --page-size 10
              tessera api drive
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of tessera-api.")
    var arguments: [String] = []

    func run() throws { try SiblingProgram.become("tessera-api", ["api"] + self.arguments) }
}
