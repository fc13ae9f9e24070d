// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if os(Linux) && canImport(NIOPosix)
internal import HTTPTypes
internal import TesseraCurl
internal import TesseraOAuth
internal import Testing

@Suite("Persistent connections closed during a request, with libcurl")
struct CurlRedeliveryTests {
    @Test(
        "Sends an unsafe request only once and reports its failure",
        arguments: [HTTPRequest.Method.post, .put, .delete, HTTPRequest.Method("LOCK")].compactMap(\.self)
    )
    func once(method: HTTPRequest.Method) async throws {
        let server = try await DyingServer()
        let transport = CurlTransport(insecure: .loopbackHTTP)
        try await Self.get("/", from: server, transport)
        let error = await #expect(throws: TransportError.self) {
            _ = try await transport.send(
                HTTPRequest(method: method, scheme: "http", authority: server.authority, path: "/die"),
                body: HTTPBody("{}")
            )
        }
        #expect(error?.nothingWasSent == false)
        #expect(server.targets == ["GET /", "\(method.rawValue) /die"])
    }

    @Test(
        "Reports a delivered request as lost if the server does not accept another connection",
        arguments: [HTTPRequest.Method.get, .post]
    )
    func vanished(method: HTTPRequest.Method) async throws {
        let server = try await DyingServer()
        let transport = CurlTransport(insecure: .loopbackHTTP)
        try await Self.get("/", from: server, transport)
        let error = await #expect(throws: TransportError.self) {
            _ = try await transport.send(
                HTTPRequest(method: method, scheme: "http", authority: server.authority, path: "/vanish"),
                body: method == .post ? HTTPBody("{}") : nil
            )
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.nothingWasSent == false)
        #expect(server.targets == ["GET /", "\(method.rawValue) /vanish"])
    }

    @Test("Sends each token request over a separate connection")
    func tokenRequest() async throws {
        let server = try await DyingServer()
        let transport = CurlTransport(insecure: .loopbackHTTP)
        try await Self.get("/", from: server, transport)
        let error = await #expect(throws: TransportError.self) {
            try await Self.requestToken("/die", server, transport)
        }
        #expect(error?.nothingWasSent == false)
        #expect(server.targets == ["GET /", "POST /die"])
        #expect(server.connections == 2)
        for _ in 1...2 { try await Self.requestToken("/", server, transport) }
        #expect(server.connections == 4)
        try await Self.get("/", from: server, transport)
        #expect(server.connections == 4)
    }

    @Test("Sends a safe request again")
    func idempotent() async throws {
        let server = try await DyingServer()
        let transport = CurlTransport(insecure: .loopbackHTTP)
        try await Self.get("/", from: server, transport)
        await #expect(throws: TransportError.self) { try await Self.get("/die", from: server, transport) }
        #expect(server.targets == ["GET /", "GET /die", "GET /die"])
    }

    @Test("Does not send a streamed body again if libcurl cannot rewind it")
    func streamed() async throws {
        let server = try await DyingServer()
        let transport = CurlTransport(insecure: .loopbackHTTP)
        try await Self.get("/", from: server, transport)
        let body = HTTPBody(length: 2, isReplayable: true) {
            var parts = [Array("{}".utf8)][...]
            return { parts.popFirst() }
        }
        await #expect(throws: TransportError.self) {
            _ = try await transport.send(
                HTTPRequest(method: .put, scheme: "http", authority: server.authority, path: "/die"),
                body: body
            )
        }
        #expect(server.targets == ["GET /", "PUT /die"])
    }

    private static func get(_ path: String, from server: DyingServer, _ transport: CurlTransport) async throws {
        let request = HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: path)
        let (_, body) = try await transport.send(request, body: nil)
        #expect(try await body.collect(upTo: 2) == Array("ok".utf8))
    }

    private static func requestToken(_ path: String, _ server: DyingServer, _ transport: CurlTransport) async throws {
        let request = HTTPRequest(
            method: .post,
            scheme: "http",
            authority: server.authority,
            path: path,
            headerFields: [.contentType: "application/x-www-form-urlencoded"]
        )
        _ = try await transport.send(request, body: HTTPBody("grant_type=refresh_token"))
    }
}
#endif
