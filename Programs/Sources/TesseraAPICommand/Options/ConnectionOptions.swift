// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraCommand
internal import TesseraDefaults
internal import TesseraFetch
internal import TesseraGoogle
internal import TesseraGoogleAPI
internal import TesseraOAuth

/// The session or the credentials, and the server for API calls.
///
/// The groups are declared directly in the types that conform, because ArgumentParser's debug builds validate a group
/// several times more often for each level above it.
protocol APIConnecting: ParsableArguments {
    var server: ServerOptions { get }
    var guards: CallGuardOptions { get }
    var credentials: CredentialSourceOptions { get }
    var account: AccountOptions { get }
}

/// The options of a command that calls an API.
struct ConnectionOptions: APIConnecting {
    @OptionGroup var server: ServerOptions
    @OptionGroup var guards: CallGuardOptions
    @OptionGroup var credentials: CredentialSourceOptions
    @OptionGroup var account: AccountOptions
    @OptionGroup var delegation: DelegationOptions

    /// Calls `body` with a connection to the API.
    ///
    /// The `scopes` are requested if the credentials or the session need them, and `writes` says whether the calls
    /// change anything.
    func connect<Result: Sendable>(
        scopes: [Scope],
        writes: Bool = false,
        _ body: (APIConnection) async throws -> Result
    ) async throws -> Result {
        try await self.connect(as: self.delegation.subject, scopes: scopes, writes: writes, body)
    }
}

/// The options of a command that calls an API and has another option for the user on whose behalf credentials act.
struct BaseConnectionOptions: APIConnecting {
    @OptionGroup var server: ServerOptions
    @OptionGroup var guards: CallGuardOptions
    @OptionGroup var credentials: CredentialSourceOptions
    @OptionGroup var account: AccountOptions
}

/// The server, and how long calls are retried.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The API's base URL, such as a regional one or a local server.",
            valueName: "url"
        )
    )
    var rootURL: String?

    @Option(
        help: ArgumentHelp("How long to retry a call after temporary failures. 0 disables retries.", valueName: "time")
    )
    var retryDeadline: TimeSpan = .twoMinutes
}

extension APIConnecting {
    /// Calls `body` with a connection to the API.
    ///
    /// The `scopes` are requested if the credentials or the session need them, `writes` says whether the calls change
    /// anything, and a service account acts as `subject`.
    func connect<Result: Sendable>(
        as subject: String?,
        scopes: [Scope],
        writes: Bool = false,
        _ body: (APIConnection) async throws -> Result
    ) async throws -> Result {
        if writes { try self.guards.checkWriting() }
        let root = try self.root()
        let insecure: Insecure = root?.scheme == "http" ? .loopbackHTTP : []
        if let choice = try self.credentials.choice(as: subject, insteadOf: self.account) {
            return try await choice.withCredentials(scopes: scopes) { credentials in
                var settings = APISettings(rootURL: self.server.rootURL)
                settings.quotaProject = credentials.quotaProject
                // The metadata server would have to be asked.
                let isKnown = !self.guards.dryRun || credentials.kind != .metadataServer
                if root == nil, isKnown { settings.universeDomain = try await credentials.universeDomain() }
                let connection = APIConnection(
                    account: choice.account(of: credentials),
                    fetcher: self.fetcher(
                        try Self.source(
                            self.guards.dryRun ? WidenedSource(credentials, more: []) : credentials,
                            to: root
                        ) { CredentialChoice.refusal(of: $0) },
                        PlatformDefaults.transport(insecure: insecure.union(choice.insecure))
                    ),
                    settings: settings,
                    isDryRun: self.guards.dryRun
                )
                return try await body(connection)
            }
        }
        do { return try await self.withSession(root, insecure, body) } catch {
            guard !self.guards.dryRun, let needed = Self.missing(error, of: scopes) else { throw error }
            let (record, catalog) = try await self.account.record()
            guard try await ScopeRequest.grant(needed, to: record, in: catalog) else { throw error }
            return try await self.withSession(root, insecure, body)
        }
    }

    /// Returns the scopes to request after an error, or nil for any other error.
    private static func missing(_ error: any Error, of scopes: [Scope]) -> [Scope]? {
        switch error {
        case is MissingScopeError: scopes
        case let error as GoogleAPIError where error.isInsufficientScope: scopes
        default: nil
        }
    }

