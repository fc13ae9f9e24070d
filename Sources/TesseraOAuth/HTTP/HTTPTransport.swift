// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

/// Sends one HTTP request and returns its response: the only door to the network.
///
/// The contract, which `HTTPTransportContract` of `TesseraTesting` checks:
/// - redirects are not followed: a 3xx answer is a response like any other;
/// - no cookies, no cache, no credentials added, the `Authorization` header is sent as given and to nobody else;
/// - only `https`; plain `http` only to a loopback address and only when the transport was made with
///   ``Insecure/loopbackHTTP``; otherwise ``TransportError`` `insecureURL`, before anything is sent;
/// - the task's cancellation ends the exchange and throws `CancellationError`;
/// - the transport bounds the wait for the response head and the idle time between parts of a body (a default of
///   30 seconds each); a total deadline is the caller's;
/// - the body is a stream: nothing is held in memory but what the reader has not taken yet; letting go of it closes
///   the connection or drains it, as the transport sees fit;
/// - failures are ``TransportError``, never text with a URL's query in it.
public protocol HTTPTransport: Sendable {
    /// Sends `request`, whose `scheme`, `authority` and `path` make the URL, with `body`, and returns the response's
    /// head and its body.
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody)
}
