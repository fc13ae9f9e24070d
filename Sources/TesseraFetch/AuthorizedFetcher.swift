// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Calls are made of requests, responses and header fields.
@_exported public import HTTPTypes
public import Tessera
public import TesseraOAuth

/// Calls an API with access tokens.
///
/// The token is sent in the header only, and only to authorized origins. After a 401 the source is asked for another
/// token, which it refreshes only if the refused one is still the current one, and the request is sent once more if its
/// body can be sent again. A token that is bound to a key is sent with a new proof each time, and once more if the API
/// demands a nonce. ``FetchSettings`` say what else is sent again and which redirects are followed.
///
/// - SeeAlso: [RFC 6750, section 2.1](https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1),
///   [RFC 9449, section 7](https://www.rfc-editor.org/rfc/rfc9449.html#section-7)
public struct AuthorizedFetcher: Sendable {
    /// The contents of a fetcher in one reference, since each call copies the fetcher.
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

    /// Where the tokens come from.
    public var source: any AccessTokenSource { self.storage.source }
    /// How calls are made.
    public var settings: FetchSettings { self.storage.settings }
    package var runtime: OAuthRuntime { self.storage.runtime }

    /// Creates a fetcher.
    public init(
        _ source: any AccessTokenSource,
        transport: any HTTPTransport,
        settings: FetchSettings = FetchSettings()
    ) {
        self.init(source, runtime: OAuthRuntime(transport: transport), settings: settings)
    }

    /// Creates a fetcher with a custom runtime, such as one with the clock of a test.
    public init(_ source: any AccessTokenSource, runtime: OAuthRuntime, settings: FetchSettings = FetchSettings()) {
        self.storage = Storage(source, settings, runtime)
    }

    /// Sends a request with a token, which replaces any `Authorization` field.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: Its body, which is sent again only if it is replayable.
    ///   - options: Options of this call.
    /// - Returns: The response, whatever its status.
    /// - Throws: `UnauthorizedOriginError` before a token is read, if the URL's origin is not authorized; `InvalidRequestError` for a token
    ///   in the URL's query; the errors of the source and the transport.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> (HTTPResponse, HTTPBody) {
        try await self.call(request, body, options) { response, _ in (response.head, response.body) }
    }

    /// Returns the whole body of a successful response.
    ///
    /// A response that breaks off is a failure like a missing one.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: Its body, which is sent again only if it is replayable.
    ///   - limit: The most bytes that the response's body may have.
    ///   - options: Options of this call.
    /// - Returns: The response's body.
    /// - Throws: `BearerChallengeError` for a 401 or 403 with a challenge, `HTTPStatusError` for any other status outside
    ///   200…299, and the errors of ``send(_:body:options:)``.
    public func data(
        for request: HTTPRequest,
        body: HTTPBody? = nil,
        upTo limit: Int = 16 << 20,
        options: CallOptions = CallOptions()
    ) async throws -> [UInt8] {
        try await self.exchange(request, body: body, upTo: limit, options: options).body
    }

    /// Returns a successful response whose body is read as it arrives.
    package func opened(
        _ request: HTTPRequest,
        options: CallOptions
    ) async throws -> (response: HTTPResponse, body: HTTPBody) {
        try await self.call(request, nil, options) { response, _ in
            guard 200...299 ~= response.status else { throw await self.error(of: response) }
            return (response.head, response.body)
        }
    }

    /// Returns a successful response and its whole body.
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
    /// Calls APIs with this session's tokens, over the transport of its sign-in.
    public var fetcher: AuthorizedFetcher { self.fetcher(settings: FetchSettings()) }

    /// Returns a fetcher with this session's tokens, over the transport of its sign-in.
    public func fetcher(settings: FetchSettings) -> AuthorizedFetcher {
        AuthorizedFetcher(self, runtime: self.runtime, settings: settings)
    }
}
