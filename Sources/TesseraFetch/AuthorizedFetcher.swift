// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import Tessera

/// Calls an API with somebody's token: the token in the header and nowhere else, to the origins it is meant for and
/// nowhere else, once more when it was refused.
///
/// A 401 asks the source for another token, which refreshes only when the refused one is still the current one, and
/// sends the request once more if its body can be sent again. A redirect to another origin is not followed: its response
/// is returned. `GET` and `HEAD` follow up to five redirects within the origin. A token that is bound to a key goes with a
/// proof of its own for each sending, and once more when the API demands a nonce in it.
///
/// - SeeAlso: [RFC 6750, section 2.1](https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1),
///   [RFC 9449, section 7](https://www.rfc-editor.org/rfc/rfc9449.html#section-7)
public struct AuthorizedFetcher: Sendable {
    /// Where the tokens come from.
    public let source: any AccessTokenSource
    /// The network.
    public let transport: any HTTPTransport
    /// How many redirects within the origin are followed.
    public static let redirectLimit = 5

    /// A fetcher.
    public init(_ source: any AccessTokenSource, transport: any HTTPTransport) {
        self.source = source
        self.transport = transport
    }

    /// Sends a request with a token; an `Authorization` field that it has already is replaced.
    ///
    /// - Returns: the response, whatever its status; a 401 that a fresh token did not mend is one too.
    /// - Throws: ``OriginRefused`` before anything is read or sent, when the URL's origin is not authorized;
    ///   ``InvalidRequest`` for a token in the URL's query; what the source and the transport throw.
    public func send(_ request: HTTPRequest, body: HTTPBody? = nil) async throws -> (HTTPResponse, HTTPBody) {
        let answer = try await self.answer(to: request, body)
        return (answer.response, answer.body)
    }

    /// The whole answer of a call that has to succeed.
    ///
    /// - Parameters:
    ///   - request: the call.
    ///   - body: its body; sent again after a 401 only when it is replayable.
    ///   - limit: how many bytes of the answer's body are taken at most.
    /// - Returns: the answer's body.
    /// - Throws: ``BearerChallenge`` for a 401 or 403 that carries one, ``HTTPStatusError`` for any other status outside
    ///   200…299; what ``send(_:body:)`` throws.
    public func data(for request: HTTPRequest, body: HTTPBody? = nil, upTo limit: Int = 16 << 20) async throws
        -> [UInt8]
    {
        let answer = try await self.answer(to: request, body)
        guard 200...299 ~= answer.status else {
            // An API may repeat the token that it refuses, and the proof beside it.
            if let challenge = BearerChallenge(answer.response) {
                throw challenge.without(CarriedSecrets([answer.token.secret, answer.proof]))
            }
            throw HTTPStatusError(status: answer.status, endpoint: "API")
        }
        return try await answer.body.collect(upTo: limit)
    }

    private func answer(to request: HTTPRequest, _ body: HTTPBody?) async throws -> Answer {
        try self.check(request)
        let token = try await self.source.accessToken()
        if token.dpop != nil { return try await self.answer(to: request, body, bound: token) }
        let answer = try await self.answer(to: request, body, token)
        guard answer.status == 401 else { return answer }
        guard BearerChallenge(answer.response)?.isInsufficientScope != true else { return answer }
        let newer = try await self.source.refused(token)
        // The source knows now, also when this body cannot be sent again: the caller's own next try gets a fresh token.
        guard newer != token, body?.isReplayable ?? true else { return answer }
        await Self.drain(answer.body)
        return try await self.answer(to: request, body, newer)
    }

    private func answer(to request: HTTPRequest, _ body: HTTPBody?, _ token: AccessToken) async throws -> Answer {
        var request = request
        if request.headerFields.isEmpty {
            request.headerFields = token.fields
        } else {
            request.headerFields[fields: .authorization] = Array(token.fields)
        }
        var answer = Answer(try await self.transport.send(request, body: body), to: token)
        var redirects = 0
        while 300...399 ~= answer.status, redirects < Self.redirectLimit,
            let target = Redirect.target(of: answer.response, to: request)
        {
            redirects += 1
            request.path = target
            await Self.drain(answer.body)
            answer = Answer(try await self.transport.send(request, body: nil), to: token)
        }
        return answer
    }

    /// Reads a short answer that nobody wants to its end: its connection can be used again then.
    static func drain(_ body: HTTPBody) async { _ = try? await body.collect(upTo: 1 << 16) }

    private func check(_ request: HTTPRequest) throws {
        let origins = self.source.authorizedOrigins
        let (scheme, authority) = (request.scheme, request.authority)
        guard origins.contains(where: { $0.contains(scheme: scheme, authority: authority) }) else {
            throw OriginRefused(
                origin: "\(scheme ?? "?")://\(authority ?? "?")",
                authorizedOrigins: origins
            )
        }
        // RFC 9700, section 4.3.2: a token in a URL ends up in logs and histories.
        if let path = request.path, Self.namesAccessToken(path) {
            throw InvalidRequest("access_token", reason: "a token does not belong into a URL")
        }
    }

    /// Whether the query has a parameter of that name; over bytes, since every call asks.
    private static func namesAccessToken(_ path: String) -> Bool {
        var path = path
        return path.withUTF8 { path in
            path.indices.contains { index in
                (path[index] == UInt8(ascii: "?") || path[index] == UInt8(ascii: "&"))
                    && path[(index + 1)...].starts(with: "access_token=".utf8)
            }
        }
    }
}

extension AuthorizedFetcher {
    /// A response, its body, its status, which is text in the response and read once, and the token that it answers.
    struct Answer {
        let response: HTTPResponse
        let body: HTTPBody
        let status: Int
        let token: AccessToken
        /// What came with a token that is bound to a key.
        var proof: Secret?

        init(_ answer: (HTTPResponse, HTTPBody), to token: AccessToken) {
            (self.response, self.body) = answer
            self.status = answer.0.status.code
            self.token = token
        }
    }
}
