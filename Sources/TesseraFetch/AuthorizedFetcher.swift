// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import Tessera
public import TesseraOAuth

/// Calls an API with somebody's token: the token in the header and nowhere else, to the origins it is meant for and
/// nowhere else, once more when it was refused, and again when a failure passes by itself.
///
/// A 401 asks the source for another token, which refreshes only when the refused one is still the current one, and
/// sends the request once more if its body can be sent again. A token that is bound to a key goes with a proof of its own
/// for each sending, and once more when the API demands a nonce in it. What else is sent again, and which redirects are
/// followed, ``FetchSettings`` say.
///
/// - SeeAlso: [RFC 6750, section 2.1](https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1),
///   [RFC 9449, section 7](https://www.rfc-editor.org/rfc/rfc9449.html#section-7)
public struct AuthorizedFetcher: Sendable {
    /// What a fetcher is made of: a copy of a fetcher, and each call makes some, is one reference.
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

    /// The network.
    public var transport: any HTTPTransport { self.runtime.transport }

    /// A fetcher.
    public init(
        _ source: any AccessTokenSource,
        transport: any HTTPTransport,
        settings: FetchSettings = FetchSettings()
    ) {
        self.init(source, runtime: OAuthRuntime(transport: transport), settings: settings)
    }

    /// A fetcher in a world of the caller's: for tests, with a clock and randomness that repeat.
    public init(_ source: any AccessTokenSource, runtime: OAuthRuntime, settings: FetchSettings = FetchSettings()) {
        self.storage = Storage(source, settings, runtime)
    }

    /// Sends a request with a token; an `Authorization` field that it has already is replaced.
    ///
    /// - Parameters:
    ///   - request: the call.
    ///   - body: its body; sent again only when it is replayable.
    ///   - options: what the request does not say.
    /// - Returns: the response, whatever its status; a 401 that a fresh token did not mend is one too.
    /// - Throws: `OriginRefused` before anything is read or sent, when the URL's origin is not authorized;
    ///   `InvalidRequest` for a token in the URL's query; what the source and the transport throw.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> (HTTPResponse, HTTPBody) {
        try await self.call(request, body, options) { ($0.response, $0.body) }
    }

    /// The whole answer of a call that has to succeed.
    ///
    /// An answer that breaks off is a failure like one that does not come.
    ///
    /// - Parameters:
    ///   - request: the call.
    ///   - body: its body; sent again only when it is replayable.
    ///   - limit: how many bytes of the answer's body are taken at most.
    ///   - options: what the request does not say.
    /// - Returns: the answer's body.
    /// - Throws: `BearerChallenge` for a 401 or 403 that carries one, `HTTPStatusError` for any other status outside
    ///   200…299; what ``send(_:body:options:)`` throws.
    public func data(
        for request: HTTPRequest,
        body: HTTPBody? = nil,
        upTo limit: Int = 16 << 20,
        options: CallOptions = CallOptions()
    ) async throws -> [UInt8] {
        try await self.exchange(request, body: body, upTo: limit, options: options).body
    }

    /// The answer of a call that has to succeed, whose body is read as it comes.
    package func opened(
        _ request: HTTPRequest,
        options: CallOptions
    ) async throws -> (response: HTTPResponse, body: HTTPBody) {
        try await self.call(request, nil, options) { answer in
            guard 200...299 ~= answer.status else { throw await answer.failure(at: self.runtime.now(), self.settings) }
            return (answer.response, answer.body)
        }
    }

    /// The whole answer with its head.
    package func exchange(
        _ request: HTTPRequest,
        body: HTTPBody?,
        upTo limit: Int,
        options: CallOptions
    ) async throws -> WholeAnswer {
        try await self.call(request, body, options) { answer in
            guard 200...299 ~= answer.status else { throw await answer.failure(at: self.runtime.now(), self.settings) }
            let bytes = try await answer.body.collect(upTo: limit)
            return WholeAnswer(
                response: answer.response,
                body: bytes,
                token: answer.token,
                secrets: answer.secrets
            )
        }
    }

    /// Reads a short answer that nobody wants to its end: its connection can be used again then.
    static func drain(_ body: HTTPBody) async { _ = try? await body.collect(upTo: 1 << 16) }
}
