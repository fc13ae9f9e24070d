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
    /// Whether there is a token of any kind and no error has ended the authorization.
    public var canAuthorize: Bool { self.source.isAuthorized }

    /// The delegate that customizes refresh requests and errors.
    ///
    /// The delegate is held weakly.
    public var delegate: (any AuthSessionDelegate)? {
        get { self.state.withLock { $0.delegate } }
        set { self.state.withLock { $0.delegate = newValue } }
    }

    /// The service that determines the queue for completion handlers.
    ///
    /// The service is held weakly.
    public var fetcherService: (any GTMSessionFetcherServiceProtocol)? {
        get { self.state.withLock { $0.fetcherService } }
        set { self.state.withLock { $0.fetcherService = newValue } }
    }

    /// Whether to send the token to any server, regardless of ``authorizedOrigins`` and of whether the connection is
    /// encrypted.
    ///
    /// Leave this property false. If it is true, the operator of any such server, or an eavesdropper, can act as the
    /// user.
    public var shouldAuthorizeAllRequests: Bool {
        get { self.state.withLock { $0.shouldAuthorizeAllRequests } }
        set { self.state.withLock { $0.shouldAuthorizeAllRequests = newValue } }
    }

    /// Marks the access token as rejected, so that the next authorization refreshes it.
    ///
    /// - Returns: Whether the token can be refreshed.
    public func primeForRefresh() -> Bool {
        guard self.source.refreshToken != nil else { return false }
        self.source.setNeedsTokenRefresh()
        return true
    }

    /// Returns whether the token may be sent to the request's origin.
    func mayAuthorize(_ request: URLRequest) -> Bool {
        if self.shouldAuthorizeAllRequests { return request.url != nil }
        guard let parts = request.url.flatMap({ URIParts($0.absoluteString) }), parts.userinfo == nil else {
            return false
        }
        return self.authorizedOrigins.contains { $0.contains(scheme: parts.scheme, authority: parts.authority) }
    }

    /// The delegate's additional parameters for a refresh request.
    var refreshParameters: [String: String]? {
        self.delegate?.additionalTokenRefreshParameters(forAuthSession: self)
    }

    /// Returns a valid token, or nil if the session has no token.
    ///
    /// The `parameters` closure is called only if the tokens are refreshed.
    func freshToken(_ parameters: @Sendable () -> [String: String]?) async throws -> AccessToken? {
        if let state = self.source as? SessionAuthState { return try await state.freshToken() }
        let token = try await self.source.freshTokens(parameters).access
        // An invalid header value would be dropped, and the request would be sent without a token.
        guard let token, !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return AccessToken(Secret(token), expiresAt: self.source.snapshot().tokens.end)
    }
}

extension AuthSession: AccessTokenSource {
    /// The origins that may receive tokens.
    ///
    /// The default is Google's APIs if the provider is Google, or else the provider's own origins. To allow another
    /// origin, call `session.authorizedOrigins.append(try .init("https://api.example"))`.
    public var authorizedOrigins: [OriginPattern] {
        get { self.state.withLock { $0.authorizedOrigins } ?? self.source.providerOrigins }
        set { self.state.withLock { $0.authorizedOrigins = newValue } }
    }

    /// Returns a valid access token, refreshing it first if necessary.
    ///
    /// - Throws: Any error that ``authorizeRequest(_:completionHandler:)`` reports, or `SessionEndedError` if the
    ///   session has no token.
    public func accessToken() async throws -> AccessToken {
        guard let token = try await self.freshToken({ self.refreshParameters }) else {
            throw SessionEndedError(.signedOut)
        }
        return token
    }

    /// Returns a replacement for a token that a server rejected, refreshing at most once.
    public func replacement(forRejected token: AccessToken) async throws -> AccessToken {
        let current = self.source.snapshot().tokens.access.map { Secret($0) }
        if token.secret == current, !self.primeForRefresh() { return token }
        return try await self.accessToken()
    }
}

/// The user's identity, taken from the current ID token if there is one, or else from the values that the app supplied.
extension AuthSession {
    /// The user's subject identifier, which is unique at the provider and never changes.
    public var userID: String? { self.idToken?.subject ?? self.given.id }

    /// The user's email address.
    public var userEmail: String? { self.idToken.flatMap { $0.claims["email"] as? String } ?? self.given.email }

    /// Whether the provider has verified ``userEmail``.
    ///
    /// Google's ID tokens contain a Boolean. Other providers use a string.
    public var userEmailIsVerified: Bool {
        switch self.idToken?.claims["email_verified"] {
        case let isVerified as Bool: isVerified
        case let text as String: GTMOAuth2PersistenceString.isTrue(text)
        // The app's value applies only to the email address that the app supplied.
        default: self.userEmail == self.given.email && self.given.isEmailVerified
        }
    }

    /// The archived value for ``userEmailIsVerified``, which is the original string if it has the same meaning.
    var userEmailIsVerifiedText: String? {
        let isVerified = self.userEmailIsVerified
        let text = self.idToken?.claims["email_verified"] as? String ?? self.given.isVerified
        if text.map({ GTMOAuth2PersistenceString.isTrue($0) }) ?? false == isVerified { return text }
        return isVerified ? "y" : "n"
    }

    private var idToken: OIDIDToken? { self.source.snapshot().tokens.id.flatMap { OIDIDToken(idTokenString: $0) } }
}

/// The user's identity, as supplied by the app.
///
/// Claims from an ID token take precedence.
struct SuppliedIdentity: Sendable {
    let id: String?
    let email: String?
    /// The original string, which archives contain unchanged.
    let isVerified: String?

    var isEmailVerified: Bool { self.isVerified.map { GTMOAuth2PersistenceString.isTrue($0) } ?? false }
}

extension AuthSession {
    /// Returns the configuration for Google.
    ///
    /// The configuration has no issuer, but ID tokens are verified with Google's issuer and keys.
    ///
    /// - SeeAlso: [Google's discovery document](https://accounts.google.com/.well-known/openid-configuration)
    public static func configurationForGoogle() -> OIDServiceConfiguration {
        OIDServiceConfiguration(
            authorizationEndpoint: self.url(GoogleEndpoints.authorizationEndpoint),
            tokenEndpoint: self.url(GoogleEndpoints.tokenEndpoint)
        )
    }

    private static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("\(text) is not a URL") }
        return url
    }
}
