// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import LoopbackHTTP
internal import TesseraOAuth

extension HTTPTransportContract {
    /// Only https; plain http to loopback literals alone, and only with the permission.
    static let security: [Check] =
        [
            Check("Plain http is refused before anything is sent, unless permitted (7) (120)") { contract in
                let server = try ContractServer { _ in LoopbackResponse(status: 200) }
                let transport = contract.makeTransport([], TransportTimeouts())
                try await Self.expect(.insecureURL, "http without the permission") {
                    try await transport.send(server.request(), body: nil)
                }
                try ContractError.require(server.requests.isEmpty, "The server was called")
            },
            Check("A URL without scheme, authority or path is refused") { contract in
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
            Check("Plain http to \(authority) is refused even with the permission (7) (120)") { contract in
                let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
                do {
                    _ = try await contract.loopbackTransport().send(request, body: nil)
                } catch TransportError.Code.insecureURL, TransportError.Code.invalidURL {
                    return
                }
                throw ContractError("http://\(authority) was called")
            }
        }
}
