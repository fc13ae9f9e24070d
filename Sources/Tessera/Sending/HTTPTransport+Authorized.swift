// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
package import TesseraOAuth

extension HTTPTransport {
    /// Sends a request with a token of `source`: the one place that replays a call after a 401, proves the possession of
    /// a key and follows redirects.
    ///
    /// A 401 brings at most one other token, and a demand for a DPoP nonce at most one other proof. Neither is treated as
    /// the other, and a body that can be read once is never sent again. The source learns of a refused token in any case,
    /// so that the next call has a new one. After a redirect out of the origin nothing has a token, and no response is
    /// about one.
    ///
    /// - Parameters:
    ///   - original: The request. Its `Authorization` fields are replaced.
    ///   - originalBody: The request's body.
    ///   - source: Where the tokens come from.
    ///   - origins: Where the tokens may be sent, nil for any origin.
    ///   - redirects: Which redirects are followed.
    /// - Returns: The response, whatever its status.
    /// - Throws: `UnauthorizedOriginError` and `InvalidRequestError` before a token is read, ``TokenUnavailable`` for an error of the
    ///   source, and what the transport throws.
    /// - SeeAlso: [RFC 6750, section 2.1](https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1),
    ///   [RFC 9449, sections 7 and 9](https://www.rfc-editor.org/rfc/rfc9449.html#section-7)
    package func send(
        _ original: HTTPRequest,
        body originalBody: HTTPBody? = nil,
        authorizedBy source: any AccessTokenSource,
        within origins: [OriginPattern]?,
        following redirects: RedirectPolicy = .none
    ) async throws -> AuthorizedResponse {
        try original.check(within: origins)
        var token: AccessToken
        do { token = try await source.accessToken() } catch { throw TokenUnavailable(cause: error) }
        var (request, body, followed) = (original, originalBody, 0)
        var (isForeign, mayProveAgain, mayReplace) = (false, true, true)
        while true {
            if !isForeign { try token.authorize(&request) }
            let (head, content) = try await self.send(request, body: body)
            var response = AuthorizedResponse(head, content, token: token)
            response.isForeign = isForeign
            if token.dpop != nil { response.proof = request.headerFields[.dpop].map { Secret($0) } }
            let hasNonce = !isForeign && token.learn(from: head, to: request)
            if 300...399 ~= response.status, followed < redirects.limit,
                let redirect = HTTPRedirect(of: head, to: request, redirects)
            {
                (request, body, followed) = (redirect.request, nil, followed + 1)
                isForeign = isForeign || redirect.leavesOrigin
            } else if response.status != 401 || isForeign {
                return response
            } else {
                switch token.remedy(for: head, hasNonce: hasNonce) {
                case .none:
                    return response
                case .proof:
                    guard mayProveAgain, body?.isReplayable ?? true else { return response }
                    mayProveAgain = false
                case .token:
                    guard mayReplace else { return response }
                    let newer: AccessToken
                    do { newer = try await source.refused(token) } catch { throw TokenUnavailable(cause: error) }
                    guard newer != token, originalBody?.isReplayable ?? true else { return response }
                    (token, request, body, followed) = (newer, original, originalBody, 0)
                    mayReplace = false
                }
            }
            await response.drain()
        }
    }
}

/// A response to a request that carried a token.
package struct AuthorizedResponse: Sendable {
    package let head: HTTPResponse
    package var body: HTTPBody
    /// The status code, which the head has as text.
    package let status: Int
    /// The token that the request carried, nil for none.
    package let token: AccessToken?
    /// The proof that the request carried, nil for none.
    package var proof: Secret?
    /// Whether a redirect led out of the origin before.
    package var isForeign = false

    package init(_ head: HTTPResponse, _ body: HTTPBody, token: AccessToken?) {
        self.head = head
        self.body = body
        self.status = head.status.code
        self.token = token
    }

    /// The secrets that the request carried, which a server may repeat.
    package var secrets: CarriedSecrets { CarriedSecrets([self.token?.secret, self.proof]) }

    /// Reads a short body to its end, so that the connection can be used again.
    package func drain() async { _ = try? await self.body.collect(upTo: 1 << 16) }
}

/// The error of a token source: no request was sent with a token.
package struct TokenUnavailable: Error {
    package let cause: any Error
}

extension AccessToken {
    /// What may make a server accept a request that it answered with 401.
    package enum Remedy: Sendable {
        case none
        /// A proof with the nonce that the response brought.
        case proof
        /// Another token.
        case token
    }

    /// Returns what may help after a 401: nothing if more scopes are needed, and no new token for a missing nonce.
    ///
    /// - SeeAlso: [RFC 6750, section 3.1](https://www.rfc-editor.org/rfc/rfc6750.html#section-3.1)
    package func remedy(for refusal: HTTPResponse, hasNonce: Bool) -> Remedy {
        if self.dpop != nil, DPoPNonceDemand.isMade(by: refusal) { return hasNonce ? .proof : .none }
        return BearerChallengeError(refusal)?.isInsufficientScope == true ? .none : .token
    }
}

extension HTTPRequest {
    /// Checks that a request may carry a token.
    ///
    /// - Throws: `UnauthorizedOriginError` for an origin that is not in `origins`, unless they are nil; `InvalidRequestError` for a token
    ///   in the URL, from where it gets into logs and histories.
    /// - SeeAlso: [RFC 9700, section 4.3.2](https://www.rfc-editor.org/rfc/rfc9700.html#section-4.3.2)
    package func check(within origins: [OriginPattern]?) throws {
        let (scheme, authority) = (self.scheme, self.authority)
        if let origins, !origins.contains(where: { $0.contains(scheme: scheme, authority: authority) }) {
            throw UnauthorizedOriginError(origin: "\(scheme ?? "?")://\(authority ?? "?")", authorizedOrigins: origins)
        }
        if let path = self.path, Self.namesAccessToken(path) {
            throw InvalidRequestError("access_token", reason: "a token does not belong into a URL")
        }
    }

    /// Whether the query has a parameter of that name; compares bytes, since every call asks.
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
