// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import Tessera
internal import TesseraJSON

/// `tessera scopes add`.
struct ScopesAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Asks you for more scopes, in your browser.",
        discussion: """
            The request names everything that is granted already, and the account. Nothing changes when you say no, or
            answer as somebody else. It exits with 3 when a scope was not granted. Without --redirect-uri it uses the
            redirect URI of the sign-in.

            Examples:
              tessera scopes add https://www.googleapis.com/auth/drive.readonly
              tessera scopes add https://www.googleapis.com/auth/calendar.readonly --account work
            """
    )

    @Argument(help: ArgumentHelp("The scopes to ask for.", valueName: "scope"))
    var scopes: [String]

    @Flag(help: "Do not ask the provider to include what was granted before.")
    var withoutEarlierGrants = false

    @OptionGroup var prompts: PromptOptions
    @OptionGroup var browser: BrowserOptions
    @OptionGroup var account: AccountOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try ScopeText.validate(self.scopes, of: "<scope>") }

    func run() async throws {
        let (record, shelf) = try await self.account.record()
        let wanted = ScopeText.scopes(self.scopes)
        let progress = SignInProgress(isVerbose: self.output.verbose)
        let redirectURI = try await shelf.redirectURI(of: record)
        let signIn = shelf.signIn(
            for: record,
            userAgent: try self.browser.userAgent(progress, registered: redirectURI)
        )
        guard let session = try await signIn.restore(record.account) else {
            throw CommandError(
                "notSignedIn",
                "The session has ended",
                "Run 'tessera login' with these scopes.",
                status: .signInNeeded,
                endsSession: true
            )
        }
        defer { progress.stopCounting() }
        do {
            var options = SignInOptions(prompt: self.prompts.prompts, applicationName: "tessera")
            options.redirectURI = self.browser.redirectURI ?? redirectURI
            options.includesEarlierGrants = !self.withoutEarlierGrants
            options.timeout = self.browser.timeout.duration
            try await signIn.addScopes(wanted, to: session, options: options)
        } catch SignInError.Code.scopesAlreadyGranted {
            Console.note("tessera: Every one of these scopes is granted already.")
        }
        progress.stopCounting()
        try await KeptToken.forgetAll()
        self.output.result(ScopesCommand.json(session.record), ScopesCommand.text(session.record))
        let refused = wanted.filter { !session.grant.contains($0) }
        guard refused.isEmpty else {
            throw self.output.failed(
                CommandError(
                    "scopeNotGranted",
                    "Not granted: \(refused.map(\.rawValue).joined(separator: " "))",
                    "Ask again and leave the scope ticked.",
                    status: .refused
                )
            )
        }
    }
}
