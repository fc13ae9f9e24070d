// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera

/// A network that is not there.
struct OfflineTransport: HTTPTransport {
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        throw TransportError(.cannotConnect, host: request.authority)
    }
}
