// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraAsyncHTTPClient
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("The transport on async-http-client")
struct AsyncHTTPClientTransportTests {
    @Test(
        "It keeps the transport contract (5) (7) (15) (60) (120)",
        .timeLimit(.minutes(1)),
        arguments: HTTPTransportContract.checks
    )
    func contract(check: HTTPTransportContract.Check) async throws {
        try await HTTPTransportContract { AsyncHTTPClientTransport(permitting: $0, timeouts: $1) }.verify(check)
    }

    @Test("A transport that was never used, or used and never shut down, can be released")
    func release() async throws {
        _ = AsyncHTTPClientTransport()
        let server = try Self.server()
        _ = try await AsyncHTTPClientTransport(permitting: .loopbackHTTP).send(Self.request(to: server), body: nil)
    }

    @Test("A body can be read after its transport was released")
    func bodyOutlivesTransport() async throws {
        let server = try Self.server()
        var transport: AsyncHTTPClientTransport? = AsyncHTTPClientTransport(permitting: .loopbackHTTP)
        let body = try #require(try await transport?.send(Self.request(to: server), body: nil).1)
        transport = nil
        #expect(try await body.collect(upTo: 1 << 20) == Array(repeating: 7, count: 1 << 20))
    }

    @Test("After a shutdown the next request opens new connections, and shutting down twice is no error")
    func shutdown() async throws {
        let server = try Self.server()
        let transport = AsyncHTTPClientTransport(permitting: .loopbackHTTP)
        for _ in 1...2 {
            let (_, body) = try await transport.send(Self.request(to: server), body: nil)
            #expect(try await body.collect(upTo: 1 << 20).count == 1 << 20)
            await transport.shutdown()
            await transport.shutdown()
        }
    }

    @Test("Every response has its own fields, whatever those of the responses before it were")
    func fieldsOfEachResponse() async throws {
        let server = try LoopbackServer.start(on: .ipv4) { request in
            let pairs = request.path.dropFirst().split(separator: ",").map { $0.split(separator: "=") }
            return LoopbackResponse(status: 200, headers: pairs.map { (name: String($0[0]), value: String($0[1])) })
        }
        let transport = AsyncHTTPClientTransport(permitting: .loopbackHTTP)
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

    private static func server() throws -> LoopbackServer {
        try LoopbackServer.start(on: .ipv4) { _ in
            LoopbackResponse(status: 200, body: Array(repeating: 7, count: 1 << 20))
        }
    }

    private static func request(to server: LoopbackServer) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: "\(server.host):\(server.port)", path: "/")
    }
}
