// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import LoopbackHTTP
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Loopback server")
struct LoopbackServerInternalTests {
    @Test("Responds to a request and closes the connection")
    func exchange() async throws {
        let server = try LoopbackServer.start(on: .ipv4) { request in
            LoopbackResponse(
                status: 200,
                headers: [("X-Query", request.query ?? "")],
                body: Array("\(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self))".utf8)
            )
        }
        defer { server.stop() }
        let reply = try await LoopbackReply.to(
            "POST /a/b?x=1?&y HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
            port: server.port
        )
        #expect(reply.status == 200)
        #expect(reply.headers == ["x-query": "x=1?&y", "content-length": "13", "connection": "close"])
        #expect(reply.body == "POST /a/b abc")
    }

    @Test("Listens on 127.0.0.1 only", .covers(45))
    func boundAddress() async throws {
        let server = try LoopbackServer.start(on: .either) { _ in .text(status: 200, "") }
        defer { server.stop() }
        #expect(server.baseURL == "http://127.0.0.1:\(server.port)")
        for address in ["127.0.0.2"] + Interfaces.otherAddresses() {
            await #expect("\(address)") {
                _ = try await LoopbackConnection.open(address, port: server.port)
            } throws: { error in
                (error as? LoopbackConnection.Failure)?.call == "connect"
            }
        }
    }

    @Test("Stops listening after stop(), which can be called repeatedly", .covers(46))
    func stopping() async throws {
        let server = try LoopbackServer.start(on: .ipv4) { _ in .text(status: 200, "") }
        #expect(try await LoopbackReply.get("/", port: server.port).status == 200)
        server.stop()
        server.stop()
        await server.stopped()
        await #expect { try await LoopbackConnection.open(port: server.port) } throws: { error in
            (error as? LoopbackConnection.Failure)?.isRefused == true
        }
        await server.stopped()
    }

    @Test("Stops when the last reference is released", .covers(46))
    func released() async throws {
        var server: LoopbackServer? = try LoopbackServer.start(on: .ipv4) { _ in .text(status: 200, "") }
        let port = try #require(server?.port)
        let idle = try await LoopbackConnection.open(port: port)
        server = nil
        #expect(try await idle.receiveAll() == [])
    }

    @Test("Delivers a response that is in progress when the server stops", .covers(46))
    func responseInProgress() async throws {
        let gate = Gate()
        let server = try LoopbackServer.start(on: .ipv4, uptime: TestClock().uptime) { _ in
            await gate.pass()
            return .text(status: 200, "kept")
        }
        let client = try await LoopbackConnection.open(port: server.port)
        try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        await gate.waitForArrival()
        server.stop()
        gate.open()
        let reply = LoopbackReply(try await client.receiveAll())
        #expect(reply.body == "kept")
    }

    @Test("Serves existing connections after stopListening(), and accepts no others", .covers(46))
    func stoppedListening() async throws {
        let gate = Gate()
        let server = try LoopbackServer.start(on: .ipv4, uptime: TestClock().uptime) { _ in
            await gate.pass()
            return .text(status: 200, "kept")
        }
        let client = try await LoopbackConnection.open(port: server.port)
        try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        await gate.waitForArrival()
        server.stopListening()
        defer { server.stop() }
        await #expect { try await LoopbackConnection.open(port: server.port) } throws: { error in
            (error as? LoopbackConnection.Failure)?.isRefused == true
        }
        gate.open()
        #expect(LoopbackReply(try await client.receiveAll()).body == "kept")
    }

    @Test("Reuses a fixed port immediately after a sign-in and never shares it meanwhile", .covers(46))
    func fixedPort() async throws {
        let first = try LoopbackServer.start(on: .ipv4) { _ in .text(status: 200, "") }
        let port = first.port
        first.stop()
        await first.stopped()
        for _ in 0..<3 {
            let server = try LoopbackServer.start(on: .ipv4, port: port) { _ in .text(status: 200, "") }
            #expect(server.port == port)
            #expect(try await LoopbackReply.get("/", port: port).status == 200)
            #expect { try LoopbackServer.start(on: .either, port: port) { _ in .text(status: 200, "") } } throws: {
                ($0 as? LoopbackError)?.isPortTaken == true
            }
            server.stop()
            await server.stopped()
        }
    }

    @Test("Handles only the first of two pipelined requests", .covers(52))
    func pipelined() async throws {
        let count = Counter()
        let server = try LoopbackServer.start(on: .ipv4) { request in
            count.add()
            return .text(status: 200, request.target)
        }
        defer { server.stop() }
        let request = "HTTP/1.1\r\nHost: h\r\n\r\n"
        let reply = try await LoopbackReply.to("GET /1 \(request)GET /2 \(request)", port: server.port)
        #expect(reply.body == "/1")
        #expect(count.value == 1)
    }

    @Test("A slow response does not delay other clients")
    func concurrent() async throws {
        let gate = Gate()
        let server = try LoopbackServer.start(on: .ipv4) { request in
            if request.path == "/slow" { await gate.pass() }
            return .text(status: 200, request.path)
        }
        defer { server.stop() }
        let slow = try await LoopbackConnection.open(port: server.port)
        try await slow.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        await gate.waitForArrival()
        #expect(try await LoopbackReply.get("/quick", port: server.port).body == "/quick")
        gate.open()
        #expect(LoopbackReply(try await slow.receiveAll()).body == "/slow")
    }

    @Test("A client that disconnects before its response does not affect others")
    func leaving() async throws {
        let gate = Gate()
        let server = try LoopbackServer.start(on: .ipv4) { request in
            if request.path == "/slow" { await gate.pass() }
            return LoopbackResponse(status: 200, body: [UInt8](repeating: 0x61, count: 4 << 20))
        }
        defer { server.stop() }
        do {
            let client = try await LoopbackConnection.open(port: server.port)
            try await client.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
            await gate.waitForArrival()
        }
        gate.open()
        #expect(try await LoopbackReply.get("/", port: server.port).body.utf8.count == 4 << 20)
    }

    @Test("Drops headers with line breaks in their values and sends no body for HEAD")
    func responseForm() async throws {
        let server = try LoopbackServer.start(on: .ipv4) { _ in
            LoopbackResponse(status: 200, headers: [("X-A", "1\r\nSet-Cookie: a=b"), ("X-B", "2")], body: [0x61])
        }
        defer { server.stop() }
        let reply = try await LoopbackReply.to("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", port: server.port)
        #expect(reply.headers == ["x-b": "2", "content-length": "1", "connection": "close"])
        #expect(reply.body == "")
    }

    @Test("Listens on [::1] when IPv4 is unavailable", .covers(53))
    func withoutIPv4() throws {
        var tried: [LoopbackAddress] = []
        let (address, _) = try LoopbackServer.firstListener(of: LoopbackAddress.either.candidates) {
            address throws(LoopbackError) in
            tried.append(address)
            if address == .ipv4 { throw LoopbackError(call: "socket", errorNumber: 97) }
        }
        #expect(tried == [.ipv4, .ipv6])
        #expect(address.host == "[::1]")
        #expect(throws: LoopbackError(call: "bind", errorNumber: 98)) {
            _ = try LoopbackServer.firstListener(of: LoopbackAddress.either.candidates) { _ throws(LoopbackError) in
                throw LoopbackError(call: "bind", errorNumber: 98)
            }
        }
    }

    @Test(
        "An IPv6 server is reachable at http://[::1]:port and not over IPv4",
        .covers(53),
        .enabled(if: Interfaces.hasIPv6)
    )
    func overIPv6() async throws {
        let server = try LoopbackServer.start(on: .ipv6) { _ in .text(status: 200, "six") }
        defer { server.stop() }
        #expect(server.baseURL == "http://[::1]:\(server.port)")
        let request = "GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n"
        #expect(try await LoopbackReply.to(request, address: "::1", port: server.port).body == "six")
        await #expect(throws: LoopbackConnection.Failure.self) {
            try await LoopbackConnection.open(port: server.port)
        }
    }
}
