// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Dispatch
internal import Foundation
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth

extension OIDAuthState {
    /// A closure that receives fresh tokens or an error.
    public typealias Action = (_ accessToken: String?, _ idToken: String?, _ error: (any Error)?) -> Void

    /// Calls `action` with valid tokens, refreshing them first if the access token expires within one minute.
    ///
    /// Concurrent callers share one refresh, which uses the first caller's additional parameters.
    ///
    /// If the system is about to suspend the app, no request is sent, and the error is `networkError` with a
    /// `RefreshPostponedError` as its underlying error.
    ///
    /// - Parameters:
    ///   - action: Receives the tokens or an error. It is called once, asynchronously, on `dispatchQueue`.
    ///   - additionalParameters: Additional parameters for the token request.
    ///   - dispatchQueue: The queue on which `action` is called.
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

    /// Returns a request that refreshes the tokens, or nil if there is no refresh token.
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
            // A provider may require the headers from the sign-in's token request in every refresh.
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

    /// Performs the refresh that all callers share.
    private func refresh(_ additionalParameters: [String: String]?) async throws -> FreshTokens {
        guard let request = self.tokenRefreshRequest(withAdditionalParameters: additionalParameters) else {
            throw NSError.appAuth(
                .tokenRefreshError,
                "Could not refresh the access token: there is no refresh token. Sign in again."
            )
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

    /// Sends a refresh request and applies the response, as an activity of the process.
    ///
    /// The app saves the state in its change delegate, so the activity includes that call. If the activity expires, the
    /// response is still awaited, but without the activity. It can still arrive after the process resumes.
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

    /// Applies the response to a refresh and notifies the delegates.
    ///
    /// The response is discarded if the app has ended or replaced the authorization in the meantime.
    private func take(_ tokens: ExchangedTokens, of request: OIDTokenRequest) -> Result<FreshTokens, any Error> {
        let error = tokens.violation.map { NSError.appAuth(mapping: $0) }
        let endsAuthorization = tokens.violation.map { OAuthSession.end(by: $0) != nil } == true
        let taken = self.withState { state -> FreshTokens? in
            guard state.isCurrent(request) else { return nil }
            if tokens.violation == nil {
                state.take(tokens.response)
            } else if !endsAuthorization {
                // The new refresh token may have replaced the previous one. The new access token is not used.
                state.refreshToken = tokens.response.refreshToken ?? state.refreshToken
                state.needsTokenRefresh = true
            }
            return FreshTokens(access: state.tokens.access, id: state.tokens.id)
        }
        guard let taken else {
            let changed = NSError.appAuth(
                .tokenRefreshError,
                "The authorization changed while its tokens were being refreshed. Try again."
            )
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
