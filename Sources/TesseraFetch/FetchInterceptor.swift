// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

/// Stands between a call and its sending: adds fields, looks at answers, counts, or answers itself.
///
/// It is asked at each attempt, so also when a call is made again, and before the token is added: the token is the
/// network's alone. A request that it leads to an origin to which the token may not go is refused.
public protocol FetchInterceptor: Sendable {
    /// Sends a request on by `next`, changed or not, and returns its answer, or another one.
    func intercept(
        _ request: HTTPRequest,
        body: HTTPBody?,
        next: FetchChain
    ) async throws -> (HTTPResponse, HTTPBody)
}

/// What follows an interceptor: the interceptors after it, and then the sending.
///
/// An interceptor calls it like a function. It is a type of its own because the type of an asynchronous closure depends
/// on the compiler settings of the module that names it.
public struct FetchChain: Sendable {
    private let send: @Sendable (HTTPRequest, HTTPBody?) async throws -> (HTTPResponse, HTTPBody)

    init(_ send: @escaping @Sendable (HTTPRequest, HTTPBody?) async throws -> (HTTPResponse, HTTPBody)) {
        self.send = send
    }

    /// Sends a request on, and returns its response.
    public func callAsFunction(_ request: HTTPRequest, _ body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try await self.send(request, body)
    }
}
