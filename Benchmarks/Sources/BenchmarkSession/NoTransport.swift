// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import Tessera

/// A fresh token needs no network.
public struct NoTransport: HTTPTransport {
    /// No network.
    public init() {}

    /// Throws ``TransportError`` `cannotConnect`.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        throw TransportError(.cannotConnect)
    }
}
