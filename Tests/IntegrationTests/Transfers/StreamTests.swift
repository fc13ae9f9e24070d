// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TestTransport
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Backpressure and release of connections", .timeLimit(.minutes(2)))
struct StreamTests {
    private static let size = 64 << 20
    /// The number of bytes that two sockets and the buffers above them may hold.
    private static let ahead = 20 << 20

    @Test("Does not receive a response faster than it is read")
    func slowReader() async throws {
        let stalled = Signal<Int>()
        let peer = try Peer { connection in
            _ = connection.receiveHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\n\r\n")
            var sent = connection.send(upTo: Self.size)
            stalled.send(sent)
            while sent < Self.size, case let step = connection.send(upTo: Self.size - sent), step > 0 { sent += step }
        }
        let (_, body) = try await Self.fetcher(peer.url).send(HTTPRequest(url: peer.url))
        var chunks = body.makeAsyncIterator()
        var received = try await chunks.next()?.count ?? 0
        let sent = await stalled.value
        #expect(sent < Self.ahead, "the server could send \(sent) bytes while \(received) were read")
        while let chunk = try await chunks.next() { received += chunk.count }
        #expect(received == Self.size)
    }

    @Test("Reads an upload body only as fast as the server accepts it")
    func slowServer() async throws {
        let made = Mutex(0)
        let ranAhead = DispatchSemaphore(value: 0)
        let peer = try Peer { connection in
            var taken = connection.receiveHead().count
            let stoodStill = ranAhead.wait(timeout: .now() + .seconds(1)) == .timedOut
            while taken < Self.size, let chunk = connection.receive() { taken += chunk.count }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            return (stoodStill, taken)
        }
        let chunk = [UInt8](repeating: 7, count: 256 << 10)
        let body = HTTPBody(length: Int64(Self.size), isReplayable: false) {
            {
                made.withLock { made in
                    guard made < Self.size else { return nil }
                    made += chunk.count
                    if made >= Self.ahead { ranAhead.signal() }
                    return chunk
                }
            }
        }
        let request = try HTTPRequest(method: .put, url: peer.url)
        let (response, _) = try await Self.fetcher(peer.url).send(request, body: body)
        #expect(response.status == .ok)
        let (stoodStill, taken) = await peer.result
        #expect(stoodStill, "\(Self.ahead) bytes were produced before the server read any")
        #expect(taken >= Self.size)
        #expect(made.withLock { $0 } == Self.size)
    }

    @Test(
        "A canceled call closes its connection at once",
        arguments: ["before the head", "within the body", "while it sends"]
    )
    func cancelled(moment: String) async throws {
        let reached = Signal<Void>()
        let peer = try Peer { connection in
            _ = connection.receiveHead()
            if moment == "within the body" { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf") }
            reached.send(())
            return connection.isReleased()
        }
        let url = peer.url
        let fetcher = try Self.fetcher(url)
        let body: HTTPBody? =
            moment == "while it sends"
            ? HTTPBody(length: nil, isReplayable: false) { { [UInt8](repeating: 7, count: 1 << 16) } } : nil
        let call = Task {
            let request = try HTTPRequest(method: body == nil ? .get : .put, url: url)
            _ = try await fetcher.data(for: request, body: body)
        }
        await reached.value
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(await peer.result, "the connection stayed open for ten seconds")
    }

    @Test("Closes the connection of a response that is discarded unread")
    func unread() async throws {
        let peer = try Peer { connection in
            _ = connection.receiveHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            return connection.isReleased()
        }
        let fetcher = try Self.fetcher(peer.url)
        let status = try await fetcher.send(HTTPRequest(url: peer.url)).0.status
        #expect(status == .ok)
        #expect(await peer.result, "the connection stayed open for ten seconds")
    }

    private static func fetcher(_ url: String) throws -> AuthorizedFetcher {
        let source = try FixedTokenSource(for: url)
        return AuthorizedFetcher(source, transport: TestTransport.make())
    }
}

/// A value that a thread sends to a test.
private final class Signal<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (self.stream, self.continuation) = AsyncStream.makeStream() }

    func send(_ value: Value) { self.continuation.yield(value) }

    var value: Value {
        get async {
            for await value in self.stream { return value }
            preconditionFailure("the peer ended without sending a value")
        }
    }
}
