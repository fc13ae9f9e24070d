// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(NIOSSL)
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import TesseraSupport

/// An HTTPS server on loopback that reads and writes HTTP/2 frames, so that it can behave as no library would permit.
///
/// It does not read the fields of requests. It also responds to clients that select HTTP/1.1.
final class FrameServer: Sendable {
    /// A complete request.
    struct Request: Sendable {
        /// The number of the request on this server, starting with 1.
        let number: Int
        /// The stream identifier, which is odd, or nil for HTTP/1.1.
        let stream: UInt32?
        let body: [UInt8]

        var isHTTP2: Bool { self.stream != nil }
    }

    enum Response: Sendable {
        case respond([UInt8])
        /// Holds the response back.
        case hold
        /// Responds to this request and to all that were held back.
        case respondToAll
        case closeConnection
        /// Sends `RST_STREAM` with `REFUSED_STREAM`.
        case refuse
        /// Sends `GOAWAY` with the previous stream as the last one, as if this request had not been read.
        case goAway
        /// Sends the head of a response, half of its body, and `RST_STREAM` with `INTERNAL_ERROR`.
        case respondByHalf
    }

    private let channel: any Channel
    private let record: Record

    private final class Record: Sendable {
        let requests = Mutex<[Request]>([])
        let connections = Mutex(0)
        let resets = Mutex(0)

        func add(_ stream: UInt32?, _ body: [UInt8]) -> Request {
            self.requests.withLock {
                $0.append(Request(number: $0.count + 1, stream: stream, body: body))
                return $0[$0.count - 1]
            }
        }
    }

