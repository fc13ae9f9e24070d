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
        next: @Sendable (HTTPRequest, HTTPBody?) async throws -> (HTTPResponse, HTTPBody)
    ) async throws -> (HTTPResponse, HTTPBody)
}
