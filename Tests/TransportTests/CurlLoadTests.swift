// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if os(Linux) && canImport(NIOPosix)
internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraCurl
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Load, cancellation and shutdown with libcurl", .timeLimit(.minutes(2)))
struct CurlLoadTests {
    private let transport = CurlTransport(insecure: .loopbackHTTP)

    @Test("Receives a large body only as fast as it is read")
    func slowReader() async throws {
        let server = try await DyingServer()
        let (response, body) = try await self.transport.get("/large", from: server.authority, scheme: "http")
        #expect(response.status == .ok)
        var chunks = body.makeAsyncIterator()
        var count = try await chunks.next()?.count ?? 0
        // Turns of the event loop, in which it could receive more.
        for _ in 1...300 { try await self.ask(server) }
        let hadSentAll = server.hasSentAll
        #expect(!hadSentAll)
        while let chunk = try await chunks.next() { count += chunk.count }
        #expect(count == DyingServer.largeCount)
    }

    @Test("Reads a streamed body only as fast as the server accepts it")
    func slowServer() async throws {
        let server = try await DyingServer()
        let produced = Mutex(0)
        let body = HTTPBody(length: nil, isReplayable: false) {
            {
                guard produced.withLock({ $0 }) < 64 << 20 else { return nil }
                produced.withLock { $0 += 1 << 16 }
                return Array(repeating: 7, count: 1 << 16)
            }
        }
        let upload = Task {
            try await self.transport.send(
                HTTPRequest(method: .post, scheme: "http", authority: server.authority, path: "/stall"),
                body: body
            )
        }
        while !server.targets.contains("stall") { await Task.yield() }
        for _ in 1...300 { try await self.ask(server) }
        #expect(produced.withLock { $0 } < 64 << 20)
        upload.cancel()
        await #expect(throws: CancellationError.self) { _ = try await upload.value }
    }

    @Test("64 concurrent tasks each get their own responses")
    func manyTasks() async throws {
        // Without time, the server does not close connections that are idle because the other tests need the processor.
        let server = try LoopbackServer.start(
            on: .ipv4,
            uptime: { 0 },
            respond: { LoopbackResponse(status: 200, body: Array($0.path.utf8) + $0.body) }
        )
        try await withThrowingTaskGroup { group in
            for task in 1...64 {
                group.addTask {
                    for call in 1...10 {
                        let request = HTTPRequest(
                            method: call.isMultiple(of: 3) ? .post : .get,
                            scheme: "http",
                            authority: "\(server.host):\(server.port)",
                            path: "/\(task)/\(call)"
                        )
                        let body = call.isMultiple(of: 3) ? HTTPBody("-\(task)") : nil
                        let (_, received) = try await self.transport.send(request, body: body)
                        let text = String(decoding: try await received.collect(upTo: 100), as: UTF8.self)
                        #expect(text == "/\(task)/\(call)" + (body == nil ? "" : "-\(task)"))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Cancels requests at any point, and the transport remains usable", arguments: [1, 2, 3])
    func cancellations(seed: UInt64) async throws {
        let server = try await DyingServer()
        var random = SeededGenerator(seed: seed)
        let paths = ["/", "/hold", "/large", "/die"]
        await withTaskGroup { group in
            for _ in 1...200 {
                let path = paths[Int.random(in: 0..<4, using: &random)]
                let yields = Int.random(in: 0..<60, using: &random)
                group.addTask {
                    let call = Task {
                        let (_, body) = try await self.transport.get(path, from: server.authority, scheme: "http")
                        for try await _ in body {}
                    }
                    for _ in 0..<yields { await Task.yield() }
                    call.cancel()
                    let result = await call.result
                    if case .failure(let error as TransportError) = result { #expect(error.code == .connectionLost) }
                }
            }
        }
        try await withThrowingTaskGroup { group in
            for _ in 1...40 { group.addTask { try await self.ask(server) } }
            try await group.waitForAll()
        }
    }

    @Test("A shutdown fails pending requests and unread responses")
    func shutdown() async throws {
        let server = try await DyingServer()
        let (_, body) = try await self.transport.get("/large", from: server.authority, scheme: "http")
        let held = Task { try await self.transport.get("/hold", from: server.authority, scheme: "http") }
        while !server.targets.contains("GET /hold") { await Task.yield() }
        await self.transport.shutdown()
        let errors = await [
            #expect(throws: TransportError.self) { _ = try await held.value },
            #expect(throws: TransportError.self) { _ = try await body.collect(upTo: DyingServer.largeCount) },
        ]
        #expect(errors.map { $0?.code } == [.connectionLost, .connectionLost])
        try await self.ask(server)
    }

    @Test("Released transports leave no file descriptors open")
    func descriptors() async throws {
        await #expect(processExitsWith: .success) {
            let server = try await DyingServer()
            func use() async throws {
                let transport = CurlTransport(insecure: .loopbackHTTP)
                for _ in 1...2 { _ = try await transport.get(from: server.authority, scheme: "http") }
                let held = Task { try await transport.get("/hold", from: server.authority, scheme: "http") }
                held.cancel()
                _ = await held.result
            }
            try await use()
            let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            for _ in 1...50 { try await use() }
            // The threads end asynchronously, and the server closes its ends of the connections after that.
            while try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count > before {
                await Task.yield()
            }
        }
    }

    @Test("Connects to a server on ::1")
    func ipv6() async throws {
        guard let server = try? LoopbackServer.start(on: .ipv6, respond: { _ in LoopbackResponse(status: 204) }) else {
            return
        }
        let (response, _) = try await self.transport.get(from: "[::1]:\(server.port)", scheme: "http")
        #expect(response.status == .noContent)
    }

    private func ask(_ server: DyingServer) async throws {
        let (_, body) = try await self.transport.get(from: server.authority, scheme: "http")
        let bytes = try await body.collect(upTo: 2)
        #expect(bytes == Array("ok".utf8))
    }
}
#endif
