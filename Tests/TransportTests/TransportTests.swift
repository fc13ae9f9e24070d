// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(AsyncHTTPClient) || os(Linux)
internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Transports for servers and Linux")
struct TransportTests {
    @Test(
        "Satisfies the transport contract",
        .covers(5, 7, 15, 60, 120),
        .timeLimit(.minutes(1)),
        arguments: TestedTransport.allCases,
        HTTPTransportContract.checks
    )
    func contract(tested: TestedTransport, check: HTTPTransportContract.Check) async throws {
        try await tested.contract.verify(check)
    }

    @Test(
        "Releases an unused transport, and one that was not shut down",
        arguments: TestedTransport.allCases
    )
    func release(_ tested: TestedTransport) async throws {
        _ = tested.make()
        let server = try Self.server()
        _ = try await tested.make(insecure: .loopbackHTTP).send(Self.request(to: server), body: nil)
    }

    @Test("Reads a body after its transport was released", arguments: TestedTransport.allCases)
    func bodyOutlivesTransport(_ tested: TestedTransport) async throws {
        let server = try Self.server()
        var transport: (any TestableTransport)? = tested.make(insecure: .loopbackHTTP)
        let body = try #require(try await transport?.send(Self.request(to: server), body: nil).1)
        transport = nil
        #expect(try await body.collect(upTo: 1 << 20) == Array(repeating: 7, count: 1 << 20))
    }

    @Test(
        "Opens new connections after a shutdown, and can be shut down twice",
        arguments: TestedTransport.allCases
    )
    func shutdown(_ tested: TestedTransport) async throws {
        let server = try Self.server()
        let transport = tested.make(insecure: .loopbackHTTP)
        for _ in 1...2 {
            let (_, body) = try await transport.send(Self.request(to: server), body: nil)
            #expect(try await body.collect(upTo: 1 << 20).count == 1 << 20)
            await transport.shutdown()
            await transport.shutdown()
        }
    }

    @Test(
        "Returns the fields of each response, regardless of earlier responses",
        arguments: TestedTransport.allCases
    )
    func fieldsOfEachResponse(_ tested: TestedTransport) async throws {
        let server = try LoopbackServer.start(on: .ipv4) { request in
            let pairs = request.path.dropFirst().split(separator: ",").map { $0.split(separator: "=") }
            return LoopbackResponse(status: 200, headers: pairs.map { (name: String($0[0]), value: String($0[1])) })
        }
        let transport = tested.make(insecure: .loopbackHTTP)
        for path in [
            "/a=1,b=2", "/a=1,b=3", "/a=1,b=3", "/b=3,a=1", "/a=1,c=3", "/a=1,a=2", "/a=2,a=1", "/b=1", "/B=1",
        ] {
            var request = Self.request(to: server)
            request.path = path
            let (response, _) = try await transport.send(request, body: nil)
            let fields = response.headerFields.filter { $0.name.rawName.utf8.count == 1 }
            #expect("/" + fields.map { "\($0.name.rawName)=\($0.value)" }.joined(separator: ",") == path)
        }
    }

    @Test("Distinguishes fields that differ only in Unicode composition", arguments: TestedTransport.allCases)
    func composedFields(_ tested: TestedTransport) async throws {
        let server = try LoopbackServer.start(on: .ipv4) { request in
            LoopbackResponse(status: 200, headers: [("x", request.path == "/1" ? "\u{E9}" : "e\u{301}")])
        }
        let transport = tested.make(insecure: .loopbackHTTP)
        let name = try #require(HTTPField.Name("x"))
        for (path, value) in [("/1", "\u{E9}"), ("/2", "e\u{301}"), ("/1", "\u{E9}")] {
            var request = Self.request(to: server)
            request.path = path
            let (response, _) = try await transport.send(request, body: nil)
            #expect(response.headerFields[name]?.unicodeScalars.elementsEqual(value.unicodeScalars) == true)
        }
    }

    @Test(
        "Returns the status and body of each response, regardless of earlier responses",
        arguments: TestedTransport.allCases
    )
    func statusOfEachResponse(_ tested: TestedTransport) async throws {
        let server = try LoopbackServer.start(on: .ipv4) { request in
            let numbers = request.path.split(separator: "/").compactMap { Int($0) }
            return LoopbackResponse(status: numbers[0], body: Array(repeating: 7, count: numbers[1]))
        }
        let transport = tested.make(insecure: .loopbackHTTP)
        let calls: [(HTTPRequest.Method, Int, Int)] = [
            (.get, 200, 3), (.get, 200, 3), (.get, 404, 3), (.head, 404, 3), (.get, 404, 3), (.get, 404, 4),
            (.get, 200, 0),
            (.get, 204, 0), (.post, 200, 3), (.head, 200, 3), (.get, 304, 0), (.get, 200, 3),
        ]
        for (method, status, count) in calls {
            var request = Self.request(to: server)
            request.method = method
            request.path = "/\(status)/\(count)"
            let (response, body) = try await transport.send(request, body: nil)
            let expected = method == .head ? 0 : count
            #expect(response.status.code == status)
            #expect(body.length == Int64(expected))
            #expect(try await body.collect(upTo: 10).count == expected)
        }
    }

    @Test(
        "Calls several servers in turn and rejects an insecure URL after each call",
        arguments: TestedTransport.allCases
    )
    func manyServers(_ tested: TestedTransport) async throws {
        let servers = try (0..<3)
            .map { number in
                try LoopbackServer.start(on: .ipv4) { _ in LoopbackResponse(status: 200, body: [UInt8(number)]) }
            }
        let transport = tested.make(insecure: .loopbackHTTP)
        for number in [0, 1, 1, 2, 0, 0, 2] {
            let (_, body) = try await transport.send(Self.request(to: servers[number]), body: nil)
            #expect(try await body.collect(upTo: 1) == [UInt8(number)])
            await #expect(throws: TransportError.self) {
                _ = try await transport.send(
                    HTTPRequest(method: .get, scheme: "http", authority: "api.example", path: "/"),
                    body: nil
                )
            }
        }
    }

    private static func server() throws -> LoopbackServer {
        try LoopbackServer.start(on: .ipv4) { _ in
            LoopbackResponse(status: 200, body: Array(repeating: 7, count: 1 << 20))
        }
    }

    private static func request(to server: LoopbackServer) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: "\(server.host):\(server.port)", path: "/")
    }
}
#endif
