// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Foundation
public import Tessera
internal import TesseraGoogle
internal import TesseraMigration
internal import TesseraOAuth
internal import TesseraSupport

extension AuthSession {
    /// Whether there is a token of any kind, and nothing ended the authorization.
    public var canAuthorize: Bool { self.source.isAuthorized }

    /// Has a say in refreshes and errors; held weakly.
    public var delegate: (any AuthSessionDelegate)? {
        get { self.state.withLock { $0.delegate } }
        set { self.state.withLock { $0.delegate = newValue } }
    }

    /// The service on whose queue handlers are called; held weakly.
    public var fetcherService: (any GTMSessionFetcherServiceProtocol)? {
        get { self.state.withLock { $0.fetcherService } }
        set { self.state.withLock { $0.fetcherService = newValue } }
    }

    /// Whether the token goes to every server that is asked, ``authorizedOrigins`` or not, encrypted or not.
    ///
    /// An operator of such a server, or an eavesdropper, can act as the user: leave it false.
    public var shouldAuthorizeAllRequests: Bool {
        get { self.state.withLock { $0.shouldAuthorizeAllRequests } }
        set { self.state.withLock { $0.shouldAuthorizeAllRequests = newValue } }
    }

    /// Marks the access token as refused, so that the next authorization refreshes it.
    ///
    /// - Returns: whether it can be refreshed.
    public func primeForRefresh() -> Bool {
        guard self.source.refreshToken != nil else { return false }
        self.source.setNeedsTokenRefresh()
        return true
    }

    /// Whether the token may go where a request goes.
    func mayAuthorize(_ request: URLRequest) -> Bool {
        if self.shouldAuthorizeAllRequests { return true }
        guard let parts = request.url.flatMap({ URIParts($0.absoluteString) }), parts.userinfo == nil else {
            return false
        }
        return self.authorizedOrigins.contains { $0.contains(scheme: parts.scheme, authority: parts.authority) }
    }

    /// A valid token, nil if there is none.
    func freshToken() async throws -> AccessToken? {
        if let state = self.source as? SessionAuthState { return try await state.freshToken() }
        let token = try await self.source
            .freshTokens { self.delegate?.additionalTokenRefreshParameters(forAuthSession: self) }
            .access
        // A text that cannot be in a header field is not a token: a request would go out without it.
        guard let token, !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return AccessToken(Secret(token), expiresAt: self.source.snapshot().tokens.end)
    }
}

extension AuthSession: AccessTokenSource {
    /// Where the token may be sent: Google's APIs for Google, else the provider's own origins; the program may set more.
    public var authorizedOrigins: [OriginPattern] {
        get { self.state.withLock { $0.authorizedOrigins } ?? self.source.providerOrigins }
        set { self.state.withLock { $0.authorizedOrigins = newValue } }
    }

    /// A token that is valid now.
    ///
    /// - Throws: as ``authorizeRequest(_:completionHandler:)`` gives; `SessionEndedError` where there is no token.
    public func accessToken() async throws -> AccessToken {
        guard let token = try await self.freshToken() else { throw SessionEndedError(.signedOut) }
        return token
    }

    /// Another token in place of one that was refused, at the cost of one refresh at most.
    public func refused(_ token: AccessToken) async throws -> AccessToken {
        let current = self.source.snapshot().tokens.access.map { Secret($0) }
        if token.secret == current, !self.primeForRefresh() { return token }
        return try await self.accessToken()
    }
}

/// Who is signed in: what the newest ID token says, else what the program said.
extension AuthSession {
    /// The subject: a text that is unique at the provider and never changes.
    public var userID: String? { self.idToken?.subject ?? self.given.id }

    /// The email address.
    public var userEmail: String? { self.idToken.flatMap { $0.claims["email"] as? String } ?? self.given.email }

    /// Whether the provider has verified that address.
    ///
    /// Google says so with a boolean, others with a text.
    public var userEmailIsVerified: Bool {
        switch self.idToken?.claims["email_verified"] {
        case let isVerified as Bool: isVerified
        case let text as String: GTMOAuth2PersistenceString.isTrue(text)
        // What the program knows is about its own address.
        default: self.userEmail == self.given.email && self.given.isEmailVerified
        }
    }

    /// Whether ``userEmail`` is verified, as archives have it.
    var userEmailIsVerifiedText: String? {
        if self.userEmailIsVerified { return "y" }
        return self.given.isEmailVerified ? "n" : self.given.isVerified
    }

    private var idToken: OIDIDToken? { self.source.snapshot().tokens.id.flatMap { OIDIDToken(idTokenString: $0) } }
}

/// Who a session's person is, as the program says; an ID token knows better.
struct GivenIdentity: Sendable {
    let id: String?
    let email: String?
    /// As it was written: an archive keeps it so.
    let isVerified: String?

    var isEmailVerified: Bool { self.isVerified.map { GTMOAuth2PersistenceString.isTrue($0) } ?? false }
}

extension AuthSession {
    /// Google's endpoints; its ID tokens are verified by its own name and keys.
    ///
    /// - SeeAlso: [Google's discovery document](https://accounts.google.com/.well-known/openid-configuration)
    public static func configurationForGoogle() -> OIDServiceConfiguration {
        OIDServiceConfiguration(
            authorizationEndpoint: self.url(GoogleEndpoints.authorizationEndpoint),
            tokenEndpoint: self.url(GoogleEndpoints.tokenEndpoint)
        )
    }

    private static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("\(text) is no URL") }
        return url
    }
}
