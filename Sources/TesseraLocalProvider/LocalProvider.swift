// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOHTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
public import TesseraOAuth
internal import TesseraSupport

/// A Google-like provider on this machine with a small Drive, Gmail and Calendar, for demos, offline work and tests.
///
/// This is a real server that validates requests, but it provides no security. Anyone who can connect to its port can
/// sign in with any of its accounts. For this reason, it listens on a loopback address by default and rejects requests
/// for any other host.
///
/// ```swift
/// let provider = try await LocalProvider.start()
/// print(provider.issuer)          // http://127.0.0.1:49712
/// await provider.stop()
/// ```
@available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
public final class LocalProvider: Sendable {
    /// The provider's URL, without a trailing slash.
    public let baseURL: String
    /// The certificate authority's certificate in PEM format, if the provider serves https.
    public let certificateAuthorityPEM: String?
    /// The path of the certificate file, as set in ``LocalProviderOptions/certificateAuthorityFile``.
    public let certificateAuthorityFile: String?
    /// The port on which the provider listens.
    public let port: Int
    /// The address and port on which the provider listens, such as `127.0.0.1:49712` or `[::]:49712`.
    public let address: String

    let options: LocalProviderOptions
    private let service: ProviderService
    private let listener: any Channel
    private let connections: AcceptedConnections
    private let running: Task<Void, Never>

    private init(
        _ service: ProviderService,
        host: String,
        port: Int,
        authorityPEM: String?,
        listener: any Channel,
        connections: AcceptedConnections,
        running: Task<Void, Never>
    ) {
        self.options = service.options
        self.service = service
        self.listener = listener
        self.connections = connections
        self.running = running
        self.port = port
        self.address = "\(Self.bracketed(host)):\(port)"
        self.baseURL = service.withState { $0.baseURL }
        self.certificateAuthorityPEM = authorityPEM
        self.certificateAuthorityFile = authorityPEM == nil ? nil : service.options.certificateAuthorityFile
    }

