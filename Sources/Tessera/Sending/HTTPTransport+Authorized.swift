// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
package import TesseraOAuth

extension HTTPTransport {
    /// Sends a request with an access token, and handles 401 responses, DPoP proofs and redirects.
    ///
    /// A 401 response causes at most one retry with a new token, and a request for a DPoP nonce causes at most one
    /// retry with a new proof. A body that can be read only once is never sent again, but the source is still informed
    /// about a rejected token, so that the next call uses a new one. After a redirect to another origin, requests do
    /// not contain a token, and 401 responses are returned unchanged.
    ///
    /// - Parameters:
    ///   - original: The request, whose `Authorization` fields are replaced.
    ///   - originalBody: The request body.
    ///   - source: The source of access tokens.
    ///   - origins: The origins that tokens may be sent to, or nil for any origin.
    ///   - redirects: The policy that determines which redirects are followed.
    /// - Returns: The response, regardless of its status.
    /// - Throws: `UnauthorizedOriginError` or `InvalidRequestError` before a token is obtained, ``TokenUnavailable`` if
    ///   the source throws, or any error that the transport throws.
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
            let hasNonce = !isForeign && token.updateNonce(from: head, to: request)
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
                    do {
                        newer = try await source.replacement(forRejected: token)
                    } catch {
                        throw TokenUnavailable(cause: error, isBodyUsed: originalBody?.isReplayable == false)
                    }
                    guard newer != token, originalBody?.isReplayable ?? true else { return response }
                    (token, request, body, followed) = (newer, original, originalBody, 0)
                    mayReplace = false
                }
            }
            await response.drain()
        }
    }

    /// Sends a request without a token, and follows redirects.
    ///
    /// - Parameters:
    ///   - original: The request.
    ///   - originalBody: The request body.
    ///   - redirects: The policy that determines which redirects are followed.
    /// - Returns: The response, regardless of its status.
    /// - Throws: Any error that the transport throws.
    package func send(
        _ original: HTTPRequest,
        body originalBody: HTTPBody?,
        following redirects: RedirectPolicy
    ) async throws -> AuthorizedResponse {
        var (request, body, followed, isForeign) = (original, originalBody, 0, false)
        while true {
            let (head, content) = try await self.send(request, body: body)
            var response = AuthorizedResponse(head, content, token: nil)
            response.isForeign = isForeign
            guard 300...399 ~= response.status, followed < redirects.limit,
                let redirect = HTTPRedirect(of: head, to: request, redirects)
            else { return response }
            await response.drain()
            (request, body, followed) = (redirect.request, nil, followed + 1)
            isForeign = isForeign || redirect.leavesOrigin
        }
    }
}

/// The response to an authorized request.
package struct AuthorizedResponse: Sendable {
    package let head: HTTPResponse
    package var body: HTTPBody
    /// The status code as an integer.
    package let status: Int
    /// The token that the request carried, or nil if it had none.
    package let token: AccessToken?
    /// The DPoP proof that the request carried, or nil if it had none.
    package var proof: Secret?
    /// Whether a redirect to another origin was followed.
    package var isForeign = false

    package init(_ head: HTTPResponse, _ body: HTTPBody, token: AccessToken?) {
        self.head = head
        self.body = body
        self.status = head.status.code
        self.token = token
    }

    /// The secrets that the request carried, which a server might repeat in its response.
    package var secrets: ExchangeSecrets { ExchangeSecrets([self.token?.secret, self.proof]) }

    /// Reads a short body to its end, so that the connection can be reused.
    package func drain() async { _ = try? await self.body.collect(upTo: 1 << 16) }
}

/// The error of a token source, thrown before a request is sent or after the server rejected its token.
package struct TokenUnavailable: Error {
    package let cause: any Error
    /// Whether the request's body was sent and can be read only once, so that the request cannot be repeated.
    package var isBodyUsed = false
}

extension AccessToken {
    /// A change that may make a server accept a request after a 401 response.
    package enum Remedy: Sendable {
        case none
        /// A proof with the nonce from the response.
        case proof
        /// A new token.
        case token
    }

    /// Returns the change with which to retry a request after a 401 response.
    ///
    /// There is no remedy for a missing scope, and a request for a nonce never leads to a new token.
    ///
    /// - SeeAlso: [RFC 6750, section 3.1](https://www.rfc-editor.org/rfc/rfc6750.html#section-3.1)
    package func remedy(for refusal: HTTPResponse, hasNonce: Bool) -> Remedy {
        if self.dpop != nil, DPoPNonceChallenge.isMade(by: refusal) { return hasNonce ? .proof : .none }
        return BearerChallengeError(refusal)?.isInsufficientScope == true ? .none : .token
    }
}

extension HTTPRequest {
    /// Checks that a request can be sent with a token.
    ///
    /// - Throws: `UnauthorizedOriginError` if the origin is not in `origins` (unless `origins` is nil), or
    ///   `InvalidRequestError` if the URL contains a token, because URLs are stored in logs and histories.
    /// - SeeAlso: [RFC 9700, section 4.3.2](https://www.rfc-editor.org/rfc/rfc9700.html#section-4.3.2)
    package func check(within origins: [OriginPattern]?) throws {
        let (scheme, authority) = (self.scheme, self.authority)
        if let origins, !origins.contains(where: { $0.contains(scheme: scheme, authority: authority) }) {
            throw UnauthorizedOriginError(origin: "\(scheme ?? "?")://\(authority ?? "?")", authorizedOrigins: origins)
        }
        if let path = self.path, Self.namesAccessToken(path) {
            throw InvalidRequestError("access_token", reason: "the URL must not contain an access token")
        }
    }

    /// Returns whether the query has an `access_token` parameter.
    ///
    /// The comparison uses bytes for speed, because it runs for every request.
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
