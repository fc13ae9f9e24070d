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

@Suite("A request to a Unix socket", .timeLimit(.minutes(1)))
struct LocalExchangeInternalTests {
    @Test(
        "What is no whole answer is none",
        arguments: [
            "", "HTTP/1.1", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/2 200 OK\r\n\r\n", "\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab",
        ]
    )
    func malformed(_ text: String) {
        #expect(LocalAnswer(Array(text.utf8)) == nil)
    }

    @Test(
        "An answer has a status and a body, with and without its length",
        arguments: ["", "Content-Length: 2\r\n", "content-length:2\r\n"]
    )
    func answer(field: String) {
        let answer = LocalAnswer(Array("HTTP/1.1 404 Not Found\r\n\(field)\r\nab".utf8))
        #expect(answer?.status == 404)
        #expect(answer?.body == Array("ab".utf8))
    }

    @Test("The server is told who asks, by the system; a TCP client is nobody")
    func peer() async throws {
        let path = "/tmp/tessera-local-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let server = try LoopbackServer.start(at: path) { request in
            .text(
                status: 200,
                "\(request.peer?.user ?? 1) \(request.peer?.process ?? 0) \(request.peer?.program ?? "")"
            )
        }
        defer { unlink(path) }
        let answer = try await Self.send(to: path)
        let words = String(decoding: answer.body, as: UTF8.self).split(separator: " ")
        #expect(words.prefix(2) == ["\(geteuid())", "\(getpid())"])
        try #require(words.count == 3)
        #expect(words[2].contains("/"))
        server.stop()
        await server.stopped()
        await #expect { try await Self.send(to: path) } throws: { ($0 as? LoopbackError)?.isSocketDead == true }
    }

    @Test(
        "A server that says nothing, or too much, is given up",
        arguments: [
            (LoopbackResponse.raw(chunks: [[0x48]], then: .hang), true),
            (.raw(chunks: [[UInt8](repeating: 0x20, count: 100_000)]), false),
        ]
    )
    func hostile(answer: LoopbackResponse, isTimeout: Bool) async throws {
        let path = "/tmp/tessera-local-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        defer { unlink(path) }
        let server = try LoopbackServer.start(at: path) { _ in answer }
        await #expect {
            try await Self.send(to: path, timeout: isTimeout ? .milliseconds(50) : .seconds(30), limit: 1_000)
        } throws: { error in
            (error as? LoopbackError)?.isTimeout == isTimeout
        }
        server.stop()
        await server.stopped()
    }

    @Test("A request keeps its place until it has been handled, whether its client waits or not", .covers(139))
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
        await gate.arrival()
        async let next = Self.send(to: path)
        // The server sees that the first has gone, and the second waits.
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
    @Test("Where the server's queue is full, a client waits for a place, and no longer than it may", .covers(139))
    func fullQueue() async throws {
        let path = Self.newPath()
        defer { unlink(path) }
        let listener = try UnixListener(at: path, queue: 0)
        let first = try UnixListener.connect(to: path)
        defer { close(first) }
        await #expect { try await Self.send(to: path, timeout: .milliseconds(50)) } throws: { error in
            (error as? LoopbackError)?.isTimeout == true
        }
        async let answer = Self.send(to: path)
        close(await listener.next())
        let second = await listener.next()
        let text = "HTTP/1.1 200 OK\r\n\r\nab"
        _ = write(second, text, text.utf8.count)
        close(second)
        #expect(try await answer.body == Array("ab".utf8))
    }
    #endif

    private static func newPath() -> String {
        "/tmp/tessera-local-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    }

    /// On a thread of its own: the server answers on those that tests run on.
    @discardableResult
    private static func send(
        to path: String,
        timeout: Duration = .seconds(30),
        limit: Int = 1 << 20
    ) async throws -> LocalAnswer {
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
