// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
// Callers of an API use requests and bodies, and JSON where the API takes it.
@_exported public import TesseraFetch
@_exported public import TesseraJSON
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
    /// Creates a client with a session's tokens, over the transport of its sign-in.
    public init(session: OAuthSession, settings: APISettings = APISettings()) {
        self.init(fetcher: session.fetcher, settings: settings)
    }

    /// Creates a client with the tokens of any source.
    public init(
        _ source: any AccessTokenSource,
        transport: any HTTPTransport,
        settings: APISettings = APISettings()
    ) {
        self.init(fetcher: AuthorizedFetcher(source, transport: transport), settings: settings)
    }

    /// Creates a client with a custom fetcher, to which Google's errors and retry rules are added.
    ///
    /// A caller-supplied retry policy stays; ``GoogleRetryPolicy`` replaces `StandardRetryPolicy` only.
    public init(fetcher: AuthorizedFetcher, settings: APISettings = APISettings()) {
        self.init(APIService(Self.endpoint, fetcher: fetcher, settings: settings))
    }

    /// Creates a client with an API key alone, for APIs that need no user.
    ///
    /// - Throws: `InvalidRequestError` for a root URL that is not an origin.
    public init(apiKey: Secret, transport: any HTTPTransport, settings: APISettings = APISettings()) throws {
        var settings = settings
        settings.apiKey = apiKey
        let root = settings.rootURL ?? "https://*.\(settings.universeDomain)"
        self.init(KeyAlone(authorizedOrigins: [try OriginPattern(root)]), transport: transport, settings: settings)
    }
}

/// The source of a client with an API key, whose calls have no token.
struct KeyAlone: AccessTokenSource {
    let authorizedOrigins: [OriginPattern]

    func accessToken() async throws -> AccessToken {
        throw InvalidRequestError("session", reason: "this API is called with a key alone; nobody has signed in")
    }

    func refused(_ token: AccessToken) async throws -> AccessToken { token }
}

/// Where an API is.
public struct APIEndpoint: Sendable, Hashable {
    /// Such as `drive`.
    public let name: String
    /// Such as `v3`.
    public let version: String
    /// Such as `https://www.googleapis.com/`.
    public let rootURL: String
    /// Such as `drive/v3/`; empty where the methods' paths have it.
    public let servicePath: String
    /// Such as `batch/drive/v3`.
    public let batchPath: String
    /// How many calls a batch may have.
    public let batchLimit: Int
    /// Whether answers stand in a member `data`.
    public let isDataWrapped: Bool

    /// An endpoint.
    public init(
        name: String,
        version: String,
        rootURL: String,
        servicePath: String,
        batchPath: String,
        batchLimit: Int = 100,
        isDataWrapped: Bool = false
    ) {
        self.name = name
        self.version = version
        self.rootURL = rootURL
        self.servicePath = servicePath
        self.batchPath = batchPath
        self.batchLimit = batchLimit
        self.isDataWrapped = isDataWrapped
    }
}
