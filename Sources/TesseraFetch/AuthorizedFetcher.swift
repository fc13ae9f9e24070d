// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import Tessera

/// Calls an API with somebody's token: the token in the header and nowhere else, to the origins it is meant for and
/// nowhere else, once more when it was refused.
///
/// A 401 asks the source for another token, which refreshes only when the refused one is still the current one, and
/// sends the request once more if its body can be sent again. A redirect to another origin is not followed: its response
/// is returned. `GET` and `HEAD` follow up to five redirects within the origin.
///
/// - SeeAlso: [RFC 6750, section 2.1](https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1)
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
        try self.check(request)
        let token = try await self.source.accessToken()
        let answer = try await self.send(request, body, token)
        guard answer.0.status.code == 401 else { return answer }
        guard BearerChallenge(answer.0)?.isInsufficientScope != true else { return answer }
        let newer = try await self.source.refused(token)
        // The source knows now, also when this body cannot be sent again: the caller's own next try gets a fresh token.
        guard newer != token, body?.isReplayable ?? true else { return answer }
        await Self.drain(answer.1)
        return try await self.send(request, body, newer)
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
        let (response, answer) = try await self.send(request, body: body)
        guard response.status.kind == .successful else {
            if let challenge = BearerChallenge(response) { throw challenge }
            throw HTTPStatusError(status: Int(response.status.code), endpoint: "API")
        }
        return try await answer.collect(upTo: limit)
    }

    private func send(
        _ request: HTTPRequest,
        _ body: HTTPBody?,
        _ token: AccessToken
    ) async throws -> (HTTPResponse, HTTPBody) {
        var request = request
        request.headerFields[fields: .authorization] = [token.field]
        var answer = try await self.transport.send(request, body: body)
        var redirects = 0
        while let target = Redirect.target(of: answer.0, to: request), redirects < Self.redirectLimit {
            redirects += 1
            request.path = target
            await Self.drain(answer.1)
            answer = try await self.transport.send(request, body: nil)
        }
        return answer
    }

    /// Reads a short answer that nobody wants to its end: its connection can be used again then.
    private static func drain(_ body: HTTPBody) async { _ = try? await body.collect(upTo: 1 << 16) }

    private func check(_ request: HTTPRequest) throws {
        let origins = self.source.authorizedOrigins
        guard origins.contains(where: { $0.contains(scheme: request.scheme, authority: request.authority) }) else {
            throw OriginRefused(
                origin: "\(request.scheme ?? "?")://\(request.authority ?? "?")",
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
        var rest = path.utf8[...]
        while let mark = rest.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") }) {
            rest = rest[rest.index(after: mark)...]
            if rest.starts(with: "access_token=".utf8) { return true }
        }
        return false
    }
}
