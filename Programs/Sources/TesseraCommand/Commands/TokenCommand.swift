// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraAgent

/// `tessera token`.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a valid access token",
        discussion: """
            Refreshes an expired token and saves it first, and sends no network requests otherwise. Anyone who reads \
            the token can act for you until it expires. Do not write it to files or logs. With --adc or --credentials, \
            the token is requested each time, and no session is used.

            Examples:
              curl -H "$(tessera token --header)" https://www.googleapis.com/drive/v3/about?fields=user
              tessera token --min-validity 10m
              tessera token --id-token --account work
              tessera token --agent
              tessera token --cache
              tessera token --credentials key.json --scope https://www.googleapis.com/auth/drive.readonly
              tessera token --adc --audience https://service.run.app
            """
    )

    @Flag(help: "Print the ID token instead of the access token.")
    var idToken = false

    @Option(
        help: ArgumentHelp(
            "Refresh a token that is not valid for at least this long: 30s, 5m.",
            valueName: "time"
        )
    )
    var minValidity: TimeSpan?

    @Flag(help: "Always refresh first.")
    var refresh = false

    @Flag(help: "Print the whole header field: Authorization: Bearer …")
    var header = false

    @Flag(
        help: """
            Cache only the access token in a file with mode 0600. While the token is valid, it is read from there without \
            opening the store. (also: TESSERA_TOKEN_CACHE=1)
            """
    )
    var cache = false

    @Option(help: ArgumentHelp("The receiver of an ID token, for --adc or --credentials.", valueName: "url"))
    var audience: String?

    @OptionGroup var credentials: CredentialOptions
    @OptionGroup var agent: AgentOptions
    @OptionGroup var account: AccountOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try self.validateCredentials()
        guard self.agent.agent, self.idToken || self.refresh else { return }
        throw ValidationError(
            "The agent issues only access tokens and refreshes them itself. Remove --id-token and --refresh."
        )
    }

    private func validateCredentials() throws {
        guard self.credentials.isUsed else {
            if self.audience == nil { return }
            throw ValidationError("--audience requires --adc or --credentials FILE.")
        }
        if self.idToken, self.audience == nil {
            throw ValidationError("--id-token requires --audience URL with --adc or --credentials.")
        }
        let options = [
            (self.agent.agent, "--agent"), (self.refresh, "--refresh"), (self.cache, "--cache"),
            (self.minValidity != nil, "--min-validity"),
        ]
        guard let option = options.first(where: { $0.0 })?.1 else { return }
        throw ValidationError("\(option) cannot be used with --adc or --credentials.")
    }

    func run() async throws {
        if let choice = try self.credentials.choice(insteadOf: self.account) {
            return try await CredentialToken(
                choice: choice,
                audience: self.audience,
                printsHeader: self.header,
                printsJSON: self.output.json
            )
            .run()
        }
        if !self.idToken, !self.refresh, let location = try self.agent.location(insteadOf: self.account.store) {
            return try await self.run(asking: AgentClient(location))
        }
        let (record, catalog) = try await self.account.record()
        if self.refresh { try await CachedToken.forgetAll() }
        try await catalog.withSession(of: record) { session in
            if self.idToken {
                let token = try await self.idToken(of: session)
                Self.reportClock(of: session, since: record)
                self.print(token, try? IDTokenClaims(unverified: token).expiry, session.record)
            } else {
                let token = try await self.accessToken(of: session)
                Self.reportClock(of: session, since: record)
                if self.cache || CachedToken.isWanted,
                    let cached = CachedToken(of: self.account.account, in: catalog.uri)
                {
                    let record = session.record
                    try await FileBytes.blocking { try cached.save(record) }
                }
                self.print(token.secret, token.expiresAt, session.record)
            }
        }
    }

    private func run(asking agent: AgentClient) async throws {
        let request = AgentTokenRequest(
            account: self.account.account,
            minimumValidity: self.minValidity?.duration.components.seconds
        )
        let token = try await agent.token(request)
        let end = token.expiresIn.map { WallClock.now.addingTimeInterval(Double($0)) }
        self.print(token.accessToken, end, .bearer, token.account.name)
    }

    private func accessToken(of session: OAuthSession) async throws -> AccessToken {
        if self.refresh { return try await session.refresh() }
        if let minValidity { return try await session.accessToken(validFor: minValidity.duration) }
        return try await session.accessToken()
    }

    /// Reports the difference between the local clock and the provider's clock, if a refresh has just measured it.
    private static func reportClock(of session: OAuthSession, since record: SessionRecord) {
        let newest = session.record
        guard newest.generation != record.generation,
            let finding = newest.history.clockSkew.flatMap({ Diagnosis.wrongClock(ahead: $0) })
        else { return }
        Console.note("tessera: \(finding.cause) \(finding.fix)")
    }

    /// Returns a valid ID token, refreshing the session first if the stored one is about to expire.
    ///
    /// An ID token can expire before the access token. Not every provider issues a new one with a refresh.
    private func idToken(of session: OAuthSession) async throws -> Secret {
        guard let present = session.idToken else { throw Self.noIDToken("This session has no ID token") }
        let wanted = Double((self.minValidity?.duration ?? .seconds(10)).components.seconds)
        if !self.refresh, Self.isValid(present, for: wanted, by: WallClock.now) { return present }
        try await session.refresh()
        // Use the provider's time, which the refresh has just measured.
        let now = WallClock.now.addingTimeInterval(-Double(session.record.history.clockSkew ?? 0))
        guard let token = session.idToken, Self.isValid(token, for: 0, by: now) else {
            throw Self.noIDToken("The ID token has expired, and the refresh did not return a valid one")
        }
        return token
    }

    private static func isValid(_ token: Secret, for seconds: Double, by now: Date) -> Bool {
        guard let end = try? IDTokenClaims(unverified: token).expiry else { return false }
        return end.timeIntervalSince(now) > seconds
    }

    private static func noIDToken(_ description: String) -> CommandError {
        CommandError(
            "noIDToken",
            description,
            "Run 'tessera login'. The provider issues an ID token if you request the 'openid' scope.",
            status: .signInNeeded
        )
    }

    private func print(_ token: Secret, _ expiresAt: Date?, _ record: SessionRecord) {
        let scheme = self.idToken ? TokenType.bearer : record.tokens?.tokenType ?? .bearer
        self.print(token, expiresAt, scheme, AccountReport(record).name)
    }

    private func print(_ token: Secret, _ expiresAt: Date?, _ scheme: TokenType, _ account: String) {
        let token = PrintedToken(
            secret: token,
            isIDToken: self.idToken,
            scheme: scheme,
            expiresAt: expiresAt,
            account: account
        )
        self.output.result(token.json, token.text(asHeader: self.header))
    }
}

extension IDTokenClaims {
    fileprivate var expiry: Date { Date(timeIntervalSince1970: self.expiresAt) }
}