    private func withSession<Result: Sendable>(
        _ root: Root?,
        _ insecure: Insecure,
        _ body: (APIConnection) async throws -> Result
    ) async throws -> Result {
        let (record, catalog) = try await self.account.record()
        return try await catalog.withSession(of: record, insecure: insecure) { session in
            let connection = APIConnection(
                account: session.account,
                fetcher: self.fetcher(
                    try Self.source(session, to: root) { Self.refusal($0) },
                    session.transport
                ),
                settings: APISettings(rootURL: self.server.rootURL, checksScopes: !self.guards.dryRun),
                isDryRun: self.guards.dryRun
            )
            do { return try await body(connection) } catch let error as UnauthorizedOriginError {
                throw Self.refusal(error.origin, self.server.rootURL == nil ? session : nil)
            }
        }
    }

    private func fetcher(_ source: any AccessTokenSource, _ transport: any HTTPTransport) -> AuthorizedFetcher {
        var settings = FetchSettings.google
        settings.backoff = Backoff(deadline: self.server.retryDeadline.duration)
        settings.interceptors = self.guards.interceptors
        return AuthorizedFetcher(source, transport: transport, settings: settings)
    }

    /// Returns the source itself if its tokens may already be sent to the server, so that a session's scopes are
    /// checked first.
    private static func source(
        _ source: any AccessTokenSource,
        to root: Root?,
        refusal: (String) -> CommandError
    ) throws -> any AccessTokenSource {
        guard let root,
            !source.authorizedOrigins.contains(where: { $0.contains(scheme: root.scheme, authority: root.authority) })
        else { return source }
        let origin = try OriginPattern("\(root.scheme)://\(root.authority)")
        guard root.isLoopback else { throw refusal(origin.description) }
        return WidenedSource(source, more: [origin])
    }

    /// Returns the error for an unauthorized origin, since these commands have no `--allow-origin` option.
    ///
    /// - Parameters:
    ///   - origin: The origin.
    ///   - session: The session, or nil if the user chose the server with `--root-url`.
    /// - Returns: The error.
    private static func refusal(_ origin: String, _ session: OAuthSession? = nil) -> CommandError {
        let issuer = session.flatMap { URLComponents(string: $0.account.issuer) }
        let isLocal = Insecure.loopbackHTTP.permits(scheme: "http", host: issuer?.encodedHost ?? "")
        let advice =
            isLocal
            ? "To call the server on this machine, add --root-url \(session?.account.issuer ?? "")."
            : "If you trust it, sign in again with 'tessera login --allow-origin \(origin)'."
        return CommandError("originRefused", "This session's token cannot be sent to \(origin)", advice)
    }

    private func root() throws -> Root? {
        guard let rootURL = self.server.rootURL else { return nil }
        guard let root = Root(rootURL) else {
            throw CommandError.usage(
                "--root-url: \(rootURL) cannot receive a token",
                "Write https://host/. Plain http is allowed only for loopback addresses."
            )
        }
        return root
    }
}

/// The origin of the `--root-url` option.
private struct Root {
    let scheme: String
    let authority: String
    let isLoopback: Bool

    /// Parses a URL, or returns nil if a token cannot be sent to it.
    init?(_ url: String) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let host = parts.encodedHost?.lowercased(), parts.query == nil, parts.fragment == nil,
            Insecure.loopbackHTTP.permits(scheme: scheme, host: host)
        else { return nil }
        self.scheme = scheme
        self.authority = parts.port.map { "\(host):\($0)" } ?? host
        self.isLoopback = Insecure.loopbackHTTP.permits(scheme: "http", host: host)
    }
}

/// The account and the server for API calls.
struct APIConnection: Sendable {
    let account: Account
    let fetcher: AuthorizedFetcher
    let settings: APISettings
    /// Whether the first request is printed instead of being sent.
    let isDryRun: Bool

    /// Returns a client for an API.
    func client<Client: APIClient>(_ type: Client.Type = Client.self) -> Client {
        Client(fetcher: self.fetcher, settings: self.settings)
    }
}

extension AsyncSequence {
    /// Returns the first elements, and prints a note if there are more.
    func first(_ limit: Int, called name: String) async throws -> [Element] {
        var elements: [Element] = []
        for try await element in self {
            guard elements.count < limit else {
                Console.note("tessera: There are more \(name). Use --limit N to list more.")
                break
            }
            elements.append(element)
        }
        return elements
    }
}
