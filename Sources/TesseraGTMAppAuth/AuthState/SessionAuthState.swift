// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// A session that keeps itself, under AppAuth's names: its tokens, and its refreshes, are those of the session.
///
/// What is put into it with `update` is not the session's: an error alone ends this state. Where it is archived, an
/// `OIDAuthState` with the tokens of that moment is.
///
/// `@unchecked` as its superclass: the session is a `let`, the token that was refused in a `Mutex`.
final class SessionAuthState: OIDAuthState, @unchecked Sendable {
    let session: OAuthSession
    private let refused = Mutex<AccessToken?>(nil)

    init(_ session: OAuthSession) {
        self.session = session
        super.init(authorizationResponse: nil, tokenResponse: nil, registrationResponse: nil)
    }

    override class var supportsSecureCoding: Bool { true }

    /// Nil: an archive has an `OIDAuthState` in place of this.
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

    /// A valid token, which may be bound to a key.
    func freshToken() async throws -> AccessToken {
        if let error = self.authorizationError { throw error }
        let refused = self.refused.withLock { $0 }
        do {
            let token =
                if let refused { try await self.session.refused(refused) } else { try await self.session.accessToken() }
            // Later callers wait for the same refresh.
            if token != refused { self.refused.withLock { $0 = $0 == refused ? nil : $0 } }
            return token
        } catch {
            throw NSError.appAuth(mapping: error)
        }
    }

    override func freshTokens(_ additionalParameters: @Sendable () -> [String: String]?) async throws -> FreshTokens {
        let token = try await self.freshToken()
        // Its text alone would be sent as a bearer token. Tokens that a later sign-in binds arrive here.
        guard token.type == .bearer else { throw Self.boundToken }
        return FreshTokens(
            access: token.secret.withUnredacted { $0 },
            id: self.session.idToken?.withUnredacted { $0 }
        )
    }

    /// This state, or one that is not authorized if the session's tokens are bound to a key.
    var textual: OIDAuthState {
        guard let tokens = self.session.record.tokens, tokens.tokenType != .bearer else { return self }
        let state = OIDAuthState(authorizationResponse: nil)
        state.withState { $0.authorizationError = Self.boundToken }
        return state
    }

    private static var boundToken: NSError {
        .appAuth(
            .tokenRefreshError,
            "The tokens are bound to a key and cannot be used as text. Let AuthSession or its fetchers authorize requests."
        )
    }

    override func setNeedsTokenRefresh() {
        guard let tokens = self.session.record.tokens else { return }
        self.refused.withLock { $0 = AccessToken(tokens.accessToken, expiresAt: tokens.expiresAt) }
    }
}

extension OIDTokenResponse {
    /// A session's tokens as a token response; nil if it has none.
    convenience init?(_ record: SessionRecord) {
        guard let tokens = record.tokens, let configuration = OIDServiceConfiguration(record.provider) else {
            return nil
        }
        let request = OIDTokenRequest(
            configuration: configuration,
            grantType: OIDGrantTypeRefreshToken,
            clientID: record.account.clientID
        )
        var parameters: [String: Any] = [
            "access_token": tokens.accessToken.withUnredacted { $0 },
            "token_type": tokens.tokenType.rawValue,
        ]
        parameters["scope"] = ScopeText.joined(record.grant.granted.map(\.rawValue))
        parameters["expires_in"] = tokens.lifetime
        parameters["refresh_token"] = tokens.refreshToken?.withUnredacted { $0 }
        parameters["id_token"] = tokens.idToken?.withUnredacted { $0 }
        self.init(request: request, parameters: parameters, receivedAt: tokens.obtainedAt)
    }
}

extension OIDAuthState {
    /// Where tokens may go unless a program says more.
    var providerOrigins: [OriginPattern] {
        if let session = (self as? SessionAuthState)?.session { return session.authorizedOrigins }
        let state = self.snapshot()
        let request = state.tokenResponse?.request.configuration ?? state.authorizationResponse?.request.configuration
        return request?.origins ?? []
    }

    /// The network and the clock of its calls.
    func environment() throws -> AppAuthEnvironment {
        if let session = (self as? SessionAuthState)?.session { return AppAuthEnvironment(runtime: session.runtime) }
        return try AppAuthEnvironment.current()
    }
}
