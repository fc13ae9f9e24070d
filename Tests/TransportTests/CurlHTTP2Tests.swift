// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if os(Linux) && canImport(NIOSSL)
internal import HTTPTypes
@testable internal import TesseraCurl
internal import TesseraOAuth
internal import Testing

@Suite(
    "HTTP/2 with libcurl",
    .timeLimit(.minutes(1)),
    .enabled(if: CurlLibrary.loaded.hasHTTP2 && CurlLibrary.loaded.hasTrustRoots, "libcurl lacks HTTP/2 or trust roots")
)
struct CurlHTTP2Tests {
    private let authority: TestIdentity.Authority
    private let identity: TestIdentity

    init() throws {
        self.authority = try TestIdentity.Authority()
        self.identity = try self.authority.identity(for: "localhost")
    }

    @Test("Concurrent requests share one connection")
    func multiplexing() async throws {
        let server = try await FrameServer(self.identity) { $0.number < 20 ? .hold : .respondToAll }
        try await self.with(server) { transport in
            try await withThrowingTaskGroup { group in
                for _ in 1...20 { group.addTask { try await Self.get(server, transport) } }
                try await group.waitForAll()
            }
        }
        #expect(server.connections == 1)
        #expect(server.requests.count == 20)
        #expect(!server.requests.map(\.isHTTP2).contains(false))
    }

    @Test("Transfers complete bodies in both directions", arguments: [0, 1, 50_000])
    func bodies(count: Int) async throws {
        let server = try await FrameServer(self.identity) { .respond($0.body) }
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try await self.with(server) { transport in
            for body in [
                HTTPBody(bytes), Self.streamed(bytes, length: nil), Self.streamed(bytes, length: Int64(count)),
            ] {
                let (response, received) = try await transport.send(Self.request(.put, server), body: body)
                #expect(response.status == .ok)
                #expect(try await received.collect(upTo: count) == bytes)
            }
        }
        #expect(server.connections == 1)
    }

    @Test("Sends a complete body of 20 megabytes")
    func largeUpload() async throws {
        let server = try await FrameServer(self.identity) { .respond(Array("\($0.body.count)".utf8)) }
        let count = 20 << 20
        try await self.with(server) { transport in
            let body = Self.streamed(Array(repeating: 7, count: count), length: nil)
            let (_, received) = try await transport.send(Self.request(.post, server), body: body)
            #expect(try await received.collect(upTo: 20) == Array("\(count)".utf8))
        }
    }

