// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(NIOSSL)
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import TesseraSupport

/// An https server on loopback that answers every connection's first bytes with an empty 200.
final class TLSTestServer: Sendable {
    private let channel: any Channel
    private let record = Record()

    private final class Record: Sendable {
        let requests = Mutex(0)
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
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.addHandler(EmptyAnswer { record.requests.withLock { $0 += 1 } })
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
    }

    deinit { self.channel.close(promise: nil) }

    var port: Int { self.channel.localAddress?.port ?? 0 }
    /// How many requests came.
    var requests: Int { self.record.requests.withLock { $0 } }
}

private final class EmptyAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let arrived: @Sendable () -> Void

    init(_ arrived: @escaping @Sendable () -> Void) { self.arrived = arrived }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.arrived()
        let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        context.writeAndFlush(self.wrapOutboundOut(answer), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
#endif
