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

/// An access token, ready to be put into a header.
///
/// Cheap to copy; two are equal when their text is.
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

    /// A token.
    ///
    /// - Parameters:
    ///   - secret: its text.
    ///   - dpop: proves the possession of the key that the token is bound to; nil for a bearer token.
    ///   - expiresAt: when it ends by the wall clock, nil where the provider does not say.
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
    /// The whole value of the `Authorization` header field.
    public var authorization: Secret { self.storage.authorization }
    /// How it is presented.
    public var type: TokenType { self.dpop == nil ? .bearer : .dpop }
    /// Proves the possession of the key that the token is bound to; nil for a bearer token.
    public var dpop: DPoPProver? { self.storage.dpop.value }
    /// The `Authorization` header field alone, made once and not for every call.
    package var fields: HTTPFields { self.storage.fields }
    /// When it ends by the wall clock, nil where the provider does not say.
    public var expiresAt: Date? { self.storage.expiresAt }
}

extension AccessToken: Hashable, CustomStringConvertible, CustomReflectable {
    /// Whether both are the same token.
    public static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage || left.secret == right.secret
    }
    /// Hashes the token.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.secret) }
    /// Says when it ends, never what it is.
    public var description: String { "access token" + (self.expiresAt.map { " until \($0)" } ?? "") }
    /// Shows the end only.
    public var customMirror: Mirror { Mirror(self, children: ["expiresAt": self.expiresAt as Any]) }
}

extension AccessToken {
    /// Puts the token into a request, replacing its `Authorization` and `DPoP` fields; a bound token with a proof for
    /// exactly this request.
    ///
    /// Call it before each sending: a proof can be used once, and another URL needs another proof.
    ///
    /// - Throws: `InvalidRequestError` for a bound token and a request without an absolute URL.
    /// - SeeAlso: [RFC 9449, section 7.1](https://www.rfc-editor.org/rfc/rfc9449.html#section-7.1)
    public func authorize(_ request: inout HTTPRequest) throws {
        if request.headerFields.isEmpty {
            request.headerFields = self.fields
        } else {
            request.headerFields[fields: .authorization] = Array(self.fields)
            if request.headerFields.contains(.dpop) { request.headerFields[.dpop] = nil }
        }
        try self.dpop?.prove(&request, accessToken: self.secret)
    }

    /// Learns from a response what the next proof to its server has to contain.
    ///
    /// - Returns: whether it brought a nonce that can be used; always false for a bearer token.
    @discardableResult
    public func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
        self.dpop?.learn(from: response, to: request) ?? false
    }
}

/// What an authorized call needs: a token, another one when it was refused, and where it may be sent.
///
/// ``OAuthSession`` is one. Any number of tasks may call at once.
public protocol AccessTokenSource: Sendable {
    /// Where the token may be sent; anywhere else a call is refused before a token is read.
    var authorizedOrigins: [OriginPattern] { get }

    /// A token that is valid now, as far as is known.
    func accessToken() async throws -> AccessToken

    /// Another token in place of one that a server refused with 401.
    ///
    /// Refreshes only when `token` is still the current one; whoever comes later with the same refused token gets the
    /// new one. Returns `token` itself when there is nothing better.
    func refused(_ token: AccessToken) async throws -> AccessToken
}
