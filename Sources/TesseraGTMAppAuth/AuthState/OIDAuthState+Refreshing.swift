// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Dispatch
internal import Foundation
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth

extension OIDAuthState {
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
        freshTokens action: @escaping OIDAuthStateAction,
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
    ///
    /// The client and the endpoint are those of the most recent token request, because a refresh token must be sent only
    /// to the server that issued it.
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
            additionalHeaders: additionalHeaders
        )
    }

    /// Returns a request that refreshes the tokens and has additional header fields, or nil if there is no refresh
    /// token.
    public func tokenRefreshRequest(withAdditionalHeaders additionalHeaders: [String: String]?) -> OIDTokenRequest? {
        self.tokenRefreshRequest(withAdditionalParameters: nil, additionalHeaders: additionalHeaders)
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
            let error = error as NSError
            // RFC 6749, section 5.2: Only `invalid_grant` means that the refresh token is not valid. A misconfigured
            // client or an overloaded server does not end the authorization.
            let isInvalid =
                error.domain == OIDOAuthTokenErrorDomain && error.code == OIDErrorCodeOAuthToken.invalidGrant.rawValue
            _ = await self.finish(request, error, endsAuthorization: isInvalid)
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
                return await self.take(tokens, of: request)
            }
        } catch let unfinished as ActivityTime.Unfinished<ExchangedTokens> {
            let tokens = try await unfinished.task.value
            return try await suspension.activity("Saving an access token") { _ in await self.take(tokens, of: request) }
        }
    }

    /// Applies the response to a refresh.
    private func take(_ tokens: ExchangedTokens, of request: OIDTokenRequest) async -> Result<FreshTokens, any Error> {
        let error = tokens.violation.map { NSError.appAuth(mapping: $0) }
        let endsAuthorization = tokens.violation.map { OAuthSession.end(by: $0) != nil } == true
        let taken = await self.finish(request, error, endsAuthorization: endsAuthorization) { state in
            if tokens.violation == nil {
                state.needsTokenRefresh = false
                state.take(tokens.response)
            } else if !endsAuthorization {
                // The new refresh token may have replaced the previous one. The new access token is not used.
                state.refreshToken = tokens.response.refreshToken ?? state.refreshToken
                state.needsTokenRefresh = true
            }
        }
        guard let taken else {
            let changed = NSError.appAuth(
                .tokenRefreshError,
                "The authorization changed while its tokens were being refreshed. Try again."
            )
            return .failure(self.authorizationError ?? changed)
        }
        return error.map { .failure($0) } ?? .success(taken)
    }

    /// Changes the state after a refresh and then notifies the delegates.
    ///
    /// Nothing happens if the app has ended or replaced the authorization in the meantime.
    ///
    /// - Parameters:
    ///   - request: The refresh request.
    ///   - error: The error that the refresh ended with, if any.
    ///   - endsAuthorization: Whether the error ends the authorization.
    ///   - change: Changes the state. It is nil if the refresh did not return any tokens.
    /// - Returns: The tokens, or nil if the authorization has changed.
    private func finish(
        _ request: OIDTokenRequest,
        _ error: NSError?,
        endsAuthorization: Bool,
        _ change: ((inout State) -> Void)? = nil
    ) async -> FreshTokens? {
        let tokens = self.withState { state -> FreshTokens? in
            guard state.isCurrent(request) else { return nil }
            change?(&state)
            if endsAuthorization { state.authorizationError = error }
            return FreshTokens(access: state.tokens.access, id: state.tokens.id)
        }
        guard let tokens else { return nil }
        let isChanged = change != nil || endsAuthorization
        await self.notifyDelegates {
            if isChanged { self.stateChangeDelegate?.didChange(self) }
            guard let error else { return }
            if endsAuthorization {
                self.errorDelegate?.authState(self, didEncounterAuthorizationError: error)
            } else {
                self.errorDelegate?.authState(self, didEncounterTransientError: error)
            }
        }
        return tokens
    }

    /// Runs `body` on the main queue and returns afterward.
    ///
    /// Without delegates it does nothing, so that a program whose main thread is blocked can refresh its tokens.
    private func notifyDelegates(_ body: @escaping @Sendable () -> Void) async {
        guard self.stateChangeDelegate != nil || self.errorDelegate != nil else { return }
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async {
                body()
                continuation.resume()
            }
        }
    }
}
