// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Dispatch
internal import Foundation
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth

extension OIDAuthState {
    /// Gets fresh tokens for something to do with them.
    public typealias Action = (_ accessToken: String?, _ idToken: String?, _ error: (any Error)?) -> Void

    /// Calls `action` with fresh tokens, refreshed where the access token ends within a minute.
    ///
    /// However many callers wait, the token endpoint is asked once, with the first one's parameters.
    ///
    /// If the system is about to suspend the app, nothing is sent, and the error is `networkError` with a
    /// `RefreshPostponedError` underneath.
    ///
    /// - Parameters:
    ///   - action: gets the tokens, or an error and no token; called once, later, on `dispatchQueue`.
    ///   - additionalParameters: for the token request.
    ///   - dispatchQueue: where `action` is called.
    public func performAction(
        freshTokens action: @escaping Action,
        additionalRefreshParameters additionalParameters: [String: String]? = nil,
        dispatchQueue: DispatchQueue = .main
    ) {
        let callback = Callback<Result<FreshTokens, any Error>>(on: dispatchQueue) { result in
            switch result {
            case .success(let tokens): action(tokens.access, tokens.id, nil)
            case .failure(let error): action(nil, nil, error)
            }
        }
        callback.report { try await self.freshTokens { additionalParameters } }
    }

    /// The request that refreshes the tokens; nil where there is no refresh token.
    public func tokenRefreshRequest(
        withAdditionalParameters additionalParameters: [String: String]? = nil,
        additionalHeaders: [String: String]? = nil
    ) -> OIDTokenRequest? {
        let state = self.snapshot()
        guard let refreshToken = state.refreshToken,
            let last = state.tokenResponse?.request ?? state.authorizationResponse?.tokenExchangeRequest()
        else { return nil }
        return OIDTokenRequest(
            configuration: last.configuration,
            grantType: OIDGrantTypeRefreshToken,
            clientID: last.clientID,
            clientSecret: last.clientSecret,
            refreshToken: refreshToken,
            additionalParameters: additionalParameters,
            // What the sign-in's request carried, a provider may want each time.
            additionalHeaders: additionalHeaders ?? last.additionalHeaders
        )
    }

    struct FreshTokens: Sendable, Equatable {
        let access: String?
        let id: String?
    }

    func refreshedTokens(_ additionalParameters: @Sendable () -> [String: String]?) async throws -> FreshTokens {
        if let fresh = self.cache.fresh { return fresh }
        if let error = self.authorizationError { throw error }
        let additionalParameters = additionalParameters()
        do {
            return try await self.cache.token { _ in try await self.refresh(additionalParameters) }
        } catch is CancellationError {
            throw NSError.appAuth(mapping: CancellationError())
        }
    }

    /// The one refresh of all callers.
    private func refresh(_ additionalParameters: [String: String]?) async throws -> FreshTokens {
        guard let request = self.tokenRefreshRequest(withAdditionalParameters: additionalParameters) else {
            throw NSError.appAuth(.tokenRefreshError, "The access token has expired, and there is no refresh token.")
        }
        let result: Result<FreshTokens, any Error>
        do {
            result = try await self.result(of: request)
        } catch {
            if self.snapshot().isCurrent(request) { self.update(with: nil as OIDTokenResponse?, error: error) }
            throw error
        }
        return try result.get()
    }

    /// Sends a refresh and takes its response, which the app saves in its change delegate, as an activity of the process.
    ///
    /// When the activity's time is over, it ends and the response is awaited without one. It may still arrive when the
    /// process is resumed.
    private func result(of request: OIDTokenRequest) async throws -> Result<FreshTokens, any Error> {
        let suspension = try AppAuthEnvironment.current().runtime.suspension
        let idToken = self.snapshot().tokens.id
        do {
            return try await suspension.activity("Refreshing an access token") { time in
                if time.isOver { throw NSError.appAuth(mapping: RefreshPostponedError()) }
                let tokens = try await time.run { try await OIDAuthorizationService.refresh(request, after: idToken) }
                return self.take(tokens, of: request)
            }
        } catch let unfinished as ActivityTime.Unfinished<ExchangedTokens> {
            let tokens = try await unfinished.task.value
            return try await suspension.activity("Saving an access token") { _ in self.take(tokens, of: request) }
        }
    }

    /// Takes what a refresh brought, and tells the delegates.
    ///
    /// If the app has ended the authorization meanwhile, or taken another one, the tokens belong to what is gone.
    private func take(_ tokens: ExchangedTokens, of request: OIDTokenRequest) -> Result<FreshTokens, any Error> {
        let error = tokens.violation.map { NSError.appAuth(mapping: $0) }
        let endsAuthorization = tokens.violation.map { OAuthSession.end(by: $0) != nil } == true
        let taken = self.withState { state -> FreshTokens? in
            guard state.isCurrent(request) else { return nil }
            if tokens.violation == nil {
                state.take(tokens.response)
            } else if !endsAuthorization {
                // The new refresh token may have replaced the one before. The access token beside it is not used.
                state.refreshToken = tokens.response.refreshToken ?? state.refreshToken
                state.needsTokenRefresh = true
            }
            return FreshTokens(access: state.tokens.access, id: state.tokens.id)
        }
        guard let taken else {
            let changed = NSError.appAuth(.tokenRefreshError, "The authorization changed during the refresh.")
            return .failure(self.authorizationError ?? changed)
        }
        if let error, endsAuthorization {
            self.update(withAuthorizationError: error)
        } else {
            self.stateChangeDelegate?.didChange(self)
            if let error { self.errorDelegate?.authState(self, didEncounterTransientError: error) }
        }
        return error.map { .failure($0) } ?? .success(taken)
    }
}
