// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraSupport

/// What the last responses come to.
extension OIDAuthState.State {
    /// The newest access token, its end, and the newest ID token.
    struct Tokens {
        let access: String?
        let end: Date?
        let id: String?
    }

    /// Nothing after an error that ended the authorization.
    var tokens: Tokens {
        if self.authorizationError != nil { return Tokens(access: nil, end: nil, id: nil) }
        if let response = self.tokenResponse {
            return Tokens(
                access: response.accessToken,
                end: response.accessTokenExpirationDate,
                // A refresh without an ID token does not take the sign-in's away.
                id: response.idToken ?? self.idToken
            )
        }
        let response = self.authorizationResponse
        return Tokens(
            access: response?.accessToken,
            end: response?.accessTokenExpirationDate,
            id: response?.idToken
        )
    }

    /// The ID token of an earlier response.
    private var idToken: String? { self.earlierIDToken ?? self.authorizationResponse?.idToken }

    var isAuthorized: Bool {
        let tokens = self.tokens
        return self.authorizationError == nil
            && (tokens.access != nil || tokens.id != nil || self.refreshToken != nil)
    }

    /// The tokens, until a minute before the access token ends; nil where they have to be refreshed.
    ///
    /// An access token whose end is unknown stays until a resource rejects it and the program marks it: to refresh it each
    /// time would be a request for each use.
    var currentTokens: CurrentToken<OIDAuthState.FreshTokens>? {
        let tokens = self.tokens
        guard !self.needsTokenRefresh, tokens.access != nil else { return nil }
        let end = tokens.end.map { Self.nanoseconds($0.addingTimeInterval(-OIDAuthState.expiryTolerance)) } ?? .max
        let fresh = OIDAuthState.FreshTokens(access: tokens.access, id: tokens.id)
        return CurrentToken(fresh, dueAt: end, expiredAt: end)
    }

    /// A time of the wall clock, as the deadlines of a `TokenCache`.
    static func nanoseconds(_ date: Date) -> Int64 {
        Int64(exactly: (date.timeIntervalSince1970 * 1_000_000_000).rounded()) ?? (date > .distantPast ? .max : .min)
    }

    /// Whether a refresh belongs to this authorization, which has not ended.
    func isCurrent(_ refresh: OIDTokenRequest) -> Bool {
        self.authorizationError == nil && self.refreshToken == refresh.refreshToken
    }

    mutating func take(_ response: OIDRegistrationResponse) {
        self.registrationResponse = response
        self.authorizationResponse = nil
        self.forget()
        self.scope = nil
    }

    mutating func take(_ response: OIDAuthorizationResponse) {
        self.authorizationResponse = response
        self.forget()
        self.scope = response.scope ?? response.request.scope
    }

    mutating func take(_ response: OIDTokenResponse) {
        self.earlierIDToken = response.idToken ?? self.tokenResponse?.idToken ?? self.earlierIDToken
        self.tokenResponse = response
        self.authorizationError = nil
        self.needsTokenRefresh = false
        // RFC 6749, sections 5.1 and 6: what the response leaves out has not changed.
        self.scope = response.scope ?? self.scope
        self.refreshToken = response.refreshToken ?? self.refreshToken
    }

    private mutating func forget() {
        self.tokenResponse = nil
        self.earlierIDToken = nil
        self.refreshToken = nil
        self.authorizationError = nil
        self.needsTokenRefresh = false
    }
}

extension OIDAuthState {
    /// How many seconds an access token has to serve still.
    static let expiryTolerance: TimeInterval = 60
}

extension OIDAuthState {
    /// Takes a registration; what was known before is forgotten.
    public func update(with registrationResponse: OIDRegistrationResponse?) {
        guard let registrationResponse else { return }
        self.change { $0.take(registrationResponse) }
    }

    /// Takes a sign-in's response or error.
    public func update(with authorizationResponse: OIDAuthorizationResponse?, error: (any Error)?) {
        if let error { return self.take(error) }
        guard let authorizationResponse else { return }
        self.change { $0.take(authorizationResponse) }
    }

    /// Takes the token endpoint's response or error.
    public func update(with tokenResponse: OIDTokenResponse?, error: (any Error)?) {
        if let error { return self.take(error) }
        guard let tokenResponse else { return }
        self.change { $0.take(tokenResponse) }
    }

    /// Ends the authorization because a resource or the user has refused it.
    public func update(withAuthorizationError authorizationError: any Error) {
        self.change { $0.authorizationError = authorizationError as NSError }
        self.errorDelegate?.authState(self, didEncounterAuthorizationError: authorizationError)
    }

    /// An error of the authorization ends it; any other passes.
    ///
    /// At the token endpoint `invalid_grant` alone says that the grant is gone; a client that is misconfigured, and a
    /// server that is busy, leave it as it was.
    private func take(_ error: any Error) {
        let error = error as NSError
        let isRefusal =
            error.domain == OIDOAuthTokenErrorDomain && error.code == OIDErrorCodeOAuthToken.invalidGrant.rawValue
        if isRefusal || error.domain == OIDOAuthAuthorizationErrorDomain {
            self.update(withAuthorizationError: error)
        } else {
            self.errorDelegate?.authState(self, didEncounterTransientError: error)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        self.withState(body)
        self.stateChangeDelegate?.didChange(self)
    }
}
