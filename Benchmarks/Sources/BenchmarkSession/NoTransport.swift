// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import Tessera

/// A transport without a network, for sessions with a fresh token.
public struct NoTransport: HTTPTransport {
    /// Creates the transport.
    public init() {}

    /// Throws ``TransportError`` `cannotConnect`.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        throw TransportError(.cannotConnect)
    }
}
