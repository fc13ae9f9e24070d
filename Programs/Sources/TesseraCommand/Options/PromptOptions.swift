// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import Tessera

/// What the provider's page should show.
struct PromptOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What the provider should show: login, consent, select_account or none.",
            valueName: "prompt"
        ),
        completion: .list(Self.values)
    )
    var prompt: [String] = []

    private static let values = ["login", "consent", "select_account", "none"]

    func validate() throws {
        guard let unknown = self.prompt.first(where: { !Self.values.contains($0) }) else { return }
        throw ValidationError(
            "--prompt \(UntrustedText.printable(unknown)) is not known: use \(Self.values.joined(separator: ", "))."
        )
    }

    var prompts: [Prompt] { self.prompt.map { Prompt(rawValue: $0) } }
}
