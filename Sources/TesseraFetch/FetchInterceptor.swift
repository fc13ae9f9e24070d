// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

/// Handles a call before it is sent: adds fields, inspects responses, counts, or responds itself.
///
/// It is called for each attempt, before the token is added, and never sees the token. If it changes the URL to an origin
/// that is not authorized, the call is refused.
public protocol FetchInterceptor: Sendable {
    /// Sends a request, changed or not, with `next`, and returns its response or another one.
    func intercept(
        _ request: HTTPRequest,
        body: HTTPBody?,
        next: FetchChain
    ) async throws -> (HTTPResponse, HTTPBody)
}

/// The interceptors that follow another one, and then the transport.
///
/// An interceptor calls it like a function. It is a type because the type of an asynchronous closure depends on the
/// compiler settings of the module that names it.
public struct FetchChain: Sendable {
    private let send: @Sendable (HTTPRequest, HTTPBody?) async throws -> (HTTPResponse, HTTPBody)

    init(_ send: @escaping @Sendable (HTTPRequest, HTTPBody?) async throws -> (HTTPResponse, HTTPBody)) {
        self.send = send
    }

    /// Sends a request and returns its response.
    public func callAsFunction(_ request: HTTPRequest, _ body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try await self.send(request, body)
    }
}