    init(_ identity: TestIdentity, _ script: @escaping @Sendable (Request) -> Response) async throws {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: Array(identity.certificate.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.key.utf8), format: .pem))
        )
        configuration.applicationProtocols = ["h2", "http/1.1"]
        let context = try NIOSSLContext(configuration: configuration)
        let record = Record()
        self.record = record
        self.channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                record.connections.withLock { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.addHandler(Frames(record, script))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
    }

    deinit { self.channel.close(promise: nil) }

    var authority: String { "localhost:\(self.channel.localAddress?.port ?? 0)" }
    var requests: [Request] { self.record.requests.withLock { $0 } }
    var connections: Int { self.record.connections.withLock { $0 } }
    /// The number of streams that clients reset before the response.
    var resets: Int { self.record.resets.withLock { $0 } }

    // RFC 9113, sections 4 and 6.
    private final class Frames: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private enum Kind {
            static let (data, headers, reset, settings, ping, goAway, window):
                (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 1, 3, 4, 6, 7, 8)
        }
        private static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

        private let record: Record
        private let script: @Sendable (Request) -> Response
        private var received = ByteBuffer()
        private var isHTTP2: Bool?
        private var bodies: [UInt32: [UInt8]] = [:]
        private var held: [UInt32] = []

        init(_ record: Record, _ script: @escaping @Sendable (Request) -> Response) {
            (self.record, self.script) = (record, script)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var part = self.unwrapInboundIn(data)
            self.received.writeBuffer(&part)
            if self.isHTTP2 == nil {
                guard self.received.readableBytes >= Self.preface.utf8.count else { return }
                let start = self.received.getString(at: self.received.readerIndex, length: Self.preface.utf8.count)
                self.isHTTP2 = start == Self.preface
                if start == Self.preface {
                    self.received.moveReaderIndex(forwardBy: Self.preface.utf8.count)
                    self.send(Kind.settings, 0, 0, [], context)
                }
            }
            if self.isHTTP2 == true { self.readFrames(context) } else { self.readMessage(context) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func readFrames(_ context: ChannelHandlerContext) {
            let buffer = self.received
            var start = buffer.readerIndex
            defer { self.received.moveReaderIndex(to: start) }
            while let first = buffer.getInteger(at: start, as: UInt32.self), buffer.writerIndex - start >= 9,
                let flags = buffer.getInteger(at: start + 4, as: UInt8.self),
                let stream = buffer.getInteger(at: start + 5, as: UInt32.self),
                let content = buffer.getBytes(at: start + 9, length: Int(first >> 8))
            {
                start += 9 + content.count
                self.take(UInt8(first & 0xFF), flags, stream, content, context)
            }
        }

        private func take(
            _ kind: UInt8,
            _ flags: UInt8,
            _ stream: UInt32,
            _ content: [UInt8],
            _ context: ChannelHandlerContext
        ) {
            switch kind {
            case Kind.settings where flags & 1 == 0: self.send(Kind.settings, 1, 0, [], context)
            case Kind.ping where flags & 1 == 0: self.send(Kind.ping, 1, 0, content, context)
            case Kind.reset:
                // Some clients also reset streams whose response they have received.
                guard let index = self.held.firstIndex(of: stream) else { break }
                self.held.remove(at: index)
                self.record.resets.withLock { $0 += 1 }
            case Kind.headers, Kind.data:
                if kind == Kind.data, !content.isEmpty {
                    self.bodies[stream, default: []] += content
                    let count = Self.bytes(UInt32(content.count))
                    for stream in [0, stream] { self.send(Kind.window, 0, stream, count, context) }
                }
                if flags & 1 != 0 { self.arrived(stream, self.bodies.removeValue(forKey: stream) ?? [], context) }
            default: break
            }
        }

        private func arrived(_ stream: UInt32, _ body: [UInt8], _ context: ChannelHandlerContext) {
            switch self.script(self.record.add(stream, body)) {
            case .respond(let body): self.respond(body, stream, context)
            case .hold: self.held.append(stream)
            case .respondToAll:
                for stream in self.held + [stream] { self.respond(Array("ok".utf8), stream, context) }
                self.held = []
            case .closeConnection: context.close(promise: nil)
            case .refuse: self.send(Kind.reset, 0, stream, Self.bytes(7), context)
            case .goAway:
                self.send(Kind.goAway, 0, 0, Self.bytes(stream > 2 ? stream - 2 : 0) + Self.bytes(0), context)
            case .respondByHalf:
                self.send(Kind.headers, 4, stream, [0x88], context)
                self.send(Kind.data, 0, stream, Array("half".utf8), context)
                self.send(Kind.reset, 0, stream, Self.bytes(2), context)
            }
        }

        // `:status: 200` is the eighth entry of HPACK's static table. Bodies fit into the first flow-control window.
        private func respond(_ body: [UInt8], _ stream: UInt32, _ context: ChannelHandlerContext) {
            self.send(Kind.headers, 4, stream, [0x88], context)
            for start in stride(from: 0, to: body.count, by: 16_384) {
                self.send(Kind.data, 0, stream, Array(body[start..<min(start + 16_384, body.count)]), context)
            }
            self.send(Kind.data, 1, stream, [], context)
        }

        private func send(
            _ kind: UInt8,
            _ flags: UInt8,
            _ stream: UInt32,
            _ content: [UInt8],
            _ context: ChannelHandlerContext
        ) {
            let head = Self.bytes(UInt32(content.count) << 8 | UInt32(kind)) + [flags] + Self.bytes(stream)
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: head + content)), promise: nil)
        }

        private static func bytes(_ number: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }

        // Reads an HTTP/1.1 request whose body arrives together with its head.
        private func readMessage(_ context: ChannelHandlerContext) {
            let text = String(buffer: self.received)
            guard let end = text.firstRange(of: "\r\n\r\n") else { return }
            let length = text.firstMatch(of: /(?i:content-length): (\d+)/).flatMap { Int($0.1) } ?? 0
            let body = Array(text[end.upperBound...].utf8)
            guard body.count >= length else { return }
            self.received.clear()
            guard case .respond(let response) = self.script(self.record.add(nil, body)) else {
                return context.close(promise: nil)
            }
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(response.count)\r\n\r\n"
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: head.utf8 + response)), promise: nil)
        }
    }
}
#endif
