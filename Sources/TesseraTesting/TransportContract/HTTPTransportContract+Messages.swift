// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraOAuth

extension HTTPTransportContract {
    /// Requirements for transferring requests and responses unchanged.
    static let messages: [Check] = [
        Check("Sends the method, target, fields and body unchanged") { contract in
            let server = try ContractServer { _ in LoopbackResponse(status: 201) }
            let target = "/a%2Fb;v=1/c?x=1+2&y=%7E%20&z=a:b@c!'()*,$"
            let request = server.request(
                target,
                method: .patch,
                fields: [.contentType: "application/x-www-form-urlencoded", .accept: "application/json"]
            )
            let (response, _) = try await contract.loopbackTransport().send(request, body: .init("a=b&c=%26"))
            try ContractError.require(response.status == .created, "Expected 201, got \(response.status).")
            guard let sent = server.requests.first else { throw ContractError("No request arrived.") }
            try ContractError.require(sent.method == "PATCH", "Expected the method PATCH, got \(sent.method).")
            try ContractError.require(sent.target == target, "Expected the target \(target), got \(sent.target).")
            try ContractError.require(
                sent.values(of: "host") == [server.authority],
                "Wrong Host: \(sent.values(of: "host"))."
            )
            let type = sent.values(of: "content-type")
            try ContractError.require(type == ["application/x-www-form-urlencoded"], "Wrong Content-Type: \(type).")
            try ContractError.require(
                sent.values(of: "accept") == ["application/json"],
                "The Accept field was changed."
            )
            try ContractError.require(sent.values(of: "content-length") == ["9"], "Content-Length is not 9.")
            try ContractError.require(sent.body == Array("a=b&c=%26".utf8), "The body was changed.")
        },
        Check("Preserves all values of a repeated field in order") { contract in
            let server = try ContractServer(
                sending: "HTTP/1.1 200 OK\r\nX-Part: one\r\nContent-Length: 0\r\nX-Part: two\r\nX-Part: three\r\n\r\n"
            )
            let (response, _) = try await contract.loopbackTransport().send(server.request(), body: nil)
            let part = HTTPField.Name("X-Part").flatMap { response.headerFields[$0] }
            try ContractError.require(part == "one, two, three", "Wrong X-Part: \(part ?? "none").")
        },
        Check("Skips informational responses before the final response") { contract in
            let server = try ContractServer(
                sending: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            )
            let (response, body) = try await contract.loopbackTransport().send(server.request(), body: nil)
            let bytes = try await body.collect(upTo: 16)
            try ContractError.require(
                response.status == .ok && bytes == Array("ok".utf8),
                "Expected 200 with the body, got \(response.status)."
            )
        },
        Check("A response to HEAD has no body, regardless of its Content-Length") { contract in
            try await contract.hasNoBody(.head, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        },
        Check("A 204 response has no body") { contract in
            try await contract.hasNoBody(.get, "HTTP/1.1 204 No Content\r\n\r\n")
        },
        Check("A 304 response has no body, regardless of its Content-Length") { contract in
            try await contract.hasNoBody(.get, "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n")
        },
        Check("A response with Content-Length 0 has an empty body") { contract in
            try await contract.hasNoBody(.get, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        },
    ]

    private func hasNoBody(_ method: HTTPRequest.Method, _ response: String) async throws {
        let server = try ContractServer(sending: response, then: .hang)
        let (_, body) = try await self.loopbackTransport().send(server.request(method: method), body: nil)
        let bytes = try await body.collect(upTo: 16)
        try ContractError.require(bytes.isEmpty, "The body has \(bytes.count) bytes.")
    }
}
