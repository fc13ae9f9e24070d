// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport

extension OIDAuthState {
    /// Takes a registration; what was known before is forgotten.
    public func update(with registrationResponse: OIDRegistrationResponse?) {
        guard let registrationResponse else { return }
        self.change { $0.take(registrationResponse) }
    }

    /// Takes a sign-in's answer, or what went wrong with it.
    public func update(with authorizationResponse: OIDAuthorizationResponse?, error: (any Error)?) {
        if let error { return self.take(error) }
        guard let authorizationResponse else { return }
        self.change { $0.take(authorizationResponse) }
    }

    /// Takes the token endpoint's answer, or what went wrong with it.
    public func update(with tokenResponse: OIDTokenResponse?, error: (any Error)?) {
        if let error { return self.take(error) }
        guard let tokenResponse else { return }
        self.change { $0.take(tokenResponse) }
    }

    /// Ends the authorization: a resource has said so, or the person.
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
        self.state.withLock { body(&$0) }
        self.stateChangeDelegate?.didChange(self)
    }
}
