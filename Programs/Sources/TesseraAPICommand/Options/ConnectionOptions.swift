// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraCommand
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraOAuth

/// The session of a call, and its server.
struct ConnectionOptions: ParsableArguments {
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

    @OptionGroup var account: AccountOptions

    /// Lets `body` make calls.
    func connect<Result: Sendable>(_ body: (Connection) async throws -> Result) async throws -> Result {
        let root = try self.root()
        let (record, shelf) = try await self.account.record()
        let insecure: Insecure = root?.scheme == "http" ? .loopbackHTTP : []
        return try await shelf.withSession(of: record, permitting: insecure) { session in
            var settings = FetchSettings.google
            settings.backoff = Backoff(deadline: self.retryDeadline.duration)
            let fetcher = AuthorizedFetcher(
                try Self.source(session, to: root),
                transport: session.transport,
                settings: settings
            )
            let connection = Connection(
                account: session.account,
                fetcher: fetcher,
                settings: APISettings(rootURL: self.rootURL)
            )
            do { return try await body(connection) } catch let error as UnauthorizedOriginError {
                throw Self.refusal(error.origin)
            }
        }
    }

    /// The session itself where its token goes there anyway, so that its grant is looked at before a call.
    private static func source(_ session: OAuthSession, to root: Root?) throws -> any AccessTokenSource {
        guard let root,
            !session.authorizedOrigins.contains(where: { $0.contains(scheme: root.scheme, authority: root.authority) })
        else { return session }
        let origin = try OriginPattern("\(root.scheme)://\(root.authority)")
        guard root.isLoopback else { throw Self.refusal(origin.description) }
        return WidenedSource(session, more: [origin])
    }

    /// These commands have no `--allow-origin`.
    private static func refusal(_ origin: String) -> CommandError {
        CommandError(
            "originRefused",
            "This session's token may not be sent to \(origin)",
            "If you trust it, sign in again with 'tessera login --allow-origin \(origin)'."
        )
    }

    /// Where `--root-url` leads.
    private struct Root {
        let scheme: String
        let authority: String
        let isLoopback: Bool

        /// Nil for what must not receive a token.
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

    private func root() throws -> Root? {
        guard let rootURL else { return nil }
        guard let root = Root(rootURL) else {
            throw CommandError.usage(
                "--root-url: \(rootURL) must not receive a token",
                "Write https://host/. Plain http is allowed for loopback addresses only."
            )
        }
        return root
    }
}

/// The account of the calls, and their server.
struct Connection: Sendable {
    let account: Account
    let fetcher: AuthorizedFetcher
    let settings: APISettings

    /// A client of an API.
    func client<Client: APIClient>(_ type: Client.Type = Client.self) -> Client {
        Client(fetcher: self.fetcher, settings: self.settings)
    }
}

extension AsyncSequence {
    /// The first elements; a note says that there are more.
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
