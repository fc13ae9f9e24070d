// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
@testable internal import LoopbackHTTP
internal import TesseraTesting
internal import TestTraits
internal import Testing
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

@Suite("Requests to a Unix socket", .timeLimit(.minutes(1)))
struct LocalExchangeInternalTests {
    @Test(
        "Rejects an incomplete or malformed response",
        arguments: [
            "", "HTTP/1.1", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/2 200 OK\r\n\r\n", "\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab",
        ]
    )
    func malformed(_ text: String) {
        #expect(LocalResponse(Array(text.utf8)) == nil)
    }

    @Test(
        "Reads the status and body of a response with or without Content-Length",
        arguments: ["", "Content-Length: 2\r\n", "content-length:2\r\n"]
    )
    func response(field: String) {
        let response = LocalResponse(Array("HTTP/1.1 404 Not Found\r\n\(field)\r\nab".utf8))
        #expect(response?.status == 404)
        #expect(response?.body == Array("ab".utf8))
    }

    @Test("The server gets the client's user, process and program from the system")
    func peer() async throws {
        let path = "/tmp/tessera-local-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let server = try LoopbackServer.start(at: path) { request in
            .text(
                status: 200,
                "\(request.peer?.user ?? 1) \(request.peer?.process ?? 0) \(request.peer?.program ?? "")"
            )
        }
        defer { unlink(path) }
        let response = try await Self.send(to: path)
        let words = String(decoding: response.body, as: UTF8.self).split(separator: " ")
        #expect(words.prefix(2) == ["\(geteuid())", "\(getpid())"])
        try #require(words.count == 3)
        #expect(words[2].contains("/"))
        server.stop()
        await server.stopped()
        await #expect { try await Self.send(to: path) } throws: { ($0 as? LoopbackError)?.isStaleSocket == true }
    }

    @Test(
        "Stops waiting for a silent server and rejects an oversized response",
        arguments: [
            (LoopbackResponse.raw(chunks: [[0x48]], then: .hang), true),
            (.raw(chunks: [[UInt8](repeating: 0x20, count: 100_000)]), false),
        ]
    )
    func hostile(response: LoopbackResponse, isTimeout: Bool) async throws {
        let path = "/tmp/tessera-local-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        defer { unlink(path) }
        let server = try LoopbackServer.start(at: path) { _ in response }
        await #expect {
            try await Self.send(to: path, timeout: isTimeout ? .milliseconds(50) : .seconds(30), limit: 1_000)
        } throws: { error in
            (error as? LoopbackError)?.isTimeout == isTimeout
        }
        server.stop()
        await server.stopped()
    }

    @Test("A connection slot stays occupied until its request is handled, even if the client left", .covers(139))
    func vanished() async throws {
        let path = Self.newPath()
        defer { unlink(path) }
        let (turns, handled, gate) = (Counter(), Counter(), Gate())
        let uptime: @Sendable () -> Int64 = {
            turns.add()
            return 0
        }
        let limits = LoopbackLimits(connections: 1)
        let server = try LoopbackServer.start(at: path, limits: limits, uptime: uptime) { _ in
            handled.add()
            await gate.pass()
            return .text(status: 200, "")
        }
        await #expect { try await Self.send(to: path, timeout: .milliseconds(50)) } throws: { error in
            (error as? LoopbackError)?.isTimeout == true
        }
        await gate.waitForArrival()
        async let next = Self.send(to: path)
        // The server notices that the first client has disconnected. The second client waits.
        for _ in 0..<50 {
            let turn = turns.value
            server.wake()
            while turns.value == turn { await Task.yield() }
        }
        #expect(handled.value == 1)
        gate.open()
        #expect(try await next.status == 200)
        #expect(handled.value == 2)
        server.stop()
        await server.stopped()
    }

    #if canImport(Glibc) || canImport(Musl)
    @Test("A client waits for a place in a full server queue until its timeout", .covers(139))
    func fullQueue() async throws {
        let path = Self.newPath()
        defer { unlink(path) }
        let listener = try UnixListener(at: path, queue: 0)
        let first = try UnixListener.connect(to: path)
        defer { close(first) }
        await #expect { try await Self.send(to: path, timeout: .milliseconds(50)) } throws: { error in
            (error as? LoopbackError)?.isTimeout == true
        }
        async let response = Self.send(to: path)
        close(await listener.next())
        let second = await listener.next()
        let text = "HTTP/1.1 200 OK\r\n\r\nab"
        _ = write(second, text, text.utf8.count)
        close(second)
        #expect(try await response.body == Array("ab".utf8))
    }
    #endif

    private static func newPath() -> String {
        "/tmp/tessera-local-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    }

    /// Runs on its own thread because the server responds on the threads that run tests.
    @discardableResult
    private static func send(
        to path: String,
        timeout: Duration = .seconds(30),
        limit: Int = 1 << 20
    ) async throws -> LocalResponse {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                let request = LoopbackRequest(method: "GET", target: "/")
                continuation.resume(
                    with: Result {
                        try LocalExchange.send(request, to: path, timeout: timeout, limit: limit)
                    }
                )
            }
        }
    }
}
