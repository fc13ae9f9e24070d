// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(NIOPosix)
internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraSupport
internal import Testing

@Suite("Timeouts of transports", .timeLimit(.minutes(1)))
struct TransportTimeoutTests {
    @Test("Does not time out while data keeps arriving", arguments: TestedTransport.allCases)
    func slow(_ tested: TestedTransport) async throws {
        let server = try await DyingServer()
        let timeouts = TransportTimeouts(connect: .seconds(10), idle: .seconds(3))
        let transport = tested.make(insecure: .loopbackHTTP, timeouts: timeouts)
        let (response, body) = try await transport.get("/slow", from: server.authority, scheme: "http")
        #expect(response.status == .ok)
        #expect(try await body.collect(upTo: 2) == Array("ok".utf8))
    }

    @Test(
        "Times out if the server stops reading the request",
        arguments: TestedTransport.allCases,
        [nil, 16 << 20] as [Int64?]
    )
    func stalled(tested: TestedTransport, length: Int64?) async throws {
        let server = try await DyingServer()
        let transport = tested.make(insecure: .loopbackHTTP, timeouts: Self.short)
        let part = [UInt8](repeating: 7, count: 1 << 20)
        let body =
            length.map { HTTPBody([UInt8](repeating: 7, count: Int($0))) }
            ?? HTTPBody(length: nil, isReplayable: true) { { part } }
        let error = await #expect(throws: TransportError.self) {
            _ = try await transport.send(
                HTTPRequest(method: .put, scheme: "http", authority: server.authority, path: "/stall"),
                body: body
            )
        }
        #expect(error?.code == .timedOut)
    }

    @Test("Times out if the server refuses the request early and sends no body", arguments: TestedTransport.allCases)
    func refused(_ tested: TestedTransport) async throws {
        let server = try await DyingServer()
        let transport = tested.make(insecure: .loopbackHTTP, timeouts: Self.short)
        let error = await #expect(throws: TransportError.self) {
            let (response, body) = try await transport.send(
                HTTPRequest(method: .put, scheme: "http", authority: server.authority, path: "/refuse"),
                body: HTTPBody([UInt8](repeating: 7, count: 16 << 20))
            )
            #expect(response.status.code == 413)
            _ = try await body.collect(upTo: 9)
        }
        #expect(error?.code == .timedOut)
    }

    @Test("Does not time out while the source of the request is slow", arguments: TestedTransport.allCases)
    func slowSource(_ tested: TestedTransport) async throws {
        let server = try await DyingServer()
        let transport = tested.make(insecure: .loopbackHTTP, timeouts: Self.short)
        let body = HTTPBody(length: 2, isReplayable: false) {
            let parts = Mutex(["k", "o"])
            return {
                guard let part = parts.withLock({ $0.popLast() }) else { return nil }
                if part == "k" { try await Self.waitForSlowResponse(from: server, tested) }
                return Array(part.utf8)
            }
        }
        let (response, _) = try await transport.send(
            HTTPRequest(method: .put, scheme: "http", authority: server.authority, path: "/"),
            body: body
        )
        #expect(response.status == .ok)
    }

    #if os(Linux)
    // AsyncHTTPClientTransport's documentation describes what it does instead.
    @Test("Does not time out while the reader of the response is slow")
    func slowReader() async throws {
        let server = try await DyingServer()
        let transport = TestedTransport.curl.make(insecure: .loopbackHTTP, timeouts: Self.short)
        let (_, body) = try await transport.get("/large", from: server.authority, scheme: "http")
        try await Self.waitForSlowResponse(from: server, .curl)
        #expect(try await body.collect(upTo: DyingServer.largeCount).count == DyingServer.largeCount)
    }
    #endif

    /// Waits for a response that takes longer than ``short`` permits.
    private static func waitForSlowResponse(from server: DyingServer, _ tested: TestedTransport) async throws {
        let transport = tested.make(insecure: .loopbackHTTP)
        let (_, body) = try await transport.get("/slow", from: server.authority, scheme: "http")
        _ = try await body.collect(upTo: 2)
    }

    private static let short = TransportTimeouts(connect: .seconds(10), idle: .seconds(1))

    @Test(
        "Accepts timeouts of any length",
        arguments: TestedTransport.allCases,
        [Duration.seconds(3_000_000), .seconds(Int64.max / 1_000), .seconds(Int64.max)]
    )
    func long(tested: TestedTransport, duration: Duration) async throws {
        let server = try await DyingServer()
        let timeouts = TransportTimeouts(connect: duration, idle: duration)
        let transport = tested.make(insecure: .loopbackHTTP, timeouts: timeouts)
        let (response, _) = try await transport.get(from: server.authority, scheme: "http")
        #expect(response.status == .ok)
    }
}
#endif
