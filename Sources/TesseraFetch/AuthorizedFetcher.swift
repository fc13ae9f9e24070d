// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Requests, responses and header fields are part of this module's API.
@_exported public import HTTPTypes
public import Tessera
public import TesseraOAuth

/// Calls an API with access tokens.
///
/// The token is sent only in the header, and only to authorized origins. After a 401 response, the fetcher gets another
/// token from its source and sends the request once more if the body is replayable. The source refreshes the token only
/// if the rejected token is still current. A key-bound token is sent with a new proof for each request, and the request
/// is repeated once if the API requires a nonce. ``FetchSettings`` controls retries and redirects.
///
/// - SeeAlso: [RFC 6750, section 2.1](https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1),
///   [RFC 9449, section 7](https://www.rfc-editor.org/rfc/rfc9449.html#section-7)
public struct AuthorizedFetcher: Sendable {
    /// The fetcher's contents, stored in a single reference because each call copies the fetcher.
    private final class Storage: Sendable {
        let source: any AccessTokenSource
        let settings: FetchSettings
        let runtime: OAuthRuntime

        init(_ source: any AccessTokenSource, _ settings: FetchSettings, _ runtime: OAuthRuntime) {
            self.source = source
            self.settings = settings
            self.runtime = runtime
        }
    }

    private let storage: Storage

    /// The source of the access tokens.
    public var source: any AccessTokenSource { self.storage.source }
    /// The settings for the fetcher's calls.
    public var settings: FetchSettings { self.storage.settings }
    package var runtime: OAuthRuntime { self.storage.runtime }

    /// Creates a fetcher that sends its requests over a transport.
    public init(
        _ source: any AccessTokenSource,
        transport: any HTTPTransport,
        settings: FetchSettings = FetchSettings()
    ) {
        self.init(source, runtime: OAuthRuntime(transport: transport), settings: settings)
    }

    /// Creates a fetcher with a custom runtime, such as one with a test clock.
    public init(_ source: any AccessTokenSource, runtime: OAuthRuntime, settings: FetchSettings = FetchSettings()) {
        self.storage = Storage(source, settings, runtime)
    }

    /// Sends a request with a token, which replaces an existing `Authorization` field.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The request body, which is sent again only if it is replayable.
    ///   - options: The options for this call.
    /// - Returns: The response, regardless of its status.
    /// - Throws: `UnauthorizedOriginError` if the URL's origin is not authorized, in which case no token is read,
    ///   `InvalidRequestError` if the URL's query contains a token, or any error that the source or the transport
    ///   throws.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> (HTTPResponse, HTTPBody) {
        try await self.call(request, body, options) { response, _ in (response.head, response.body) }
    }

    /// Sends a request and returns the complete body of a successful response.
    ///
    /// A response with an incomplete body is retried like a missing response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The request body, which is sent again only if it is replayable.
    ///   - limit: The maximum size of the response body in bytes.
    ///   - options: The options for this call.
    /// - Returns: The response body.
    /// - Throws: `BearerChallengeError` for a 401 or 403 response with a challenge, `HTTPStatusError` for any other
    ///   status outside 200–299, or any error that ``send(_:body:options:)`` throws.
    public func data(
        for request: HTTPRequest,
        body: HTTPBody? = nil,
        upTo limit: Int = 16 << 20,
        options: CallOptions = CallOptions()
    ) async throws -> [UInt8] {
        try await self.exchange(request, body: body, upTo: limit, options: options).body
    }

    /// Returns a successful response with a body that can be read as it arrives.
    package func opened(
        _ request: HTTPRequest,
        options: CallOptions
    ) async throws -> (response: HTTPResponse, body: HTTPBody) {
        try await self.call(request, nil, options) { response, _ in
            guard 200...299 ~= response.status else { throw await self.error(of: response) }
            return (response.head, response.body)
        }
    }

    /// Returns a successful response and its complete body.
    package func exchange(
        _ request: HTTPRequest,
        body: HTTPBody?,
        upTo limit: Int,
        options: CallOptions
    ) async throws -> (response: AuthorizedResponse, body: [UInt8]) {
        try await self.call(request, body, options) { response, _ in
            guard 200...299 ~= response.status else { throw await self.error(of: response) }
            return (response, try await response.body.collect(upTo: limit))
        }
    }
}

extension OAuthSession {
    /// A fetcher that uses this session's tokens and the transport it signed in with.
    public var fetcher: AuthorizedFetcher { self.fetcher(settings: FetchSettings()) }

    /// Returns a fetcher that uses this session's tokens and the transport it signed in with.
    public func fetcher(settings: FetchSettings) -> AuthorizedFetcher {
        AuthorizedFetcher(self, runtime: self.runtime, settings: settings)
    }
}