    @Test("Canceling a request resets only its stream and leaves the connection open")
    func cancellation() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Int.self)
        let server = try await FrameServer(self.identity) { request in
            arrived.yield(request.number)
            return request.number < 4 ? .hold : .respondToAll
        }
        try await self.with(server) { transport in
            let tasks = (1...3).map { _ in Task { try await Self.get(server, transport) } }
            for await number in arrivals where number == 3 { break }
            tasks[1].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[1].value }
            try await Self.get(server, transport)
            for task in [tasks[0], tasks[2]] { try await task.value }
        }
        #expect(server.connections == 1)
        #expect(server.resets == 1)
    }

    @Test("Reports a reset response as an error and not as a shorter body")
    func reset() async throws {
        let server = try await FrameServer(self.identity) { _ in .respondByHalf }
        try await self.with(server) { transport in
            let error = await #expect(throws: TransportError.self) {
                let (_, body) = try await transport.send(Self.request(.get, server), body: nil)
                _ = try await body.collect(upTo: 100)
            }
            #expect(error?.code == .connectionLost)
        }
    }

    /// The ways in which a server can end a request so that libcurl sends it again.
    private static let ends: [FrameServer.Response] = [.closeConnection, .refuse, .goAway]

    @Test(
        "Sends an unsafe request only once over HTTP/2 and reports its failure",
        arguments: Self.ends,
        [HTTPRequest.Method.post, .put, .delete, HTTPRequest.Method("LOCK")].compactMap(\.self)
    )
    func once(end: FrameServer.Response, method: HTTPRequest.Method) async throws {
        let server = try await FrameServer(self.identity) { $0.number == 1 ? .respond(Array("ok".utf8)) : end }
        try await self.with(server) { transport in
            try await Self.get(server, transport)
            await #expect(throws: TransportError.self) {
                _ = try await transport.send(Self.request(method, server), body: HTTPBody("{}"))
            }
        }
        #expect(server.requests.map(\.body) == [[], Array("{}".utf8)])
        #expect(!server.requests.map(\.isHTTP2).contains(false))
    }

    @Test(
        "Sends a safe request again over HTTP/2",
        arguments: Self.ends,
        [HTTPRequest.Method.get, .options]
    )
    func again(end: FrameServer.Response, method: HTTPRequest.Method) async throws {
        let server = try await FrameServer(self.identity) { $0.number == 2 ? end : .respond(Array("ok".utf8)) }
        try await self.with(server) { transport in
            try await Self.get(server, transport)
            let (response, _) = try await transport.send(Self.request(method, server), body: nil)
            #expect(response.status == .ok)
        }
        #expect(server.requests.count >= 3)
    }

    @Test(
        "Safe requests succeed while a server repeatedly ends its connections",
        arguments: [1, 4, 16]
    )
    func endedConnections(inFlight: Int) async throws {
        let server = try await FrameServer(self.identity) {
            $0.stream == 99 ? .goAway : .respond(Array("ok".utf8))
        }
        try await self.with(server) { transport in
            try await withThrowingTaskGroup { group in
                for _ in 1...inFlight {
                    group.addTask { for _ in 1...20 { try await Self.get(server, transport) } }
                }
                try await group.waitForAll()
            }
        }
        #expect(server.requests.count >= 20 * inFlight)
    }

    @Test(
        "Sends a token request only once, over a separate HTTP/1.1 connection",
        arguments: Self.ends
    )
    func tokenRequest(end: FrameServer.Response) async throws {
        let server = try await FrameServer(self.identity) { $0.number == 2 ? end : .respond(Array("ok".utf8)) }
        try await self.with(server) { transport in
            try await Self.get(server, transport)
            await #expect(throws: TransportError.self) { try await Self.requestToken(server, transport) }
            #expect(server.requests.map(\.isHTTP2) == [true, false])
            try await Self.requestToken(server, transport)
            try await Self.get(server, transport)
        }
        #expect(server.requests.map(\.isHTTP2) == [true, false, false, true])
        #expect(server.connections == 3)
    }

    private func with(_ server: FrameServer, _ body: (CurlTransport) async throws -> Void) async throws {
        try await withFile(try self.authority.pem) { path in
            try await body(
                CurlTransport(additionalTrustRoots: [path], offersHTTP2: true, environment: ProcessVariables([:]))
            )
        }
    }

    private static func request(_ method: HTTPRequest.Method, _ server: FrameServer) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "https", authority: server.authority, path: "/")
    }

    private static func get(_ server: FrameServer, _ transport: CurlTransport) async throws {
        let (_, body) = try await transport.send(Self.request(.get, server), body: nil)
        #expect(try await body.collect(upTo: 2) == Array("ok".utf8))
    }

    private static func requestToken(_ server: FrameServer, _ transport: CurlTransport) async throws {
        var request = Self.request(.post, server)
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        _ = try await transport.send(request, body: HTTPBody("grant_type=refresh_token"))
    }

    private static func streamed(_ bytes: [UInt8], length: Int64?) -> HTTPBody {
        HTTPBody(length: length, isReplayable: true) {
            var rest = bytes[...]
            return {
                let part = Array(rest.prefix(10_000))
                rest = rest.dropFirst(part.count)
                return part.isEmpty ? nil : part
            }
        }
    }
}
#endif