    /// Starts a provider and returns once it is listening.
    ///
    /// - Throws: ``LocalProviderError`` if an option is not valid, the data directory cannot be read, or the port is in
    ///   use.
    public static func start(_ options: LocalProviderOptions = LocalProviderOptions()) async throws -> LocalProvider {
        try options.validate()
        let service = try ProviderService(options: options)
        let router = ProviderRouter(service)
        let (addresses, listening) = AsyncStream.makeStream(of: (host: String, port: Int, listener: any Channel).self)
        let connections = AcceptedConnections()
        let (server, authorityPEM) = try Self.server(options, connections) {
            service.withState { $0.behavior.dateOffset }
        }
        let application = Application(
            responder: CallbackResponder<ProviderRequestContext> { request, context in
                do {
                    return try await router.respond(to: request, context: context)
                } catch is LostResponse {
                    try? await context.channel?.close()
                    throw CancellationError()
                }
            },
            server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port),
                serverName: nil,
                reuseAddress: options.port != 0
            ),
            onServerRunning: { channel in
                let (host, port) = (channel.localAddress?.ipAddress, channel.localAddress?.port ?? 0)
                service.withState { $0.baseURL = options.publicURL ?? Self.baseURL(options, port: port) }
                listening.yield((host ?? options.host, port, channel))
                listening.finish()
            },
            logger: Logger(label: "tessera.local-provider") { _ in SwiftLogNoOpLogHandler() }
        )
        let running = Task {
            // This ends when the task is canceled or the address cannot be used. In the latter case, the stream stays
            // empty.
            try? await application.run()
            listening.finish()
        }
        for await (host, port, listener) in addresses {
            return LocalProvider(
                service,
                host: host,
                port: port,
                authorityPEM: authorityPEM,
                listener: listener,
                connections: connections,
                running: running
            )
        }
        // If this task was canceled, the server would run forever.
        running.cancel()
        await running.value
        try Task.checkCancellation()
        throw LocalProviderError(
            .cannotListen,
            "Could not listen on \(options.host), port \(options.port): the port is in use or the address is not local. "
                + "Choose another port, or 0 for a free one."
        )
    }

    func withState<Value: Sendable>(_ body: (inout ProviderState) -> Value) -> Value { self.service.withState(body) }

    private static func baseURL(_ options: LocalProviderOptions, port: Int) -> String {
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][options.host] ?? options.host
        return "\(options.tls ? "https" : "http")://\(Self.bracketed(host.lowercased())):\(port)"
    }

    private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    /// Stops listening and closes all connections, waiting until they are closed.
    ///
    /// Calling this method again has no effect.
    public func stop() async {
        try? await self.listener.close()
        await self.connections.served()
        self.running.cancel()
        await self.running.value
    }

    /// The issuer identifier, which is the same as ``baseURL``.
    public var issuer: String { self.baseURL }
    /// The first registered client's ID.
    public var clientID: String { self.options.clients.first?.id ?? "" }
    /// The first registered client's secret.
    public var clientSecret: String { self.options.clients.first?.secret ?? "" }

    /// The current test settings.
    ///
    /// A fault is removed from its list once it has occurred.
    public var behavior: LocalProviderOptions.Behavior { self.service.withState { $0.behavior } }

    /// Changes the test settings atomically.
    public func change(_ body: (inout LocalProviderOptions.Behavior) -> Void) {
        self.service.withState { body(&$0.behavior) }
    }

    /// The number of requests to the token endpoint, including rejected ones.
    public var tokenRequestCount: Int { self.service.withState { $0.tokenRequestCount } }
    /// The number of refresh requests to the token endpoint.
    public var refreshRequestCount: Int { self.service.withState { $0.refreshRequestCount } }

    /// Generates a new signing key and uses it from now on.
    ///
    /// The previous key stays published for two hours. If `keepingOld` is false, it is removed immediately.
    public func rotateSigningKeys(keepingOld: Bool = true) throws {
        let key = try JWSSigningKey.generate(self.options.signingAlgorithm)
        let now = self.service.now()
        self.service.withState { $0.keys.rotate(to: key, at: now, keepingOld: keepingOld) }
    }

    /// Expires all access tokens.
    ///
    /// Refresh tokens stay valid.
    public func expireAccessTokens() { self.service.withState { $0.accessTokens.expireAll() } }

    /// Backdates all refresh tokens by a number of seconds, which may cause them to expire.
    public func ageRefreshTokens(by seconds: Int) { self.service.withState { $0.ageRefreshTokens(by: Int64(seconds)) } }

    /// Revokes all tokens and removes all consents, as if every user had removed every app.
    public func revokeAll() { self.service.withState { $0.revokeAll() } }

    /// The contents of a `client_secret.json` file for the first client, in the format that Google's console uses.
    ///
    /// The file contains this provider's URLs and the client secret.
    public var clientSecretFile: String {
        guard let client = self.options.clients.first else { return "{}" }
        let members = JSONNode.members([
            "client_id": client.id, "project_id": "tessera-local-provider", "auth_uri": self.baseURL + "/o/oauth2/auth",
            "token_uri": self.baseURL + "/token", "auth_provider_x509_cert_url": self.baseURL + "/oauth2/v1/certs",
            "client_secret": client.secret,
            "redirect_uris": client.redirectURIs.isEmpty ? ["http://localhost"] : client.redirectURIs,
        ])
        return JSONNode.members([client.kind.rawValue: members]).text(pretty: true) + "\n"
    }
}

/// An error that prevented a provider from starting.
public struct LocalProviderError: ErrorGuidance, Sendable, Hashable {
    /// The cause of the error.
    public enum Code: String, Sendable, Hashable {
        /// The value of an option is not valid.
        case invalidOption
        /// The data directory does not exist, is not a directory, or cannot be read.
        case dataDirectory
        /// The provider cannot listen because the port is in use or the host is not an address of this machine.
        case cannotListen
        /// The certificate could not be created or written.
        case certificate
    }

    /// The cause of the error.
    public let code: Code
    /// A description of the error and how to fix it.
    public let description: String

    /// An instruction for the developer.
    public var recoverySuggestion: String? {
        switch self.code {
        case .invalidOption: "Correct this option."
        case .dataDirectory: "Specify a directory that this user can read, or omit it."
        case .cannotListen: "Choose another port, or port 0 for a free one."
        case .certificate: "Check that the directory of the certificate file is writable."
        }
    }

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
#else
/// A Google-like provider for demos, offline work and tests, which requires the package trait `LocalProvider`.
@available(*, unavailable, message: "Enable the package trait LocalProvider")
public enum LocalProvider {}

/// The configuration of a local provider, which requires the package trait `LocalProvider`.
@available(*, unavailable, message: "Enable the package trait LocalProvider")
public enum LocalProviderOptions {}
#endif
