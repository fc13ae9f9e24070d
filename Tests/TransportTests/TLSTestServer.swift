// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(NIOSSL)
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import TesseraSupport

/// An https server on loopback that answers every connection's first bytes with an empty 200, or closes the connection if
/// they request `/close`, without an end of TLS.
final class TLSTestServer: Sendable {
    private let channel: any Channel
    private let record = Record()

    private final class Record: Sendable {
        let connections = Mutex(0)
        let received = Mutex<[String]>([])
    }

    /// A server with this certificate; given an authority, it demands of every client a certificate from there.
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
                        EmptyAnswer { text in record.received.withLock { $0.append(text) } }
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
    }

    deinit { self.channel.close(promise: nil) }

    var port: Int { self.channel.localAddress?.port ?? 0 }
    /// How many connections were accepted.
    var connections: Int { self.record.connections.withLock { $0 } }
    /// How many requests came, each in one piece.
    var requests: Int { self.record.received.withLock { $0.count } }
    /// What came, decrypted.
    var received: String { self.record.received.withLock { $0.joined() } }
}

private final class EmptyAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let arrived: @Sendable (String) -> Void

    init(_ arrived: @escaping @Sendable (String) -> Void) { self.arrived = arrived }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let text = String(buffer: self.unwrapInboundIn(data))
        self.arrived(text)
        if text.contains(" /close ") {
            // Past the TLS handler, which would wait for the client.
            let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            tls?.close(promise: nil)
            return
        }
        let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        context.writeAndFlush(self.wrapOutboundOut(answer), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
#endif
