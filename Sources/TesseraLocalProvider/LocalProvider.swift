// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import NIOHTTPTypes
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
    private let running: Task<Void, Never>

    private init(_ service: ProviderService, host: String, port: Int, tls: LocalTLS?, running: Task<Void, Never>) {
        self.options = service.options
        self.service = service
        self.running = running
        self.port = port
        self.address = "\(Self.bracketed(host)):\(port)"
        self.baseURL = service.withState { $0.baseURL }
        self.certificateAuthorityPEM = tls?.authorityPEM
        self.certificateAuthorityFile = tls == nil ? nil : service.options.certificateAuthorityFile
    }

    /// Starts a provider and returns when it listens.
    ///
    /// - Throws: ``LocalProviderError`` when an option cannot be used, the data directory cannot be read, or the port
    ///   is taken.
    public static func start(_ options: LocalProviderOptions = LocalProviderOptions()) async throws -> LocalProvider {
        try options.validate()
        let service = try ProviderService(options: options)
        let tls = try options.tls ? LocalTLS(for: options) : nil
        let router = ProviderRouter(service)
        let (addresses, listening) = AsyncStream.makeStream(of: (host: String, port: Int).self)
        let offset: @Sendable () -> Int = { service.withState { $0.behaviour.dateOffset } }
        let application = Application(
            responder: CallbackResponder<ProviderRequestContext> { request, context in
                do {
                    return try await router.respond(to: request, context: context)
                } catch is LostResponse {
                    try? await context.channel?.close()
                    throw CancellationError()
                }
            },
            server: try tls.map {
                try .tls(
                    .http1(configuration: .init(additionalChannelHandlers: [DateOffset(offset)])),
                    tlsConfiguration: $0.configuration
                )
            } ?? .http1(configuration: .init(additionalChannelHandlers: [DateOffset(offset)])),
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port),
                serverName: nil,
                reuseAddress: options.port != 0
            ),
            onServerRunning: { channel in
                let (host, port) = (channel.localAddress?.ipAddress, channel.localAddress?.port ?? 0)
                service.withState { $0.baseURL = options.publicURL ?? Self.baseURL(options, port: port) }
                listening.yield((host ?? options.host, port))
                listening.finish()
            },
            logger: Logger(label: "tessera.local-provider") { _ in SwiftLogNoOpLogHandler() }
        )
        let running = Task {
            // Ends by cancellation, or because the address cannot be used, in which case the stream stays empty.
            try? await application.run()
            listening.finish()
        }
        for await (host, port) in addresses {
            return LocalProvider(service, host: host, port: port, tls: tls, running: running)
        }
        await running.value
        try Task.checkCancellation()
        throw LocalProviderError(
            .cannotListen,
            "Cannot listen at \(options.host), port \(options.port): the port is taken, or the host is not this "
                + "machine. Choose another port, or 0 for a free one."
        )
    }

    private static func baseURL(_ options: LocalProviderOptions, port: Int) -> String {
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][options.host] ?? options.host
        return "\(options.tls ? "https" : "http")://\(Self.bracketed(host.lowercased())):\(port)"
    }

    private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    /// Stops listening, closes every connection and returns when all is closed.
    ///
    /// Calling it again does nothing.
    public func stop() async {
        self.running.cancel()
        await self.running.value
    }

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

    /// The first client as Google's console hands it out: the content of a `client_secret.json` whose addresses are
    /// this provider's.
    ///
    /// It holds the client's secret.
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
