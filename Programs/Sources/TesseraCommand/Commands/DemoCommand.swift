// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera demo`: starts `tessera-demo`, an executable of its own.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows a whole sign-in, with a provider on this computer.",
        discussion: """
            Starts tessera-demo with these arguments; 'tessera demo --help' lists them. It needs no account and no network.

            Examples:
              tessera demo
              tessera demo --headless
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of tessera-demo.")
    var arguments: [String] = []

    func run() throws { try SiblingProgram.become("tessera-demo", self.arguments) }
}
