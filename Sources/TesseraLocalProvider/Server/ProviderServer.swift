// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import NIOHTTPTypes
internal import TesseraSupport

/// The socket: Hummingbird in front of a ``ProviderService``.
@available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
final class ProviderServer: Sendable {
    let port: Int
    let address: String
    let certificateAuthorityPEM: String?
    private let running: Task<Void, Never>

    private init(_ place: Place, certificateAuthorityPEM: String?, running: Task<Void, Never>) {
        self.port = place.port
        self.address = place.text
        self.certificateAuthorityPEM = certificateAuthorityPEM
        self.running = running
    }

    private struct Place: Sendable {
        let host: String
        let port: Int

        var text: String { self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)" }
    }

    /// Binds, tells the service its base URL, and returns when connections are accepted.
    static func start(options: LocalProviderOptions, service: ProviderService) async throws -> ProviderServer {
        let dateOffset: @Sendable () -> Int = { service.withState { $0.behaviour.dateOffset } }
        let tls = try options.tls ? LocalCertificateAuthority.make(for: options) : nil
        let router = ProviderRouter(service)
        let (places, found) = AsyncStream.makeStream(of: Place.self)
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
                    .http1(configuration: .init(additionalChannelHandlers: [DateOffset(dateOffset)])),
                    tlsConfiguration: $0.serverConfiguration
                )
            } ?? .http1(configuration: .init(additionalChannelHandlers: [DateOffset(dateOffset)])),
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port),
                serverName: nil,
                reuseAddress: options.port != 0
            ),
            onServerRunning: { channel in
                let address = channel.localAddress
                let place = Place(host: address?.ipAddress ?? options.host, port: address?.port ?? 0)
                service.withState { $0.baseURL = options.publicURL ?? Self.baseURL(options, port: place.port) }
                found.yield(place)
                found.finish()
            },
            logger: Logger(label: "tessera.local-provider") { _ in SwiftLogNoOpLogHandler() }
        )
        let running = Task {
            // It ends by cancellation, or before it began: then no port is found.
            try? await application.run()
            found.finish()
        }
        for await place in places {
            return ProviderServer(place, certificateAuthorityPEM: tls?.certificatePEM, running: running)
        }
        await running.value
        try Task.checkCancellation()
        throw LocalProviderError(
            .cannotListen,
            "Cannot listen at \(options.host), port \(options.port): the port is taken, or the host is not this "
                + "machine. Choose another port, or 0 for a free one."
        )
    }

    func stop() async {
        self.running.cancel()
        await self.running.value
    }

    static func baseURL(_ options: LocalProviderOptions, port: Int) -> String {
        let host =
            switch options.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            case let host: host.contains(":") ? "[\(host)]" : host
            }
        return "\(options.tls ? "https" : "http")://\(host.lowercased()):\(port)"
    }
}

/// Gives answers another `Date` than the server's: a test switch.
///
/// The server writes the field after everything else, so it is changed on the way out.
final class DateOffset: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let seconds: @Sendable () -> Int

    init(_ seconds: @escaping @Sendable () -> Int) { self.seconds = seconds }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = self.unwrapOutboundIn(data), self.seconds() != 0 else {
            return context.write(data, promise: promise)
        }
        let time = Date().timeIntervalSince1970 + Double(self.seconds())
        head.headerFields[.date] = HTTPDate.text(secondsSince1970: time)
        context.write(self.wrapOutboundOut(.head(head)), promise: promise)
    }
}
#endif
