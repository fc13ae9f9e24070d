// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraOAuth

extension HTTPTransportContract {
    /// Requirements for sending credentials exactly as given, retaining no data and keeping secrets out of errors.
    static let privacy: [Check] = [
        Check("Sends the Authorization field once, exactly as given") { contract in
            let server = try ContractServer { _ in LoopbackResponse(status: 200) }
            let value = "Bearer aB-._~+/19=="
            _ = try await contract.loopbackTransport()
                .send(server.request(fields: [.authorization: value]), body: nil)
            let sent = server.requests.map { $0.values(of: "authorization") }
            try ContractError.require(sent == [[value]], "The Authorization fields sent were \(sent).")
        },
        Check("Returns a 401 response without adding credentials or sending the request again") { contract in
            let server = try ContractServer { _ in
                LoopbackResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\", Bearer error=\"y\"")])
            }
            let (response, _) = try await contract.loopbackTransport().send(server.request(), body: nil)
            try ContractError.require(response.status == .unauthorized, "Expected 401, got \(response.status).")
            let sent = server.requests.map { $0.values(of: "authorization") }
            try ContractError.require(sent == [[]], "The Authorization fields sent were \(sent).")
        },
        Check("Does not store cookies") { contract in
            let server = try ContractServer { _ in
                LoopbackResponse(status: 200, headers: [("Set-Cookie", "a=b; Path=/")])
            }
            let transport = contract.loopbackTransport()
            for _ in 1...2 {
                let (_, body) = try await transport.send(server.request(), body: nil)
                _ = try await body.collect(upTo: 1 << 16)
            }
            let cookies = server.requests.flatMap { $0.values(of: "cookie") }
            try ContractError.require(cookies.isEmpty, "Cookies were sent.")
        },
        Check("Does not cache responses or send conditional requests") { contract in
            let server = try ContractServer { _ in
                LoopbackResponse(
                    status: 200,
                    headers: [("Cache-Control", "max-age=3600"), ("ETag", "\"1\"")],
                    body: Array("cached?".utf8)
                )
            }
            let transport = contract.loopbackTransport()
            for _ in 1...2 {
                let (_, body) = try await transport.send(server.request(), body: nil)
                _ = try await body.collect(upTo: 1 << 16)
            }
            try ContractError.require(server.requests.count == 2, "Expected 2 requests, got \(server.requests.count).")
            let conditions = server.requests.flatMap { $0.values(of: "if-none-match") }
            try ContractError.require(conditions.isEmpty, "A conditional request was sent.")
        },
        Check("Errors do not contain the query, the fields or the body") { contract in
            let server = try ContractServer(sending: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            let request = server.request("/cb?code=canary-query", fields: [.authorization: "Bearer canary-field"])
            do {
                let (_, body) = try await contract.loopbackTransport().send(request, body: .init("canary-body"))
                _ = try await body.collect(upTo: 1 << 16)
                throw ContractError("The truncated response was accepted.")
            } catch let error as TransportError {
                var text = "\(error) \(String(reflecting: error)) \(error.recoverySuggestion ?? "")"
                dump(error, to: &text)
                try ContractError.require(!text.contains("canary"), "The error contains parts of the request.")
            }
        },
    ]
}

extension HTTPTransportContract {
    /// Requirements for returning redirects to the caller instead of following them.
    static let redirects: [Check] =
        [301, 302, 303, 307, 308]
        .flatMap { status in
            [
                Check("Does not follow a \(status) to another origin") {
                    try await $0.doesNotFollow(status, method: .get)
                },
                Check("Does not follow a \(status) response to a POST to another origin") {
                    try await $0.doesNotFollow(status, method: .post)
                },
            ]
        } + [
            Check("Does not follow a redirect to the same origin") { contract in
                let server = try ContractServer { _ in LoopbackResponse(status: 302, headers: [("Location", "/other")])
                }
                let (response, _) = try await contract.loopbackTransport().send(server.request(), body: nil)
                try ContractError.require(response.status.code == 302, "Expected 302, got \(response.status).")
                try ContractError.require(
                    server.requests.count == 1,
                    "Expected 1 request, got \(server.requests.count)."
                )
            }
        ]

    private func doesNotFollow(_ status: Int, method: HTTPRequest.Method) async throws {
        let other = try ContractServer { _ in LoopbackResponse(status: 200) }
        let location = "http://\(other.authority)/stolen"
        let server = try ContractServer { _ in LoopbackResponse(status: status, headers: [("Location", location)]) }
        let request = server.request(method: method, fields: [.authorization: "Bearer of-the-first-origin"])
        let (response, body) = try await self.loopbackTransport()
            .send(request, body: method == .post ? .init("grant_type=refresh_token") : nil)
        _ = try await body.collect(upTo: 1 << 16)
        try ContractError.require(response.status.code == status, "Expected \(status), got \(response.status.code).")
        try ContractError.require(
            response.headerFields[.location] == location,
            "The Location field is missing or was changed."
        )
        try ContractError.require(
            server.requests.count == 1,
            "The first origin received \(server.requests.count) requests."
        )
        try ContractError.require(other.requests.isEmpty, "The other origin received a request.")
    }
}

extension HTTPTransportContract {
    /// Requirements for rejecting all URLs except https, and plain http to a loopback address literal if permitted.
    static let security: [Check] =
        [
            Check("Rejects plain http before sending anything, unless permitted") { contract in
                let server = try ContractServer { _ in LoopbackResponse(status: 200) }
                let transport = contract.makeTransport([], TransportTimeouts())
                try await Self.expect(.insecureURL, "http without permission") {
                    try await transport.send(server.request(), body: nil)
                }
                try ContractError.require(server.requests.isEmpty, "The server received a request.")
            },
            Check("Rejects a URL with a missing or invalid scheme, authority or path") { contract in
                for (scheme, authority, path) in [
                    (nil, "localhost", "/"), ("https", nil, "/"), ("https", "localhost", nil), ("https", "", "/"),
                    ("ftp", "localhost", "/"), ("javascript", "localhost", "/"), ("https", "localhost", "no-slash"),
                    ("https", "localhost", "/#fragment"), ("https", "a b", "/"), ("https", "localhost", "/a b"),
                    ("https", "localhost:", "/"), ("https", "localhost:0", "/"), ("https", "localhost:65536", "/"),
                    ("https", "[::1", "/"), ("https", "user:password@localhost", "/"), ("https", "localhost/", "/"),
                ] as [(String?, String?, String?)] {
                    let request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path)
                    try await Self.expect(.invalidURL, "\(scheme ?? "-") \(authority ?? "-") \(path ?? "-")") {
                        try await contract.loopbackTransport().send(request, body: nil)
                    }
                }
            },
        ]
        + [
            "example.com", "127.0.0.1.example.com", "localhost.example.com", "localhost.", "0.0.0.0", "127.1",
            "0177.0.0.1",
            "127.0.0.01", "127.0.0.256", "127.0.0.", "2130706433", "0x7f.0.0.1", "128.0.0.1", "[::2]", "[::]",
            "[::ffff:127.0.0.1]", "[::1]:80@example.com", "127.0.0.1@example.com", "127.0.0.1%2eexample.com",
        ]
        .map { authority in
            Check("Rejects plain http to \(authority) even if loopback http is permitted") { contract in
                let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
                do {
                    _ = try await contract.loopbackTransport().send(request, body: nil)
                } catch TransportError.Code.insecureURL, TransportError.Code.invalidURL {
                    return
                }
                throw ContractError("A request to http://\(authority) was sent.")
            }
        }
}
