// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera gmail`: starts `tessera-api`, an executable of its own, since it links Google's APIs as generated code.
struct GmailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gmail",
        abstract: "Lists, reads and sends mail by Gmail.",
        discussion: """
            Starts tessera-api with these arguments; 'tessera gmail --help' lists them.

            Examples:
              tessera gmail ls is:unread
              tessera gmail send --to mia@example.com --subject Hello
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of tessera-api.")
    var arguments: [String] = []

    func run() throws { try SiblingProgram.become("tessera-api", ["gmail"] + self.arguments) }
}
