// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(NIOSSL)
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import TesseraSupport

/// An HTTPS server on loopback that responds to every request with an empty 200.
///
/// After a request for `/close`, it closes the connection without ending TLS.
final class TLSTestServer: Sendable {
    private let channel: any Channel
    private let record = Record()

    private final class Record: Sendable {
        let connections = Mutex(0)
        let received = Mutex<[String]>([])
    }

    /// Starts a server with this certificate.
    ///
    /// If `clientAuthority` is not nil, every client needs a certificate from this authority.
    init(_ identity: TestIdentity, clientAuthority: TestIdentity.Authority? = nil) async throws {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: Array(identity.certificate.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.key.utf8), format: .pem))
        )
        if let clientAuthority {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates([
                try NIOSSLCertificate(bytes: Array(clientAuthority.pem.utf8), format: .pem)
            ])
        }
        let context = try NIOSSLContext(configuration: configuration)
        let record = self.record
        self.channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                record.connections.withLock { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.addHandler(
                        EmptyResponse { text in record.received.withLock { $0.append(text) } }
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
    }

    deinit { self.channel.close(promise: nil) }

    var port: Int { self.channel.localAddress?.port ?? 0 }
    /// The number of accepted connections.
    var connections: Int { self.record.connections.withLock { $0 } }
    /// The number of requests.
    var requests: Int { self.record.received.withLock { $0.count } }
    /// The decrypted data that was received.
    var received: String { self.record.received.withLock { $0.joined() } }
}

private final class EmptyResponse: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let arrived: @Sendable (String) -> Void
    /// The beginning of a request whose head is not complete.
    private var beginning = ""

    init(_ arrived: @escaping @Sendable (String) -> Void) { self.arrived = arrived }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.beginning += String(buffer: self.unwrapInboundIn(data))
        guard self.beginning.contains("\r\n\r\n") else { return }
        let text = self.beginning
        self.beginning = ""
        self.arrived(text)
        if text.contains(" /close ") {
            // Bypasses the TLS handler, which would wait for the client.
            let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            tls?.close(promise: nil)
            return
        }
        let response = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        context.writeAndFlush(self.wrapOutboundOut(response), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
#endif
