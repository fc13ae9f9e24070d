// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraOAuth

extension HTTPTransportContract {
    private static let short = TransportTimeouts(connect: .seconds(2), idle: .seconds(2))

    /// Failures have the right code, and nothing waits for ever.
    static let failures: [Check] = [
        Check("A server that sends no head times out (15)") { contract in
            let server = try ContractServer(then: .hang)
            let transport = contract.loopbackTransport(timeouts: Self.short)
            try await Self.expect(.timedOut, "no head") { try await transport.send(server.request(), body: nil) }
        },
        Check("A body that stops half way times out (15)") { contract in
            let server = try ContractServer(sending: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", then: .hang)
            let transport = contract.loopbackTransport(timeouts: Self.short)
            let (_, body) = try await transport.send(server.request(), body: nil)
            try await Self.expect(.timedOut, "half a body") { try await body.collect(upTo: 16) }
        },
        Check("A port where nobody listens is cannotConnect, at once") { contract in
            let server = try ContractServer { _ in LoopbackResponse(status: 200) }
            await server.stop()
            let start = ContinuousClock.now
            try await Self.expect(.cannotConnect, "a closed port") {
                try await contract.loopbackTransport().send(server.request(), body: nil)
            }
            let waited = ContinuousClock.now - start
            try ContractError.require(waited < .seconds(5), "It took \(waited)")
        },
        Check("A connection closed before the head is connectionLost") { contract in
            try await contract.fails(.connectionLost, sending: "")
        },
        Check("A connection closed within the head is connectionLost") { contract in
            try await contract.fails(.connectionLost, sending: "HTTP/1.1 200 OK\r\nContent-Le")
        },
        Check("A body cut short is connectionLost, never a shorter body (6)") { contract in
            try await contract.fails(.connectionLost, sending: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            try await contract.fails(.connectionLost, sending: chunked + "4\r\nhalf\r\n")
        },
        Check("What is not HTTP is invalidResponse") { contract in
            try await contract.fails(.invalidResponse, sending: "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n\r\n")
        },
        Check("A task cancelled beforehand sends nothing") { contract in
            let server = try ContractServer { _ in LoopbackResponse(status: 200) }
            let transport = contract.loopbackTransport()
            let request = server.request()
            try await Self.expectCancellation {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await transport.send(request, body: nil)
            }
            try ContractError.require(server.requests.isEmpty, "The request was sent")
        },
        Check("Cancellation ends the wait for the head with CancellationError") { contract in
            let server = try ContractServer(then: .hang)
            let transport = contract.loopbackTransport()
            let request = server.request()
            let sending = Task { _ = try await transport.send(request, body: nil) }
            await server.arrival()
            sending.cancel()
            try await Self.expectCancellation { try await sending.value }
        },
        Check("Cancellation ends the reading of a body with CancellationError") { contract in
            let server = try ContractServer(sending: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", then: .hang)
            let (_, body) = try await contract.loopbackTransport().send(server.request(), body: nil)
            let (started, start) = AsyncStream<Void>.makeStream()
            let reading = Task {
                for try await _ in body { start.yield() }
            }
            for await _ in started { break }
            reading.cancel()
            try await Self.expectCancellation { try await reading.value }
        },
    ]

    private func fails(_ code: TransportError.Code, sending answer: String) async throws {
        let server = try ContractServer(sending: answer)
        try await Self.expect(code, "an answer of \(answer.utf8.count) bytes") {
            let (_, body) = try await self.loopbackTransport().send(server.request(), body: nil)
            return try await body.collect(upTo: 1 << 16)
        }
    }

    private static func expectCancellation(of body: @escaping @Sendable () async throws -> Void) async throws {
        do {
            try await Task { try await body() }.value
        } catch is CancellationError {
            return
        } catch {
            throw ContractError("Expected CancellationError, got \(type(of: error)): \(error)")
        }
        throw ContractError("Expected CancellationError, but nothing was thrown")
    }
}
