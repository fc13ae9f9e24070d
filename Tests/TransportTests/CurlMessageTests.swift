// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if os(Linux)
internal import HTTPTypes
internal import TesseraCurl
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

private let malformed: [String] = [
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!",
    "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nok",
    "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: 1\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nnot a field\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nok",
    "HTTP/1.1 200 OK\r\n" + String(repeating: "X: 1\r\n", count: 600) + "Content-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\n" + String(repeating: "X: \(String(repeating: "x", count: 10_000))\r\n", count: 20)
        + "\r\n",
    String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 300)
        + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"
        + String(repeating: "X: 1\r\n", count: 600)
        + "\r\n",
]

private let malformedTargets: [(host: String, path: String)] =
    ["/a b", "/\r\nX: y", "/#x", "/\\x", "", "x", "/\0x", "/ä"].map { ("127.0.0.1", $0) } + [
        ("user:password@127.0.0.1", "/"), ("127.0.0.1\r\nX: y", "/"), ("127.0.0.1/x?", "/"), ("127.0.0.1#", "/"),
    ]

@Suite("Requests and responses of the libcurl transport", .timeLimit(.minutes(1)))
struct CurlMessageTests {
    @Test(
        "Rejects an ambiguous response, and one whose head is too large",
        arguments: malformed.indices
    )
    func refusedResponse(index: Int) async throws {
        let server = try HostileServer.start { _ in .raw(Array(malformed[index].utf8)) }
        defer { server.stop() }
        let transport = CurlTransport(insecure: .loopbackHTTP)
        let error = await #expect(throws: TransportError.self) {
            let (_, body) = try await transport.get(from: Self.authority(server), scheme: "http")
            _ = try await body.collect(upTo: 100)
        }
        #expect(error?.code == .invalidResponse)
        #expect(server.requests.count == 1)
    }

    @Test("Rejects a folded field, unless libcurl replaces the line break (RFC 9112, section 5.2)")
    func foldedField() async throws {
        let text = "HTTP/1.1 200 OK\r\nX: 1\r\n 2\r\nContent-Length: 2\r\n\r\nok"
        let server = try HostileServer.start { _ in .raw(Array(text.utf8)) }
        defer { server.stop() }
        let transport = CurlTransport(insecure: .loopbackHTTP)
        do {
            let (response, _) = try await transport.get(from: Self.authority(server), scheme: "http")
            #expect(response.headerFields.map(\.value) == ["1 2", "2"])
        } catch {
            #expect((error as? TransportError)?.code == .invalidResponse)
        }
    }

    @Test("Sends the caller's fields and those that HTTP requires, and no others")
    func fields() async throws {
        let server = try HostileServer.start { _ in .respond(body: []) }
        defer { server.stop() }
        let transport = CurlTransport(insecure: .loopbackHTTP)
        let authority = Self.authority(server)
        let custom = try #require(HTTPField.Name("X-Custom"))
        _ = try await transport.get("/a/../b/./c?d=../e", from: authority, scheme: "http")
        for body in [HTTPBody(Array(repeating: 7, count: 3 << 20)), Self.body(of: 300, announcing: nil)] {
            let request = HTTPRequest(
                method: .put,
                scheme: "http",
                authority: authority,
                path: "/",
                headerFields: [
                    custom: "a\r\nInjected: b", .contentLength: "5", .transferEncoding: "gzip", .accept: "",
                ]
            )
            _ = try await transport.send(request, body: body)
        }
        let requests = server.requests
        #expect(requests[0].head.path == "/a/../b/./c?d=../e")
        #expect(requests[0].head.headerFields == [try #require(HTTPField.Name("Host")): authority])
        let names = requests.map { Set($0.head.headerFields.map(\.name.canonicalName)) }
        #expect(names[1] == ["host", "accept", "x-custom", "content-length"])
        #expect(names[2] == ["host", "accept", "x-custom", "transfer-encoding"])
        #expect(requests.map(\.body.count) == [0, 3 << 20, 300])
    }

    @Test(
        "Rejects a path or host that would alter the request or contain credentials",
        arguments: malformedTargets
    )
    func refusedTarget(host: String, path: String) async throws {
        let server = try HostileServer.start { _ in .respond(body: []) }
        defer { server.stop() }
        let transport = CurlTransport(insecure: .loopbackHTTP)
        let error = await #expect(throws: TransportError.self) {
            _ = try await transport.get(path, from: "\(host):\(server.port)", scheme: "http")
        }
        #expect([.invalidURL, .insecureURL].contains(error?.code))
        #expect(server.requests.isEmpty)
    }

    @Test("Returns compressed bodies unchanged, and responses do not affect later requests")
    func responseFields() async throws {
        let server = try HostileServer.start { _ in
            .raw(
                Array(
                    """
                    HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\nSet-Cookie: a=b; Path=/\r
                    Strict-Transport-Security: max-age=99999\r\nAlt-Svc: h2=":1"\r\n\r\nraw
                    """
                    .utf8
                )
            )
        }
        defer { server.stop() }
        let transport = CurlTransport(insecure: .loopbackHTTP)
        for _ in 1...2 {
            let (_, body) = try await transport.get(from: "localhost:\(server.port)", scheme: "http")
            #expect(try await body.collect(upTo: 3) == Array("raw".utf8))
        }
        #expect(server.requests.count == 2)
        #expect(server.requests.map { $0.head.headerFields.count } == [1, 1])
    }

    @Test(
        "Fails a streamed body with a wrong length and never completes the request",
        arguments: [1, 99, 101, 400_000]
    )
    func wrongLength(count: Int) async throws {
        let server = try HostileServer.start { _ in .respond(body: []) }
        defer { server.stop() }
        let transport = CurlTransport(insecure: .loopbackHTTP)
        await #expect(throws: TransportError.self) {
            _ = try await transport.send(
                HTTPRequest(method: .put, scheme: "http", authority: Self.authority(server), path: "/"),
                body: Self.body(of: count, announcing: 100)
            )
        }
        #expect(server.requests.isEmpty)
    }

    private static func authority(_ server: HostileServer) -> String { "127.0.0.1:\(server.port)" }

    private static func body(of count: Int, announcing length: Int64?) -> HTTPBody {
        HTTPBody(length: length, isReplayable: true) {
            var rest = count
            return {
                let part = min(rest, 100)
                rest -= part
                return part == 0 ? nil : Array(repeating: 7, count: part)
            }
        }
    }
}
#endif
