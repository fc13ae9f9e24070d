// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
@testable internal import LoopbackHTTP
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Loopback server limits")
struct LoopbackLimitsInternalTests {
    @Test(
        "Rejects a header of 64 kB with 431, with or without line breaks",
        .covers(50),
        arguments: [
            "GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: 64 * 1024))\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\n" + String(repeating: "X: y\r\n", count: 11_000) + "\r\n",
            String(repeating: "G", count: 64 * 1024),
        ]
    )
    func longHeader(request: String) async throws {
        let server = try LoopbackServer.start(on: .ipv4) { _ in .text(status: 200, "") }
        defer { server.stop() }
        #expect(try await LoopbackReply.to(request, port: server.port).status == 431)
        #expect(try await LoopbackReply.get("/", port: server.port).status == 200)
    }

    @Test(
        "Closes a connection with a partial request at the header deadline, not before",
        .covers(50),
        .shows(claims: 11)
    )
    func silence() async throws {
        let clock = TestClock()
        let server = try LoopbackServer.start(on: .ipv4, uptime: clock.uptime) { _ in .text(status: 200, "") }
        defer { server.stop() }
        let half = try await LoopbackConnection.open(port: server.port)
        try await half.send("GET / HTTP/1.1\r\nHo")
        // Connections are accepted in order: once this one has its response, the other one's deadline is running.
        #expect(try await LoopbackReply.get("/", port: server.port).status == 200)
        clock.advance(by: .seconds(9))
        server.wake()
        try await half.send("st: h\r\n")
        #expect(try await LoopbackReply.get("/", port: server.port).status == 200)
        clock.advance(by: .seconds(1))
        server.wake()
        #expect(try await half.receiveAll() == [])
    }

    @Test("Closes a connection whose body stalls after the idle timeout", .covers(50))
    func halfBody() async throws {
        let clock = TestClock()
        let server = try LoopbackServer.start(on: .ipv4, uptime: clock.uptime) { _ in .text(status: 200, "") }
        defer { server.stop() }
        let half = try await LoopbackConnection.open(port: server.port)
        try await half.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nab")
        #expect(try await LoopbackReply.get("/", port: server.port).status == 200)
        clock.advance(by: .seconds(60))
        server.wake()
        #expect(try await half.receiveAll() == [])
    }

    @Test("Serves a request despite 1,000 idle connections", .covers(50), .shows(claims: 11))
    func idleCrowd() async throws {
        let server = try LoopbackServer.start(on: .ipv4) { _ in .text(status: 200, "served") }
        defer { server.stop() }
        var crowd: [LoopbackConnection] = []
        for _ in 0..<1_000 { crowd.append(try await LoopbackConnection.open(port: server.port)) }
        #expect(try await LoopbackReply.get("/", port: server.port).body == "served")
        // The oldest idle connections were closed.
        #expect(try await crowd[0].receiveAll() == [])
    }

    @Test(
        "Rejects a body over the limit with 413",
        arguments: [
            "Content-Length: 65537\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n10001\r\n", "Transfer-Encoding: chunked\r\n\r\n7fffffffffffff\r\n",
        ]
    )
    func longBody(rest: String) async throws {
        let server = try LoopbackServer.start(on: .ipv4) { _ in .text(status: 200, "") }
        defer { server.stop() }
        let reply = try await LoopbackReply.to("POST / HTTP/1.1\r\nHost: h\r\n\(rest)", port: server.port)
        #expect(reply.status == 413)
    }

    @Test("Keeps busy connections open and lets new ones wait")
    func busy() async throws {
        let gate = Gate()
        let server = try LoopbackServer.start(on: .ipv4, limits: LoopbackLimits(connections: 1)) { request in
            if request.path == "/slow" { await gate.pass() }
            return .text(status: 200, request.path)
        }
        defer { server.stop() }
        let slow = try await LoopbackConnection.open(port: server.port)
        try await slow.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        await gate.waitForArrival()
        let next = try await LoopbackConnection.open(port: server.port)
        try await next.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
        gate.open()
        #expect(LoopbackReply(try await slow.receiveAll()).body == "/slow")
        #expect(LoopbackReply(try await next.receiveAll()).body == "/next")
    }

