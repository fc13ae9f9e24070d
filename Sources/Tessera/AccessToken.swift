// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes
public import TesseraOAuth
internal import TesseraSupport

/// An access token and its prebuilt `Authorization` header field.
///
/// Copying a token is cheap. Two tokens are equal if they have the same text.
public struct AccessToken: Sendable {
    private final class Storage: Sendable {
        let secret: Secret
        let authorization: Secret
        let fields: HTTPFields
        let expiresAt: Date?
        let dpop: Boxed<DPoPProver>

        init(secret: Secret, authorization: Secret, expiresAt: Date?, dpop: DPoPProver?) {
            self.fields = HTTPFields([authorization.withUnredacted { .sensitive(.authorization, $0) }])
            self.secret = secret
            self.authorization = authorization
            self.expiresAt = expiresAt
            self.dpop = Boxed(dpop)
        }
    }

    private let storage: Storage

    /// Creates an access token.
    ///
    /// - Parameters:
    ///   - secret: The token's text.
    ///   - dpop: The prover for the key that the token is bound to, or nil for a bearer token.
    ///   - expiresAt: The wall-clock time at which the token expires, or nil if the provider did not report one.
    public init(_ secret: Secret, dpop: DPoPProver? = nil, expiresAt: Date?) {
        let type: TokenType = dpop == nil ? .bearer : .dpop
        self.storage = Storage(
            secret: secret,
            authorization: Secret(secret.withUnredacted { "\(type.rawValue) \($0)" }),
            expiresAt: expiresAt,
            dpop: dpop
        )
    }

    /// The token's text.
    public var secret: Secret { self.storage.secret }
    /// The complete value of the `Authorization` header field, including the scheme.
    public var authorization: Secret { self.storage.authorization }
    /// The token's type, `Bearer` or `DPoP`.
    public var type: TokenType { self.dpop == nil ? .bearer : .dpop }
    /// The prover for the key that the token is bound to, or nil for a bearer token.
    public var dpop: DPoPProver? { self.storage.dpop.value }
    /// The `Authorization` header field, built once per token rather than once per request.
    package var fields: HTTPFields { self.storage.fields }
    /// The wall-clock time at which the token expires, or nil if the provider did not report one.
    public var expiresAt: Date? { self.storage.expiresAt }
}

extension AccessToken: Hashable, CustomStringConvertible, CustomReflectable {
    /// Returns whether two tokens have the same text.
    public static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage || left.secret == right.secret
    }
    /// Hashes the token's text.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.secret) }
    /// A description that includes the expiration time but not the token's text.
    public var description: String { "access token" + (self.expiresAt.map { " until \($0)" } ?? "") }
    /// A mirror that contains only the expiration time.
    public var customMirror: Mirror { Mirror(self, children: ["expiresAt": self.expiresAt as Any]) }
}

extension AccessToken {
    /// Adds the token to a request, replacing its `Authorization` and `DPoP` fields.
    ///
    /// A DPoP-bound token is added together with a proof for this request. Call this method each time before you send
    /// the request: a proof can be used only once, and only for one URL.
    ///
    /// - Throws: `InvalidRequestError` if the token is DPoP-bound and the request does not have an absolute URL.
    /// - SeeAlso: [RFC 9449, section 7.1](https://www.rfc-editor.org/rfc/rfc9449.html#section-7.1)
    public func authorize(_ request: inout HTTPRequest) throws {
        if request.headerFields.isEmpty {
            request.headerFields = self.fields
        } else {
            request.headerFields[fields: .authorization] = Array(self.fields)
            if request.headerFields.contains(.dpop) { request.headerFields[.dpop] = nil }
        }
        try self.dpop?.addProof(to: &request, accessToken: self.secret)
    }

    /// Saves the DPoP nonce from a response for later proofs sent to the same server.
    ///
    /// - Returns: Whether the response contained a usable nonce. Always false for a bearer token.
    @discardableResult
    public func updateNonce(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
        self.dpop?.updateNonce(from: response, to: request) ?? false
    }
}

/// A source of access tokens for authorized requests.
///
/// ``OAuthSession`` conforms to this protocol. Implementations must be safe to call from any number of tasks at once.
public protocol AccessTokenSource: Sendable {
    /// The origins that the token may be sent to.
    ///
    /// A request to any other origin fails before a token is obtained.
    var authorizedOrigins: [OriginPattern] { get }

    /// Returns an access token that is valid as far as the source knows.
    func accessToken() async throws -> AccessToken

    /// Returns a replacement for a token that a server rejected with status 401.
    ///
    /// The source refreshes only if `token` is still the current one. Later callers that pass the same rejected token
    /// receive the new one. Returns `token` itself if no replacement is available.
    func replacement(forRejected token: AccessToken) async throws -> AccessToken
}
