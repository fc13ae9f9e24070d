// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Hummingbird
internal import HummingbirdTLS
internal import Logging
internal import NIOCore

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

    /// Where the socket is bound.
    private struct Place: Sendable {
        let host: String
        let port: Int

        var text: String { self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)" }
    }

    /// Binds, tells the service its base URL, and returns when connections are accepted.
    static func start(options: LocalProviderOptions, service: ProviderService) async throws -> ProviderServer {
        let dateOffset: @Sendable () -> Int = { service.withState { $0.behaviour.dateOffset } }
        let tls = try options.tls ? LocalCertificateAuthority.make(for: options) : nil
        let (places, found) = AsyncStream.makeStream(of: Place.self)
        let application = Application(
            responder: CallbackResponder<ProviderRequestContext> { request, context in
                try await Self.response(to: request, on: context.channel, service: service)
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

    private static func response(
        to request: Request,
        on channel: any Channel,
        service: ProviderService
    ) async throws -> Response {
        let target = request.head.path ?? "/"
        let isHead = request.method == .head
        var value = EndpointRequest(
            isHead ? .get : request.method,
            target,
            authority: request.head.authority,
            headers: request.headers
        )
        do {
            if DriveService.session(value) == nil {
                let limit = ProviderService.bodyLimit(for: value.path)
                value.body = Array(try await request.body.collect(upTo: limit).readableBytesView)
            } else {
                value.upload = self.uploadBody(of: request, on: channel)
            }
        } catch is NIOTooManyBytesError {
            var refusal = EndpointResponse.text("The body is too large.", status: .contentTooLarge)
            refusal.headers[.connection] = "close"
            return Self.hummingbird(refusal, on: channel, isHead: isHead)
        }
        let response = await service.respond(to: value)
        // Until the server's end cancels it.
        if response.isHeld { try await Task.sleep(for: .seconds(86_400)) }
        if response.isLost {
            try? await channel.close()
            throw CancellationError()
        }
        return Self.hummingbird(response, on: channel, isHead: isHead)
    }

    /// The body as it arrives.
    private static func uploadBody(of request: Request, on channel: any Channel) -> UploadBody {
        let length = request.headers[.contentLength].flatMap { Int64($0) }
        let isChunked = request.headers[.transferEncoding] != nil
        let body = request.body
        return UploadBody(length: isChunked ? length : length ?? 0) { take in
            for try await buffer in body {
                guard try await take(Array(buffer.readableBytesView)) else { return }
            }
            // A connection that ends looks like the body's end; only a named length would tell.
            guard !isChunked || channel.isActive else { throw UploadBody.Broken() }
        }
    }

    private static func hummingbird(
        _ response: EndpointResponse,
        on channel: any Channel,
        isHead: Bool
    ) -> Response {
        let body: ResponseBody =
            switch response.content {
            case _ where isHead: ResponseBody()
            case .bytes(let bytes) where response.isCut: self.cutBody(bytes, after: bytes.count / 2, on: channel)
            case .bytes(let bytes) where response.cutLength != nil:
                self.cutBody(bytes, after: Int(clamping: response.cutLength ?? 0), on: channel)
            case .bytes(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            case .file(let download):
                ResponseBody(contentLength: download.length) { writer in
                    var rest = download
                    var room = response.cutLength ?? .max
                    while let chunk = try await rest.nextChunk() {
                        try await writer.write(ByteBuffer(bytes: chunk.prefix(Int(clamping: room))))
                        room -= min(room, Int64(chunk.count))
                        if room == 0 { try await self.end(channel) }
                    }
                    try await writer.finish(nil)
                }
            }
        return Response(status: response.status, headers: response.headers, body: body)
    }

    /// The body's first bytes, then the end of the connection.
    private static func cutBody(_ bytes: [UInt8], after count: Int, on channel: any Channel) -> ResponseBody {
        ResponseBody(contentLength: bytes.count) { writer in
            try await writer.write(ByteBuffer(bytes: bytes.prefix(max(0, count))))
            try await self.end(channel)
        }
    }

    /// Ends the connection when everything that was written is sent.
    private static func end(_ channel: any Channel) async throws {
        try? await channel.close(mode: .output)
        throw CancellationError()
    }
}
#endif
