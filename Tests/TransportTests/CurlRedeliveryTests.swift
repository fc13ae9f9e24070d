// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if os(Linux) && canImport(NIOPosix)
internal import HTTPTypes
internal import TesseraCurl
internal import TesseraOAuth
internal import Testing

@Suite("A kept connection that dies under a request, with libcurl")
struct CurlRedeliveryTests {
    @Test(
        "A request whose method is not safe arrives once, and fails",
        arguments: [HTTPRequest.Method.post, .put, .delete, HTTPRequest.Method("LOCK")].compactMap(\.self)
    )
    func once(method: HTTPRequest.Method) async throws {
        let server = try await DyingServer()
        let transport = CurlTransport(permitting: .loopbackHTTP)
        try await Self.get("/", from: server, transport)
        await #expect(throws: TransportError.self) {
            _ = try await transport.send(
                HTTPRequest(method: method, scheme: "http", authority: server.authority, path: "/die"),
                body: HTTPBody("{}")
            )
        }
        #expect(server.targets == ["GET /", "\(method.rawValue) /die"])
    }

    @Test("A request for a token has a connection of its own, before and after")
    func tokenRequest() async throws {
        let server = try await DyingServer()
        let transport = CurlTransport(permitting: .loopbackHTTP)
        try await Self.get("/", from: server, transport)
        await #expect(throws: TransportError.self) { try await Self.askForToken("/die", server, transport) }
        #expect(server.targets == ["GET /", "POST /die"])
        #expect(server.connections == 2)
        for _ in 1...2 { try await Self.askForToken("/", server, transport) }
        #expect(server.connections == 4)
        try await Self.get("/", from: server, transport)
        #expect(server.connections == 4)
    }

    @Test("A request with a safe method may arrive again")
    func idempotent() async throws {
        let server = try await DyingServer()
        let transport = CurlTransport(permitting: .loopbackHTTP)
        try await Self.get("/", from: server, transport)
        await #expect(throws: TransportError.self) { try await Self.get("/die", from: server, transport) }
        #expect(server.targets == ["GET /", "GET /die", "GET /die"])
    }

    @Test("A streamed body that libcurl cannot read from the start is not sent again")
    func streamed() async throws {
        let server = try await DyingServer()
        let transport = CurlTransport(permitting: .loopbackHTTP)
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

    private static func askForToken(_ path: String, _ server: DyingServer, _ transport: CurlTransport) async throws {
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