    @Test("A full server keeps a new client waiting while others may still send their requests", .covers(139))
    func waiting() async throws {
        let limits = LoopbackLimits(connections: 2, grace: .seconds(5))
        let server = try LoopbackServer.start(on: .ipv4, limits: limits, uptime: TestClock().uptime) { request in
            .text(status: 200, request.path)
        }
        defer { server.stop() }
        var clients: [LoopbackConnection] = []
        for _ in 0..<6 { clients.append(try await LoopbackConnection.open(port: server.port)) }
        for (number, client) in clients.enumerated() {
            try await client.send("GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(LoopbackReply(try await client.receiveAll()).body == "/\(number)")
        }
    }

    @Test(
        "Closes the oldest idle connection for a new one after its grace period",
        .covers(139),
        .shows(claims: 11),
        arguments: ["", "GET / HTTP/1.1\r\nHost: h\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\na"]
    )
    func idleFirst(_ beginning: String) async throws {
        let clock = TestClock()
        let limits = LoopbackLimits(connections: 2, grace: .seconds(5))
        let server = try LoopbackServer.start(on: .ipv4, limits: limits, uptime: clock.uptime) { request in
            .text(status: 200, request.path)
        }
        defer { server.stop() }
        let idle = try await LoopbackConnection.open(port: server.port)
        try await idle.send(beginning)
        // Connections are accepted in order: once this one has its response, the other one's grace period is running.
        #expect(try await LoopbackReply.get("/first", port: server.port).body == "/first")
        let second = try await LoopbackConnection.open(port: server.port)
        let third = try await LoopbackConnection.open(port: server.port)
        try await third.send("GET /third HTTP/1.1\r\nHost: h\r\n\r\n")
        clock.advance(by: .seconds(4))
        server.wake()
        try await idle.send("X")
        clock.advance(by: .seconds(1))
        server.wake()
        #expect(LoopbackReply(try await third.receiveAll()).body == "/third")
        #expect(try await idle.receiveAll() == [])
        try await second.send("GET /second HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(LoopbackReply(try await second.receiveAll()).body == "/second")
    }

    @Test("A burst of idle connections does not close one that has already sent its request", .covers(139))
    func burst() async throws {
        // The server's thread blocks in its clock until all clients have connected.
        let clock = DispatchSemaphore(value: 0)
        let limits = LoopbackLimits(connections: 2)
        let uptime: @Sendable () -> Int64 = {
            clock.wait()
            clock.signal()
            return 0
        }
        let server = try LoopbackServer.start(on: .ipv4, limits: limits, uptime: uptime) { request in
            .text(status: 200, request.path)
        }
        defer { server.stop() }
        let client = try await LoopbackConnection.open(port: server.port)
        try await client.send("GET /served HTTP/1.1\r\nHost: h\r\n\r\n")
        var crowd: [LoopbackConnection] = []
        for _ in 0..<20 { crowd.append(try await LoopbackConnection.open(port: server.port)) }
        clock.signal()
        #expect(LoopbackReply(try await client.receiveAll()).body == "/served")
        #expect(try await crowd[0].receiveAll() == [])
    }

    @Test("A hanging response stays open until the server stops")
    func hanging() async throws {
        let server = try LoopbackServer.start(on: .ipv4) { _ in .raw(chunks: [[0x61], [0x62]], then: .hang) }
        let client = try await LoopbackConnection.open(port: server.port)
        try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try await client.receiveSome().first == 0x61)
        server.stop()
        _ = try await client.receiveAll()
        await server.stopped()
    }

    @Test("Pauses between two chunks of a raw response")
    func pauses() async throws {
        let clock = TestClock()
        let server = try LoopbackServer.start(on: .ipv4, uptime: clock.uptime) { _ in
            .raw(chunks: [[0x61], [0x62], [0x63]], pause: .seconds(5))
        }
        defer { server.stop() }
        let client = try await LoopbackConnection.open(port: server.port)
        try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try await client.receiveSome() == [0x61])
        clock.advance(by: .seconds(5))
        server.wake()
        #expect(try await client.receiveSome() == [0x62])
        clock.advance(by: .seconds(5))
        server.wake()
        #expect(try await client.receiveAll() == [0x63])
    }
}
