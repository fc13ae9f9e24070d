// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraOAuth

extension HTTPTransportContract {
    /// Nothing is added, kept or told.
    static let privacy: [Check] = [
        Check("The Authorization field is sent once, exactly as given (120)") { contract in
            let server = try ContractServer { _ in LoopbackResponse(status: 200) }
            let value = "Bearer aB-._~+/19=="
            _ = try await contract.loopbackTransport()
                .send(server.request(fields: [.authorization: value]), body: nil)
            let sent = server.requests.map { $0.values(of: "authorization") }
            try ContractError.require(sent == [[value]], "Sent \(sent)")
        },
        Check("A 401 is a response; no credentials are added and nothing is sent again") { contract in
            let server = try ContractServer { _ in
                LoopbackResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\", Bearer error=\"y\"")])
            }
            let (response, _) = try await contract.loopbackTransport().send(server.request(), body: nil)
            try ContractError.require(response.status == .unauthorized, "Expected 401, got \(response.status)")
            let sent = server.requests.map { $0.values(of: "authorization") }
            try ContractError.require(sent == [[]], "Authorization fields sent: \(sent)")
        },
        Check("Cookies are not kept") { contract in
            let server = try ContractServer { _ in
                LoopbackResponse(status: 200, headers: [("Set-Cookie", "a=b; Path=/")])
            }
            let transport = contract.loopbackTransport()
            for _ in 1...2 {
                let (_, body) = try await transport.send(server.request(), body: nil)
                _ = try await body.collect(upTo: 1 << 16)
            }
            let cookies = server.requests.flatMap { $0.values(of: "cookie") }
            try ContractError.require(cookies.isEmpty, "Cookies were sent")
        },
        Check("Nothing is cached, and no request is made conditional") { contract in
            let server = try ContractServer { _ in
                LoopbackResponse(
                    status: 200,
                    headers: [("Cache-Control", "max-age=3600"), ("ETag", "\"1\"")],
                    body: Array("kept?".utf8)
                )
            }
            let transport = contract.loopbackTransport()
            for _ in 1...2 {
                let (_, body) = try await transport.send(server.request(), body: nil)
                _ = try await body.collect(upTo: 1 << 16)
            }
            try ContractError.require(server.requests.count == 2, "Requests: \(server.requests.count), not 2")
            let conditions = server.requests.flatMap { $0.values(of: "if-none-match") }
            try ContractError.require(conditions.isEmpty, "A condition was added")
        },
        Check("An error says nothing of the query, the fields or the body (61) (124)") { contract in
            let server = try ContractServer(sending: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            let request = server.request("/cb?code=canary-query", fields: [.authorization: "Bearer canary-field"])
            do {
                let (_, body) = try await contract.loopbackTransport().send(request, body: .init("canary-body"))
                _ = try await body.collect(upTo: 1 << 16)
                throw ContractError("The truncated answer was accepted")
            } catch let error as TransportError {
                var text = "\(error) \(String(reflecting: error)) \(error.recoverySuggestion ?? "")"
                dump(error, to: &text)
                try ContractError.require(!text.contains("canary"), "The error tells what was sent")
            }
        },
    ]
}
