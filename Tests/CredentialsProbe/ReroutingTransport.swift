// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth

/// A transport that sends all requests to a local server, which reads the original URL from the field
/// `X-Original-URL`.
struct ReroutingTransport: HTTPTransport {
    let port: Int
    let transport: any HTTPTransport

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        var rerouted = request
        rerouted.scheme = "http"
        rerouted.authority = "127.0.0.1:\(self.port)"
        if let name = HTTPField.Name("X-Original-URL") {
            rerouted.headerFields[name] =
                "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
        }
        return try await self.transport.send(rerouted, body: body)
    }
}
