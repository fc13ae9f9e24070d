// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraOAuth

extension HTTPTransportContract {
    /// Requirements for streaming request and response bodies.
    static let bodies: [Check] = [
        Check("Delivers the first chunk before the last one is sent") { contract in
            let server = try ContractServer(sending: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst", then: .hang)
            let (_, body) = try await contract.loopbackTransport().send(server.request(), body: nil)
            try ContractError.require(
                body.length == 10,
                "Expected a length of 10, got \(String(describing: body.length))."
            )
            var chunks = body.makeAsyncIterator()
            var received: [UInt8] = []
            while received.count < 5, let chunk = try await chunks.next() { received += chunk }
            try ContractError.require(
                received == Array("first".utf8),
                "The received body of \(received.count) bytes is wrong."
            )
        },
        Check("Delivers a complete chunked body without empty chunks") { contract in
            let server = try ContractServer(
                sending: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                "3\r\nabc\r\n",
                "4;x=y\r\ndefg\r\n",
                "0\r\n\r\n"
            )
            let (_, body) = try await contract.loopbackTransport().send(server.request(), body: nil)
            try ContractError.require(body.length == nil, "A chunked body has no known length.")
            var received: [UInt8] = []
            for try await chunk in body {
                try ContractError.require(!chunk.isEmpty, "A chunk is empty.")
                received += chunk
            }
            try ContractError.require(
                received == Array("abcdefg".utf8),
                "The received body of \(received.count) bytes is wrong."
            )
        },
        Check("Delivers a complete large body") { contract in
            let sent = Self.pattern(count: 16 << 20)
            let server = try ContractServer { _ in LoopbackResponse(status: 200, body: sent) }
            let (_, body) = try await contract.loopbackTransport().send(server.request(), body: nil)
            let received = try await body.collect(upTo: sent.count)
            try ContractError.require(received == sent, "The body was changed.")
        },
        Check("Stops an endless body at the reader's limit") { contract in
            let chunk = Self.pattern(count: 1 << 20)
            let head = Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8)
            let server = try ContractServer { _ in
                .raw(chunks: [head] + Array(repeating: chunk, count: 8), then: .hang)
            }
            let (_, body) = try await contract.loopbackTransport().send(server.request(), body: nil)
            try await Self.expect(.bodyTooLarge, "an endless body") { try await body.collect(upTo: 1 << 20) }
        },
        Check("Sends a complete large body from bytes") { contract in
            let sent = Self.pattern(count: 6 << 20)
            try await contract.sendsWhole(sent, as: HTTPBody(sent))
        },
        Check("Sends a complete streamed body of known length") { contract in
            let sent = Self.pattern(count: 3 << 20)
            try await contract.sendsWhole(sent, as: Self.stream(sent, length: Int64(sent.count)))
        },
        Check("Sends a complete streamed body of unknown length") { contract in
            let sent = Self.pattern(count: 3 << 20)
            try await contract.sendsWhole(sent, as: Self.stream(sent, length: nil))
        },
        Check("Throws a streamed request body's error unchanged") { contract in
            let server = try ContractServer { _ in LoopbackResponse(status: 200) }
            let expected = ContractError("The body threw this error.")
            let body = HTTPBody(length: nil, isReplayable: false) { { throw expected } }
            do {
                _ = try await contract.loopbackTransport().send(server.request(method: .post), body: body)
            } catch let error as ContractError where error == expected {
                return
            }
            throw ContractError("The request was sent without its body.")
        },
        Check("Reading a response body a second time returns the same bytes or throws an error") {
            contract in
            let server = try ContractServer { _ in LoopbackResponse(status: 200, body: [1, 2, 3]) }
            let (_, body) = try await contract.loopbackTransport().send(server.request(), body: nil)
            let first = try await body.collect(upTo: 16)
            try ContractError.require(first == [1, 2, 3], "The body was changed.")
            do {
                let second = try await body.collect(upTo: 16)
                try ContractError.require(second == first, "The second read returned \(second.count) bytes.")
            } catch TransportError.Code.bodyAlreadyRead {}
        },
    ]

    private func sendsWhole(_ sent: [UInt8], as body: HTTPBody) async throws {
        let server = try ContractServer { _ in LoopbackResponse(status: 200) }
        let (response, _) = try await self.loopbackTransport().send(server.request(method: .put), body: body)
        try ContractError.require(response.status == .ok, "Expected 200, got \(response.status).")
        try ContractError.require(server.requests.map(\.body) == [sent], "The body was changed.")
    }

    private static func stream(_ bytes: [UInt8], length: Int64?) -> HTTPBody {
        HTTPBody(length: length, isReplayable: true) {
            var rest = bytes[...]
            return {
                defer { rest = rest.dropFirst(65_000) }
                return rest.isEmpty ? nil : Array(rest.prefix(65_000))
            }
        }
    }

    private static func pattern(count: Int) -> [UInt8] {
        let block = (0..<4_093).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += block.prefix(count - bytes.count) }
        return bytes
    }
}
