// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import AppAuth
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The sign-in at the app's own server.
final class ServerSignIn: NSObject, OIDAuthStateChangeDelegate, OIDAuthStateErrorDelegate {
    private var flow: OIDExternalUserAgentSession?
    private var state: OIDAuthState?

    static func request(_ configuration: OIDServiceConfiguration) -> OIDAuthorizationRequest {
        OIDAuthorizationRequest(
            configuration: configuration,
            clientId: "notes",
            clientSecret: nil,
            scopes: [OIDScopeOpenID, OIDScopeProfile, "notes"],
            redirectURL: Server.redirectURL,
            responseType: OIDResponseTypeCode,
            additionalParameters: ["prompt": "consent"]
        )
    }

    func signIn(at issuer: URL, with agent: OIDExternalUserAgent, completion: @escaping (OIDAuthState?, Error?) -> Void)
    {
        OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, error in
            guard let configuration = configuration else { return completion(nil, error) }
            self.flow = OIDAuthState.authState(
                byPresenting: Self.request(configuration),
                externalUserAgent: agent
            ) { state, error in
                self.state = state
                state?.stateChangeDelegate = self
                state?.errorDelegate = self
                completion(state, error)
            }
        }
    }

    func open(_ url: URL) -> Bool { self.flow?.resumeExternalUserAgentFlow(with: url) ?? false }

    func notes(_ completion: @escaping (URLRequest?) -> Void) {
        self.state?
            .performAction { accessToken, _, error in
                if let error = error as NSError?, error.domain == OIDOAuthTokenErrorDomain { print("Sign in again.") }
                guard let accessToken = accessToken else { return completion(nil) }
                var request = URLRequest(url: Server.url("notes"))
                request.setValue("Bearer \(accessToken)", forHTTPHeaderField: "Authorization")
                completion(request)
            }
    }

    func didChange(_ state: OIDAuthState) { print("authorized: \(state.isAuthorized)") }

    func authState(_ state: OIDAuthState, didEncounterAuthorizationError error: Error) {
        print("authorization failed: \(error.localizedDescription)")
    }
}
