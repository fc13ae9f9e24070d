// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// An `OIDAuthState` backed by an `OAuthSession`, which stores and refreshes the tokens.
///
/// Calling `update` does not change the session. Only an error has an effect, and it ends only this state. An archive
/// contains a plain `OIDAuthState` with the current tokens.
///
/// The conformance to `Sendable` is `@unchecked` because the superclass's conformance is. It is safe because the
/// session is a `let`, and a `Mutex` protects the rejected token.
final class SessionAuthState: OIDAuthState, @unchecked Sendable {
    let session: OAuthSession
    private let refused = Mutex<AccessToken?>(nil)

    init(_ session: OAuthSession) {
        self.session = session
        super.init(authorizationResponse: nil, tokenResponse: nil, registrationResponse: nil)
    }

    override class var supportsSecureCoding: Bool { true }

    /// Always returns nil, because archives contain a plain `OIDAuthState` instead.
    required init?(coder: NSCoder) { nil }

    override var archivedObject: NSObject? {
        let response = self.snapshot().tokenResponse
        return OIDAuthState(authorizationResponse: nil, tokenResponse: response, registrationResponse: nil)
    }

    override func snapshot() -> State {
        var state = super.snapshot()
        let error = state.authorizationError ?? self.session.ended.map { NSError.appAuth(mapping: $0) }
        if let response = OIDTokenResponse(self.session.record) { state.take(response) }
        state.authorizationError = error
        return state
    }

    /// Returns a valid token, which may be bound to a key.
    func freshToken() async throws -> AccessToken {
        if let error = self.authorizationError { throw error }
        let refused = self.refused.withLock { $0 }
        do {
            let token =
                if let refused {
                    try await self.session.replacement(forRejected: refused)
                } else {
                    try await self.session.accessToken()
                }
            // Until then, concurrent callers wait for the same refresh.
            if token != refused { self.refused.withLock { $0 = $0 == refused ? nil : $0 } }
            return token
        } catch {
            throw NSError.appAuth(mapping: error)
        }
    }

    override func freshTokens(_ additionalParameters: @Sendable () -> [String: String]?) async throws -> FreshTokens {
        let token = try await self.freshToken()
        // A string could only be sent as a bearer token, but a later sign-in can bind the tokens to a key.
        guard token.type == .bearer else { throw Self.boundToken }
        return FreshTokens(
            access: token.secret.withUnredacted { $0 },
            id: self.session.idToken?.withUnredacted { $0 }
        )
    }

    /// This state, or an unauthorized state if the session's tokens are bound to a key.
    var textual: OIDAuthState {
        guard let tokens = self.session.record.tokens, tokens.tokenType != .bearer else { return self }
        let state = OIDAuthState(authorizationResponse: nil)
        state.withState { $0.authorizationError = Self.boundToken }
        return state
    }

    private static var boundToken: NSError {
        .appAuth(
            .tokenRefreshError,
            "The tokens are bound to a key and cannot be used as strings. Use AuthSession to authorize requests."
        )
    }

    override func setNeedsTokenRefresh() {
        guard let tokens = self.session.record.tokens else { return }
        self.refused.withLock { $0 = AccessToken(tokens.accessToken, expiresAt: tokens.expiresAt) }
    }
}

extension OIDTokenResponse {
    /// Creates a token response from a session's tokens, or returns nil if it has no tokens.
    convenience init?(_ record: SessionRecord) {
        guard let tokens = record.tokens, let configuration = OIDServiceConfiguration(record.provider) else {
            return nil
        }
        let request = OIDTokenRequest(
            configuration: configuration,
            grantType: OIDGrantTypeRefreshToken,
            clientID: record.account.clientID,
            clientSecret: record.provider.client.clientSecret?.withUnredacted { $0 }
        )
        var parameters: [String: Any] = [
            "access_token": tokens.accessToken.withUnredacted { $0 },
            "token_type": tokens.tokenType.rawValue,
        ]
        let scopes = record.grantedScopes.granted.map(\.rawValue)
        parameters["scope"] = scopes.isEmpty ? nil : OIDScopeUtilities.scopes(with: scopes)
        parameters["expires_in"] = tokens.lifetime
        parameters["refresh_token"] = tokens.refreshToken?.withUnredacted { $0 }
        parameters["id_token"] = tokens.idToken?.withUnredacted { $0 }
        self.init(request: request, parameters: parameters, receivedAt: tokens.obtainedAt)
    }
}

extension OIDAuthState {
    /// The origins that may receive tokens by default.
    var providerOrigins: [OriginPattern] {
        if let session = (self as? SessionAuthState)?.session { return session.authorizedOrigins }
        let state = self.snapshot()
        let request = state.tokenResponse?.request.configuration ?? state.authorizationResponse?.request.configuration
        return request?.origins ?? []
    }

    /// Returns the transport and clock for this state's requests.
    func environment() throws -> AppAuthEnvironment {
        if let session = (self as? SessionAuthState)?.session { return AppAuthEnvironment(runtime: session.runtime) }
        return try AppAuthEnvironment.current()
    }
}
