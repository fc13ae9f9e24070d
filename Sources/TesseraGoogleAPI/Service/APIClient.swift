// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
// Callers use these modules' types for requests, bodies and JSON.
@_exported public import TesseraFetch
@_exported public import TesseraJSON
public import TesseraGoogle
public import TesseraOAuth

/// A client for one version of an API, such as the generated `DriveV3`.
public protocol APIClient: Sendable {
    /// The API's endpoint.
    static var endpoint: APIEndpoint { get }
    /// The service that sends the client's calls.
    var service: APIService { get }
    /// Creates a client that uses a service.
    init(_ service: APIService)
}

extension APIClient {
    /// Creates a client that uses a session's tokens and the transport it signed in with.
    public init(session: OAuthSession, settings: APISettings = APISettings()) {
        self.init(fetcher: session.fetcher, settings: settings)
    }

    /// Creates a client that uses credentials without a user, and their transport.
    ///
    /// The settings' quota project and API key take precedence over those of the credentials. The client uses the
    /// universe that the credentials' options name. A call fails before a token is requested if the credentials belong
    /// to another universe.
    public init(credentials: GoogleCredentials, settings: APISettings = APISettings()) {
        var settings = settings
        settings.quotaProject = settings.quotaProject ?? credentials.quotaProject
        settings.apiKey = settings.apiKey ?? credentials.apiKey
        if settings.universeDomain == APISettings.defaultUniverseDomain {
            settings.universeDomain = credentials.namedUniverse
        }
        let isAnonymous = [.apiKey, .anonymous].contains(credentials.kind)
        let source: any AccessTokenSource =
            isAnonymous ? NoTokenSource(authorizedOrigins: credentials.authorizedOrigins) : credentials
        self.init(fetcher: AuthorizedFetcher(source, runtime: credentials.runtime), settings: settings)
    }

    /// Creates a client that gets its tokens from any source.
    public init(
        _ source: any AccessTokenSource,
        transport: any HTTPTransport,
        settings: APISettings = APISettings()
    ) {
        self.init(fetcher: AuthorizedFetcher(source, transport: transport), settings: settings)
    }

    /// Creates a client with a custom fetcher, adding Google's errors and retry rules.
    ///
    /// ``GoogleRetryPolicy`` replaces `StandardRetryPolicy` but not a custom retry policy.
    public init(fetcher: AuthorizedFetcher, settings: APISettings = APISettings()) {
        self.init(APIService(Self.endpoint, fetcher: fetcher, settings: settings))
    }

    /// Creates a client that uses only an API key, for APIs that do not require a user.
    ///
    /// - Throws: `InvalidRequestError` if the root URL is not an origin.
    public init(apiKey: Secret, transport: any HTTPTransport, settings: APISettings = APISettings()) throws {
        var settings = settings
        settings.apiKey = apiKey
        let root = settings.rootURL ?? "https://*.\(settings.universeDomain)"
        self.init(NoTokenSource(authorizedOrigins: [try OriginPattern(root)]), transport: transport, settings: settings)
    }
}

/// The token source for a client that has only an API key.
///
/// Its calls are sent without a token.
struct NoTokenSource: AccessTokenSource {
    let authorizedOrigins: [OriginPattern]

    func accessToken() async throws -> AccessToken {
        throw InvalidRequestError("session", reason: "this API client uses only an API key and has no signed-in user")
    }

    func replacement(forRejected token: AccessToken) async throws -> AccessToken { token }
}

/// An API's endpoint.
public struct APIEndpoint: Sendable, Hashable {
    /// The name of the API, such as `drive`.
    public let name: String
    /// The API's version, such as `v3`.
    public let version: String
    /// The root URL, such as `https://www.googleapis.com/`.
    public let rootURL: String
    /// The path of the service, such as `drive/v3/`, or an empty string if the methods' paths include it.
    public let servicePath: String
    /// The path for batch requests, such as `batch/drive/v3`.
    public let batchPath: String
    /// The maximum number of calls in a batch request.
    public let batchLimit: Int
    /// Whether responses are wrapped in a `data` member.
    public let isDataWrapped: Bool

    /// Creates an endpoint.
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
