// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(NIOPosix)
internal import NIOCore
internal import NIOPosix
internal import TesseraSupport

/// A loopback server with persistent connections.
///
/// It responds to `/`, closes the connection after a complete request for `/die`, and also stops listening after one
/// for `/vanish`. It responds to `/large` with ``largeCount`` bytes, and to `/slow` with a head after two seconds and a
/// body after two more. It never responds to `/hold`, and stops reading from a connection after `/stall`.
final class DyingServer: Sendable {
    private let channel: any Channel
    private let record = Record()

    static let largeCount = 32 << 20
    private static let largeBody = ByteBuffer(repeating: 7, count: DyingServer.largeCount)

    private final class Record: Sendable {
        let hasSentAll = Mutex(false)
        let targets = Mutex<[String]>([])
        let connections = Mutex(0)
    }

    init() async throws {
        let record = self.record
        self.channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                record.connections.withLock { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Handler(
                            arrived: { line in record.targets.withLock { $0.append(line) } },
                            sentAll: { record.hasSentAll.withLock { $0 = true } }
                        )
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
    }

    deinit { self.channel.close(promise: nil) }

    var authority: String { "127.0.0.1:\(self.channel.localAddress?.port ?? 0)" }
    /// The request lines, without the version, in the order of arrival.
    var targets: [String] { self.record.targets.withLock { $0 } }
    /// Whether the system accepted all bytes of `/large`.
    var hasSentAll: Bool { self.record.hasSentAll.withLock { $0 } }
    /// The number of accepted connections.
    var connections: Int { self.record.connections.withLock { $0 } }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private var received = ""
        private let arrived: @Sendable (String) -> Void
        private let sentAll: @Sendable () -> Void

        init(arrived: @escaping @Sendable (String) -> Void, sentAll: @escaping @Sendable () -> Void) {
            (self.arrived, self.sentAll) = (arrived, sentAll)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.received += String(buffer: self.unwrapInboundIn(data))
            while let end = self.received.firstRange(of: "\r\n\r\n") {
                let head = self.received[..<end.lowerBound]
                if head.contains(" /stall ") {
                    context.channel.setOption(.autoRead, value: false).whenSuccess {}
                    return self.arrived("stall")
                }
                if head.contains(" /refuse ") {
                    context.channel.setOption(.autoRead, value: false).whenSuccess {}
                    self.received = ""
                    self.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\n", after: .zero, context)
                    return self.arrived("refuse")
                }
                let lines = head.split(separator: "\r\n")
                let length =
                    lines.lazy
                    .compactMap { line -> Int? in
                        guard line.lowercased().hasPrefix("content-length:") else { return nil }
                        return Int(line.dropFirst("content-length:".count).filter { !$0.isWhitespace })
                    }
                    .first ?? 0
                guard self.received[end.upperBound...].utf8.count >= length else { return }
                let line = lines[0].split(separator: " ").prefix(2).joined(separator: " ")
                self.received = String(self.received[end.upperBound...].dropFirst(length))
                self.arrived(line)
                if line.hasSuffix(" /die") { return context.close(promise: nil) }
                if line.hasSuffix(" /vanish"), let listener = context.channel.parent {
                    let connection = context.channel
                    return listener.close().whenComplete { _ in connection.close(promise: nil) }
                }
                if line.hasSuffix(" /hold") { continue }
                if line.hasSuffix(" /slow") {
                    self.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", after: .seconds(2), context)
                    self.send("ok", after: .seconds(4), context)
                    continue
                }
                if line.hasSuffix(" /large") {
                    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(DyingServer.largeCount)\r\n\r\n"
                    let sent = context.eventLoop.makePromise(of: Void.self)
                    sent.futureResult.whenSuccess(self.sentAll)
                    context.write(self.wrapOutboundOut(ByteBuffer(string: head)), promise: nil)
                    context.writeAndFlush(self.wrapOutboundOut(DyingServer.largeBody), promise: sent)
                    continue
                }
                let response = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                context.writeAndFlush(self.wrapOutboundOut(response), promise: nil)
            }
        }

        private func send(_ text: String, after delay: TimeAmount, _ context: ChannelHandlerContext) {
            let connection = context.channel
            context.eventLoop.scheduleTask(in: delay) {
                connection.writeAndFlush(ByteBuffer(string: text), promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
#endif
