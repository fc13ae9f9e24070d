// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera provider`: starts `tessera-provider`, an executable of its own, since it links a whole web server.
struct ProviderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider",
        abstract: "Runs a Google-like provider with a small Drive on this computer.",
        discussion: """
            Starts tessera-provider with these arguments; 'tessera provider --help' lists them.

            Examples:
              tessera provider
              tessera provider --port 8400 --data ~/Documents
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of tessera-provider.")
    var arguments: [String] = []

    func run() throws { try SiblingProgram.become("tessera-provider", self.arguments) }
}
