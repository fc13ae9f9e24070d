// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJOSE
internal import TesseraJSON
public import TesseraOAuth
internal import TesseraSupport

/// A Google-like provider on this machine, with a small Drive and a small Gmail: for demos, offline work and tests.
///
/// It is a real server with real checks, and with no real security: whoever reaches its port signs in as anybody it
/// knows. So it listens on a loopback address unless told otherwise, and answers no request that names another host.
///
/// ```swift
/// let provider = try await LocalProvider.start()
/// print(provider.issuer)          // http://127.0.0.1:49712
/// await provider.stop()
/// ```
@available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
public final class LocalProvider: Sendable {
    /// Where the provider is reached, without a slash at the end.
    public let baseURL: String
    /// The authority's certificate in PEM when the provider serves https.
    public let certificateAuthorityPEM: String?
    /// The file in which that certificate is, as ``LocalProviderOptions/certificateAuthorityFile`` named it.
    public let certificateAuthorityFile: String?
    /// The port that the provider listens at.
    public let port: Int
    /// The address and the port that the provider listens at, such as `127.0.0.1:49712` or `[::]:49712`.
    public let address: String

    let options: LocalProviderOptions
    private let service: ProviderService
    private let server: ProviderServer

    private init(options: LocalProviderOptions, service: ProviderService, server: ProviderServer) {
        self.options = options
        self.service = service
        self.server = server
        self.port = server.port
        self.address = server.address
        self.baseURL = service.withState { $0.baseURL }
        self.certificateAuthorityPEM = server.certificateAuthorityPEM
        self.certificateAuthorityFile = options.tls ? options.certificateAuthorityFile : nil
    }

    /// Starts a provider and returns when it listens.
    ///
    /// - Throws: ``LocalProviderError`` when an option cannot be used, the data directory cannot be read, or the port
    ///   is taken.
    public static func start(_ options: LocalProviderOptions = LocalProviderOptions()) async throws -> LocalProvider {
        try options.validate()
        let service = try ProviderService(options: options)
        let server = try await ProviderServer.start(options: options, service: service)
        return LocalProvider(options: options, service: service, server: server)
    }

    /// Stops listening, closes every connection and returns when all is closed.
    ///
    /// Calling it again does nothing.
    public func stop() async { await self.server.stop() }

    /// The issuer: the same text as ``baseURL``.
    public var issuer: String { self.baseURL }
    /// The identifier of the first registered client.
    public var clientID: String { self.options.clients.first?.id ?? "" }
    /// The secret of the first registered client.
    public var clientSecret: String { self.options.clients.first?.secret ?? "" }

    /// The switches for tests, as they are now; a fault that was used is gone from the list.
    public var behaviour: LocalProviderOptions.Behaviour { self.service.withState { $0.behaviour } }

    /// Changes the switches for tests, in one step: no request sees half of the change.
    public func change(_ body: (inout LocalProviderOptions.Behaviour) -> Void) {
        self.service.withState { body(&$0.behaviour) }
    }

    /// How many requests the token endpoint received, refused ones included.
    public var tokenRequestCount: Int { self.service.withState { $0.tokenRequestCount } }
    /// How many of them were refreshes.
    public var refreshRequestCount: Int { self.service.withState { $0.refreshRequestCount } }

    /// Signs with a new key from now on.
    ///
    /// The old one stays published for two hours, or goes at once.
    public func rotateSigningKeys(keepingOld: Bool = true) throws {
        let key = try JWSSigningKey.generate(self.options.signingAlgorithm)
        let now = self.service.now()
        self.service.withState { $0.keys.rotate(to: key, at: now, keepingOld: keepingOld) }
    }

    /// Ends every access token; refresh tokens stay good.
    public func expireAccessTokens() { self.service.withState { $0.accessTokens.expireAll() } }

    /// Makes every sign-in older by that many seconds, as if it had been made and used so much earlier: what ends by time
    /// may end by it.
    public func ageGrants(by seconds: Int) { self.service.withState { $0.ageGrants(by: Int64(seconds)) } }

    /// Ends every token and forgets every consent, as if each person had removed every app.
    public func revokeAll() { self.service.withState { $0.revokeAll() } }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
extension LocalProvider {
    /// The first client as Google's console hands it out: the content of a `client_secret.json` whose addresses are
    /// this provider's.
    ///
    /// It holds the client's secret.
    public var clientSecretFile: String {
        guard let client = self.options.clients.first else { return "{}" }
        let list: ([String]) -> JSONNode = { .array($0.map(JSONNode.string)) }
        let redirectURIs = client.redirectURIs.isEmpty ? ["http://localhost"] : client.redirectURIs
        let members: JSONNode = [
            "client_id": .string(client.id),
            "project_id": "tessera-local-provider",
            "auth_uri": .string(self.baseURL + "/o/oauth2/auth"),
            "token_uri": .string(self.baseURL + "/token"),
            "auth_provider_x509_cert_url": .string(self.baseURL + "/oauth2/v1/certs"),
            "client_secret": .string(client.secret),
            "redirect_uris": list(redirectURIs),
        ]
        return JSONNode.object([JSONMember(name: client.kind.rawValue, value: members)]).text(pretty: true) + "\n"
    }
}

/// The provider could not be started.
public struct LocalProviderError: ErrorGuidance, Sendable, Hashable {
    /// What went wrong.
    public enum Code: String, Sendable, Hashable {
        /// An option has a value that cannot be used.
        case invalidOption
        /// The data directory is not there, is no directory, or cannot be read.
        case dataDirectory
        /// The address cannot be listened at: the port is taken, or the host is not this machine.
        case cannotListen
        /// The certificate could not be made or written.
        case certificate
    }

    /// What went wrong.
    public let code: Code
    /// One sentence: what happened and what to do.
    public let description: String

    /// An instruction for the developer.
    public var recoverySuggestion: String? {
        switch self.code {
        case .invalidOption: "Correct this option."
        case .dataDirectory: "Name a directory that this user can read, or leave it out."
        case .cannotListen: "Choose another port, or port 0 for a free one."
        case .certificate: "Check that the certificate's directory can be written."
        }
    }

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
#else
/// A Google-like provider for demos, offline work and tests; it needs the package trait `LocalProvider`.
@available(*, unavailable, message: "Enable the package trait LocalProvider")
public enum LocalProvider {}

/// How a local provider is set up; it needs the package trait `LocalProvider`.
@available(*, unavailable, message: "Enable the package trait LocalProvider")
public enum LocalProviderOptions {}
#endif
