// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

/// Intercepts calls, for example to add fields, inspect or log responses, or respond without the network.
///
/// An interceptor is called for each attempt before the token is added, and it never has access to the token. If it
/// changes the URL to an unauthorized origin, the call fails.
public protocol FetchInterceptor: Sendable {
    /// Passes a request, modified or not, to `next` and returns the response, or returns a different response.
    func intercept(
        _ request: HTTPRequest,
        body: HTTPBody?,
        next: FetchChain
    ) async throws -> (HTTPResponse, HTTPBody)
}

/// The remaining interceptors, followed by the transport.
///
/// An interceptor calls the chain like a function. The chain is a type rather than a closure because the type of an
/// asynchronous closure depends on the compiler settings of the module that declares it.
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
