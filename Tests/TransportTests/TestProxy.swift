// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(NIOPosix)
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import TesseraSupport

/// A proxy on loopback for HTTP CONNECT and for SOCKS5 without authentication.
///
/// For every requested name, it connects to the requested port on loopback, because clients use no proxy for loopback
/// hosts.
final class TestProxy: Sendable {
    private let channel: any Channel
    private let record: Record

    private final class Record: Sendable {
        let targets = Mutex<[String]>([])
    }

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - credentials: `user:password`. A CONNECT without them gets status 407.
    ///   - status: The status that each CONNECT gets, or nil to connect.
    /// - Throws: An error from NIO if it cannot listen.
    init(credentials: String? = nil, status: Int? = nil) async throws {
        let record = Record()
        self.record = record
        let authorization = credentials.map { "Basic \(Data($0.utf8).base64EncodedString())" }
        self.channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Handshake(authorization: authorization, status: status) { target in
                            record.targets.withLock { $0.append(target) }
                        }
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
    }

    deinit { self.channel.close(promise: nil) }

    var address: String { "127.0.0.1:\(self.channel.localAddress?.port ?? 0)" }
    /// `host:port` of each request with the correct credentials, and `407` for each without them.
    var targets: [String] { self.record.targets.withLock { $0 } }

    /// Reads the client's request and then becomes one end of the tunnel.
    private final class Handshake: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let authorization: String?
        private let status: Int?
        private let requested: @Sendable (String) -> Void
        private var received = ByteBuffer()
        private var hasGreeted = false

        init(authorization: String?, status: Int?, _ requested: @escaping @Sendable (String) -> Void) {
            (self.authorization, self.status, self.requested) = (authorization, status, requested)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var part = self.unwrapInboundIn(data)
            self.received.writeBuffer(&part)
            guard self.received.getInteger(at: 0, as: UInt8.self) == 5 else { return self.readConnect(context) }
            self.readSOCKS(context)
        }

        private func readConnect(_ context: ChannelHandlerContext) {
            let text = String(buffer: self.received)
            guard text.hasSuffix("\r\n\r\n") else { return }
            let lines = text.split(separator: "\r\n")
            let shown = lines.lazy.compactMap { $0.wholeMatch(of: /(?i:proxy-authorization): (.*)/)?.1 }.first
            guard self.authorization == nil || shown.map(String.init) == self.authorization else {
                self.requested("407")
                let refusal = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n"
                context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: refusal)), promise: nil)
                self.received.clear()
                return
            }
            let target = String(lines[0].split(separator: " ")[1])
            if let status {
                let refusal = ByteBuffer(string: "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
                self.received.clear()
                return context.writeAndFlush(self.wrapOutboundOut(refusal), promise: nil)
            }
            self.open(target, context, accepting: ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"))
        }

        // RFC 1928: version, methods; then version, command, reserved, type 3 (name), its length, the name, the port.
        private func readSOCKS(_ context: ChannelHandlerContext) {
            if !self.hasGreeted {
                self.hasGreeted = true
                self.received.clear()
                return context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: [5, 0])), promise: nil)
            }
            guard let count = self.received.getInteger(at: 4, as: UInt8.self).map(Int.init),
                let name = self.received.getString(at: 5, length: count),
                let port = self.received.getInteger(at: 5 + count, as: UInt16.self)
            else { return }
            self.open("\(name):\(port)", context, accepting: ByteBuffer(bytes: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
        }

        private func open(_ target: String, _ context: ChannelHandlerContext, accepting response: ByteBuffer) {
            self.requested(target)
            let client = context.channel
            guard let port = target.split(separator: ":").last.flatMap({ Int($0) }) else {
                return client.close(promise: nil)
            }
            ClientBootstrap(group: context.eventLoop)
                .channelInitializer { server in
                    server.eventLoop.makeCompletedFuture {
                        try server.pipeline.syncOperations.addHandler(TunnelEnd(to: client))
                        try client.pipeline.syncOperations.addHandler(TunnelEnd(to: server))
                    }
                }
                .connect(host: "127.0.0.1", port: port)
                .whenComplete { result in
                    guard case .success = result else { return client.close(promise: nil) }
                    client.writeAndFlush(response, promise: nil)
                }
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
    }

    /// Forwards data to the other end.
    private final class TunnelEnd: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let other: any Channel

        init(to other: any Channel) { self.other = other }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.other.writeAndFlush(self.unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { self.other.close(promise: nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

#endif
