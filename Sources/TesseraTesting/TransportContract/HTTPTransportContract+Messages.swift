// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraOAuth

extension HTTPTransportContract {
    /// Requests and responses arrive as they were sent.
    static let messages: [Check] = [
        Check("Method, target, fields and body arrive as given") { contract in
            let server = try ContractServer { _ in LoopbackResponse(status: 201) }
            let target = "/a%2Fb;v=1/c?x=1+2&y=%7E%20&z=a:b@c!'()*,$"
            let request = server.request(
                target,
                method: .patch,
                fields: [.contentType: "application/x-www-form-urlencoded", .accept: "application/json"]
            )
            let (response, _) = try await contract.loopbackTransport().send(request, body: .init("a=b&c=%26"))
            try ContractError.require(response.status == .created, "Expected 201, got \(response.status)")
            guard let sent = server.requests.first else { throw ContractError("Nothing arrived") }
            try ContractError.require(sent.method == "PATCH", "Method: \(sent.method)")
            try ContractError.require(sent.target == target, "Target: \(sent.target), not \(target)")
            try ContractError.require(sent.values(of: "host") == [server.authority], "Host: \(sent.values(of: "host"))")
            let type = sent.values(of: "content-type")
            try ContractError.require(type == ["application/x-www-form-urlencoded"], "Content-Type: \(type)")
            try ContractError.require(sent.values(of: "accept") == ["application/json"], "Accept was changed")
            try ContractError.require(sent.values(of: "content-length") == ["9"], "Content-Length is not 9")
            try ContractError.require(sent.body == Array("a=b&c=%26".utf8), "The body was changed")
        },
        Check("A repeated field keeps all its values in their order") { contract in
            let server = try ContractServer(
                sending: "HTTP/1.1 200 OK\r\nX-Part: one\r\nContent-Length: 0\r\nX-Part: two\r\nX-Part: three\r\n\r\n"
            )
            let (response, _) = try await contract.loopbackTransport().send(server.request(), body: nil)
            let part = HTTPField.Name("X-Part").flatMap { response.headerFields[$0] }
            try ContractError.require(part == "one, two, three", "X-Part: \(part ?? "none")")
        },
        Check("Informational answers before the response are passed over") { contract in
            let server = try ContractServer(
                sending: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            )
            let (response, body) = try await contract.loopbackTransport().send(server.request(), body: nil)
            let bytes = try await body.collect(upTo: 16)
            try ContractError.require(response.status == .ok && bytes == Array("ok".utf8), "Got \(response.status)")
        },
        Check("The answer to HEAD has no body, whatever its Content-Length") { contract in
            try await contract.hasNoBody(.head, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        },
        Check("204 has no body") { contract in
            try await contract.hasNoBody(.get, "HTTP/1.1 204 No Content\r\n\r\n")
        },
        Check("304 has no body, whatever its Content-Length") { contract in
            try await contract.hasNoBody(.get, "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n")
        },
        Check("An answer with Content-Length 0 has an empty body") { contract in
            try await contract.hasNoBody(.get, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        },
    ]

    private func hasNoBody(_ method: HTTPRequest.Method, _ answer: String) async throws {
        let server = try ContractServer(sending: answer, then: .hang)
        let (_, body) = try await self.loopbackTransport().send(server.request(method: method), body: nil)
        let bytes = try await body.collect(upTo: 16)
        try ContractError.require(bytes.isEmpty, "There are \(bytes.count) bytes")
    }
}
