// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera

/// A fresh token needs no network.
struct NoTransport: HTTPTransport {
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        throw TransportError(.cannotConnect)
    }
}
