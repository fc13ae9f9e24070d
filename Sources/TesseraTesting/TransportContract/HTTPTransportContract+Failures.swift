// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraOAuth

extension HTTPTransportContract {
    private static let short = TransportTimeouts(connect: .seconds(2), idle: .seconds(2))

    /// Requirements for error codes, timeouts and cancellation.
    static let failures: [Check] = [
        Check("Times out if the server sends no head") { contract in
            let server = try ContractServer(then: .hang)
            let transport = contract.loopbackTransport(timeouts: Self.short)
            try await Self.expect(.timedOut, "a response without a head") {
                try await transport.send(server.request(), body: nil)
            }
        },
        Check("Times out if the server stops in the middle of a body") { contract in
            let server = try ContractServer(sending: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", then: .hang)
            let transport = contract.loopbackTransport(timeouts: Self.short)
            let (_, body) = try await transport.send(server.request(), body: nil)
            try await Self.expect(.timedOut, "an incomplete body") { try await body.collect(upTo: 16) }
        },
        Check("Reports a closed port as cannotConnect immediately") { contract in
            let closed = try ReservedPort()
            let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(closed.port)", path: "/")
            let start = ContinuousClock.now
            try await Self.expect(.cannotConnect, "a closed port") {
                try await contract.loopbackTransport().send(request, body: nil)
            }
            let waited = ContinuousClock.now - start
            try ContractError.require(waited < .seconds(5), "The error took \(waited).")
        },
        Check("Reports a connection closed before the head as connectionLost") { contract in
            try await contract.fails(.connectionLost, sending: "")
        },
        Check("Reports a connection closed within the head as connectionLost") { contract in
            try await contract.fails(.connectionLost, sending: "HTTP/1.1 200 OK\r\nContent-Le")
        },
        Check("Reports a truncated body as connectionLost") { contract in
            try await contract.fails(.connectionLost, sending: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            try await contract.fails(.connectionLost, sending: chunked + "4\r\nhalf\r\n")
        },
        Check("Reports a response that is not HTTP as invalidResponse") { contract in
            try await contract.fails(.invalidResponse, sending: "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n\r\n")
        },
        Check("Sends nothing if the task is already canceled") { contract in
            let server = try ContractServer { _ in LoopbackResponse(status: 200) }
            let transport = contract.loopbackTransport()
            let request = server.request()
            try await Self.expectCancellation {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await transport.send(request, body: nil)
            }
            try ContractError.require(server.requests.isEmpty, "The request was sent.")
        },
        Check("Throws CancellationError if the task is canceled while waiting for the head") { contract in
            let server = try ContractServer(then: .hang)
            let transport = contract.loopbackTransport()
            let request = server.request()
            let sending = Task { _ = try await transport.send(request, body: nil) }
            await server.waitForArrival()
            sending.cancel()
            try await Self.expectCancellation { try await sending.value }
        },
        Check("Throws CancellationError if the task is canceled while reading a body") { contract in
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

    private func fails(_ code: TransportError.Code, sending response: String) async throws {
        let server = try ContractServer(sending: response)
        try await Self.expect(code, "a response of \(response.utf8.count) bytes") {
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
            throw ContractError("Expected CancellationError, got \(type(of: error)): \(error).")
        }
        throw ContractError("Expected CancellationError, but no error was thrown.")
    }
}
