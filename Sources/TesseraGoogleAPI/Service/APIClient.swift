// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraFetch
public import TesseraOAuth

/// A version of an API: what generated code begins with, such as `DriveV3`.
public protocol APIClient: Sendable {
    /// Where it is.
    static var endpoint: APIEndpoint { get }
    /// Who calls it, and how.
    var service: APIService { get }
    /// A client of a service.
    init(_ service: APIService)
}

extension APIClient {
    /// Calls with a person's session, over the network of its sign-in, by Google's rules for what is made again.
    public init(session: OAuthSession, settings: APISettings = APISettings()) {
        self.init(fetcher: session.fetcher(settings: .google), settings: settings)
    }

    /// Calls with tokens of any source.
    public init(
        _ source: any AccessTokenSource,
        transport: any HTTPTransport,
        settings: APISettings = APISettings()
    ) {
        self.init(
            fetcher: AuthorizedFetcher(source, transport: transport, settings: .google),
            settings: settings
        )
    }

    /// Calls by a fetcher of the program's own; give it ``TesseraFetch/FetchSettings/google`` for Google's rules and errors.
    public init(fetcher: AuthorizedFetcher, settings: APISettings = APISettings()) {
        self.init(APIService(Self.endpoint, fetcher: fetcher, settings: settings))
    }

    /// Calls with a key alone, where an API needs nobody to be signed in.
    ///
    /// - Throws: `InvalidRequest` for a root URL that is none.
    public init(apiKey: Secret, transport: any HTTPTransport, settings: APISettings = APISettings()) throws {
        var settings = settings
        settings.apiKey = apiKey
        let root = settings.rootURL ?? "https://*.\(settings.universeDomain)"
        self.init(KeyAlone(authorizedOrigins: [try OriginPattern(root)]), transport: transport, settings: settings)
    }
}
