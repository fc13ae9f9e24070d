// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraTesting
internal import Testing

@Suite("Hostile server")
struct HostileServerTests {
    @Test("Records the method, target, fields and body of a request")
    func recording() async throws {
        let server = try HostileServer.start { _ in .json("{}", status: .created) }
        defer { server.stop() }
        let reply = try await LoopbackReply.to(
            "POST /token?x=1 HTTP/1.1\r\nHost: a.example\r\nAuthorization: Basic x\r\nContent-Length: 6\r\n\r\ncode=%2B",
            port: server.port
        )
        #expect(reply.status == 201)
        #expect(reply.headers["content-type"] == "application/json")
        let request = try #require(server.requests(to: "/token").first)
        #expect(request.head.method == .post)
        #expect(request.head.headerFields[.authorization] == "Basic x")
        #expect(request.url == "http://a.example/token?x=1")
        #expect(request.text == "code=%")
        #expect(server.requests.count == 1)
    }

    @Test(
        "Sends every scripted response byte for byte",
        arguments: [
            (
                "/redirect",
                "HTTP/1.1 302 Found\r\nLocation: https://evil.example/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            ),
            ("/raw", "\u{0}nonsense"),
            ("/drip", "HTTP/1.1 200 OK\r\n\r\nabc"),
            ("/truncated", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\nhalf"),
            ("/close", ""),
            ("/other", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
        ]
    )
    func responses(path: String, expected: String) async throws {
        let server = try HostileServer.start(paths: [
            "/redirect": .redirect(to: "https://evil.example/"),
            "/raw": .raw(Array("\u{0}nonsense".utf8)),
            "/drip": .drip(Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8), size: 5, every: .microseconds(1)),
            "/truncated": .truncated("half", length: 100),
            "/close": .close,
        ])
        defer { server.stop() }
        let client = try await LoopbackConnection.open(port: server.port)
        try await client.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(String(decoding: try await client.receiveAll(), as: UTF8.self) == expected)
    }

    @Test("Ends a hanging response when the server stops")
    func hanging() async throws {
        let server = try HostileServer.start { _ in .hang(after: Array("HTTP/1.1 ".utf8)) }
        let client = try await LoopbackConnection.open(port: server.port)
        try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(String(decoding: try await client.receiveSome(), as: UTF8.self).hasPrefix("H"))
        server.stop()
        _ = try await client.receiveAll()
        await #expect(throws: LoopbackConnection.Failure.self) { try await LoopbackConnection.open(port: server.port) }
    }
}
