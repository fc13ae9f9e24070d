// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraSupport

/// Derives the current tokens from the most recent responses.
extension OIDAuthState.State {
    /// The current access token with its expiration date, and the current ID token.
    struct Tokens {
        let access: String?
        let end: Date?
        let id: String?
    }

    /// The current tokens.
    ///
    /// All are nil if an error has ended the authorization.
    var tokens: Tokens {
        if self.authorizationError != nil { return Tokens(access: nil, end: nil, id: nil) }
        if let response = self.tokenResponse {
            return Tokens(
                access: response.accessToken,
                end: response.accessTokenExpirationDate,
                // A refresh response without an ID token does not invalidate the ID token from the sign-in.
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

    /// The ID token from a previous response.
    private var idToken: String? { self.earlierIDToken ?? self.authorizationResponse?.idToken }

    var isAuthorized: Bool {
        let tokens = self.tokens
        return self.authorizationError == nil
            && (tokens.access != nil || tokens.id != nil || self.refreshToken != nil)
    }

    /// The tokens, which are valid until one minute before the access token expires, or nil if they need to be
    /// refreshed.
    ///
    /// An access token without an expiration date is used until a server rejects it and the app calls
    /// `setNeedsTokenRefresh()`. Otherwise, every use would require a refresh. An ID token without an access token is
    /// used if the response contained an expiration date.
    var currentTokens: CurrentToken<OIDAuthState.FreshTokens>? {
        let tokens = self.tokens
        let hasToken = tokens.access != nil || (tokens.id != nil && tokens.end != nil)
        guard !self.needsTokenRefresh, hasToken else { return nil }
        let end = tokens.end.map { Self.nanoseconds($0.addingTimeInterval(-OIDAuthState.expiryTolerance)) } ?? .max
        let fresh = OIDAuthState.FreshTokens(access: tokens.access, id: tokens.id)
        return CurrentToken(fresh, dueAt: end, expiredAt: end)
    }

    /// Converts a date to the nanoseconds that `TokenCache` uses for deadlines.
    static func nanoseconds(_ date: Date) -> Int64 {
        Int64(exactly: (date.timeIntervalSince1970 * 1_000_000_000).rounded()) ?? (date > .distantPast ? .max : .min)
    }

    /// Returns whether a refresh belongs to the current authorization and that authorization has not ended.
    func isCurrent(_ refresh: OIDTokenRequest) -> Bool {
        self.authorizationError == nil && self.refreshToken == refresh.refreshToken
    }

    mutating func take(_ response: OIDRegistrationResponse?) {
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
        // RFC 6749, sections 5.1 and 6: Values that the response omits are unchanged.
        self.scope = response.scope ?? self.scope
        self.refreshToken = response.refreshToken ?? self.refreshToken
    }

    private mutating func forget() {
        self.tokenResponse = nil
        self.earlierIDToken = nil
        self.refreshToken = nil
        self.authorizationError = nil
        // The app requested the refresh for the previous tokens. The new authorization may have no refresh token.
        self.needsTokenRefresh = false
    }
}

extension OIDAuthState {
    /// The minimum remaining lifetime of an access token, in seconds.
    static let expiryTolerance: TimeInterval = 60
}

extension OIDAuthState {
    /// Updates the state with a registration, discarding the authorization and all tokens.
    ///
    /// Nil discards the registration, too.
    public func update(with registrationResponse: OIDRegistrationResponse?) {
        self.change { $0.take(registrationResponse) }
    }

    /// Updates the state with an authorization response or error.
    ///
    /// An error in `OIDOAuthAuthorizationErrorDomain` ends the authorization, even if there is a response. Other errors
    /// are ignored.
    public func update(with authorizationResponse: OIDAuthorizationResponse?, error: (any Error)?) {
        if let error = error as NSError?, error.domain == OIDOAuthAuthorizationErrorDomain {
            return self.update(withAuthorizationError: error)
        }
        guard let authorizationResponse else { return }
        self.change { $0.take(authorizationResponse) }
    }

    /// Updates the state with a token response or error.
    ///
    /// An error in `OIDOAuthTokenErrorDomain` ends the authorization, even if there is a response. Other errors are
    /// ignored.
    public func update(with tokenResponse: OIDTokenResponse?, error: (any Error)?) {
        if let error = error as NSError?, error.domain == OIDOAuthTokenErrorDomain {
            return self.update(withAuthorizationError: error)
        }
        guard let tokenResponse else { return }
        self.change { $0.take(tokenResponse) }
    }

    /// Ends the authorization because a server rejected the tokens or the user revoked access.
    public func update(withAuthorizationError authorizationError: any Error) {
        self.change { $0.authorizationError = authorizationError as NSError }
        self.errorDelegate?.authState(self, didEncounterAuthorizationError: authorizationError)
    }

    private func change(_ body: (inout State) -> Void) {
        self.withState(body)
        self.stateChangeDelegate?.didChange(self)
    }
}
