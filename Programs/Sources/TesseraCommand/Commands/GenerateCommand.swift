// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera generate`: starts `google-api-generator`, an executable of its own, since the build plugin runs it too.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Makes a Swift module of one of Google's APIs.",
        discussion: """
            Starts google-api-generator with these arguments; 'tessera generate --help' lists them.

            Generating code from a document means trusting it: the document decides which server the code calls, and that
            server receives your users' access tokens.

            Examples:
              tessera generate drive.v3 --output Sources --include files.list,files.get
              tessera generate vision.v1.json --output Sources
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of google-api-generator.")
    var arguments: [String] = []

    func run() throws { try SiblingProgram.become("google-api-generator", self.arguments) }
}
