// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import HTTPTypes
import TesseraFetch
import TesseraOAuth

/// A transport that sends the requests for Google's servers to a local provider.
///
/// Tessera sends secrets only to Google. Tests and demos therefore replace the network and not the addresses.
struct LocalTransport: HTTPTransport {
    /// The host and port of the local provider.
    let authority: String
    private let transport: any HTTPTransport

    /// Creates a transport for a provider at a loopback address.
    ///
    /// - Throws: `InvalidRequestError` if the URL is not `http://` with a host and a port.
    init(provider: String, transport: any HTTPTransport) throws {
        let request = try HTTPRequest(url: provider)
        guard request.scheme == "http", let authority = request.authority else {
            throw InvalidRequestError("LOCAL_PROVIDER_URL", reason: "not an http URL")
        }
        self.authority = authority
        self.transport = transport
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        var request = request
        if let host = request.authority, host.hasSuffix(".googleapis.com") {
            request.scheme = "http"
            request.authority = self.authority
            request.path = "/cloud/\(host)\(request.path ?? "/")"
        }
        return try await self.transport.send(request, body: body)
    }
}
