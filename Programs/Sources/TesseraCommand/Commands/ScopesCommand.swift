// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraJSON

/// `tessera scopes`.
struct ScopesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scopes",
        abstract: "List granted scopes or request more",
        discussion: """
            Examples:
              tessera scopes
              tessera scopes --json --account work
              tessera scopes add https://www.googleapis.com/auth/drive.readonly
            """,
        subcommands: [List.self, ScopesAddCommand.self],
        defaultSubcommand: List.self
    )

    /// `tessera scopes list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List granted and missing scopes",
            discussion: """
                Examples:
                  tessera scopes
                  tessera scopes list --json
                """
        )

        @OptionGroup var account: AccountOptions
        @OptionGroup var list: ListOptions

        func run() async throws {
            let (record, _) = try await self.account.record()
            self.list.result(
                .object(ScopesCommand.members(record)),
                ScopesCommand.rows(record),
                text: ScopesCommand.text(record)
            )
        }
    }

    private static func rows(_ record: SessionRecord) -> ListRows {
        var rows = ListRows(["scope": "SCOPE", "state": "STATE"])
        for scope in record.grantedScopes.granted { rows.add(.init(scope.rawValue), "granted") }
        for scope in record.grantedScopes.missing { rows.add(.init(scope.rawValue), "missing") }
        return rows
    }

    static func members(_ record: SessionRecord) -> [JSONMember] {
        func list(_ scopes: [Scope]) -> JSONNode { .array(scopes.map { .string($0.rawValue) }) }
        return [
            JSONMember(name: "account", value: .string(AccountReport(record).name)),
            JSONMember(name: "granted", value: list(record.grantedScopes.granted)),
            JSONMember(name: "missing", value: list(record.grantedScopes.missing)),
            JSONMember(name: "unrequested", value: list(record.grantedScopes.unrequested)),
        ]
    }

    /// Returns one scope per line for scripts, and marks missing scopes.
    static func text(_ record: SessionRecord) -> TerminalText {
        let lines: [TerminalText] =
            record.grantedScopes.granted.map { "\($0.rawValue)" }
            + record.grantedScopes.missing.map { "\($0.rawValue)  (not granted)" }
        return lines.isEmpty ? "No scopes were granted." : lines.joined(separator: "\n")
    }
}

/// `tessera scopes add`.
struct ScopesAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Request more scopes in a browser",
        discussion: """
            The request includes the account and the scopes that are already granted. Nothing changes if you deny the \
            request or sign in to another account. The exit code is 3 if a scope was not granted. Without \
            --redirect-uri, uses the redirect URI from the sign-in.

            Examples:
              tessera scopes add https://www.googleapis.com/auth/drive.readonly
              tessera scopes add https://www.googleapis.com/auth/calendar.readonly --account work
            """
    )

    @Argument(help: ArgumentHelp("The scopes to request.", valueName: "scope"))
    var scopes: [String]

    @Flag(
        name: [.customLong("without-granted-scopes"), .customLong("without-earlier-grants")],
        help: "Do not request the scopes that are already granted."
    )
    var withoutGrantedScopes = false

    @OptionGroup var prompts: PromptOptions
    @OptionGroup var browser: BrowserOptions
    @OptionGroup var account: AccountOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try ScopeArgument.validate(self.scopes, of: "<scope>") }

    func run() async throws {
        let (record, catalog) = try await self.account.record()
        let wanted = ScopeArgument.scopes(self.scopes)
        let progress = SignInProgress(isVerbose: self.output.verbose)
        let redirectURI = try await catalog.redirectURI(of: record)
        let signIn = catalog.signIn(
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
            options.includesGrantedScopes = !self.withoutGrantedScopes
            options.timeout = self.browser.timeout.duration
            try await signIn.addScopes(wanted, to: session, options: options)
        } catch SignInError.Code.scopesAlreadyGranted {
            Console.note("tessera: All of these scopes are already granted.")
        }
        progress.stopCounting()
        try await CachedToken.forgetAll()
        let refused = wanted.filter { !session.grantedScopes.contains($0) }
        let error = refused.isEmpty ? nil : Self.error(for: refused)
        self.output.result(
            .object(ScopesCommand.members(session.record) + (error.map { ErrorReport($0).members } ?? [])),
            ScopesCommand.text(session.record)
        )
        if let error { throw self.output.failed(error) }
    }

    private static func error(for refused: [Scope]) -> CommandError {
        CommandError(
            "scopeNotGranted",
            "Not granted: \(refused.map(\.rawValue).joined(separator: " "))",
            "Run the command again and leave the scope selected.",
            status: .refused
        )
    }
}
