// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth

// guide: appauth
// imports: Foundation TesseraGTMAppAuth
// before-imports: AppAuth Foundation
@MainActor
final class Login {
    private(set) var state: OIDAuthState?
    private var flow: (any OIDExternalUserAgentSession)?

    func start(
        issuer: URL,
        clientID: String,
        redirectURL: URL,
        browser: any OIDExternalUserAgent,
        done: @escaping ((any Error)?) -> Void
    ) {
        OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, error in
            guard let configuration else { return done(error) }
            let request = OIDAuthorizationRequest(
                configuration: configuration,
                clientId: clientID,
                clientSecret: nil,
                scopes: [OIDScopeOpenID, OIDScopeEmail],
                redirectURL: redirectURL,
                responseType: OIDResponseTypeCode,
                additionalParameters: nil
            )
            self.flow = OIDAuthState.authState(byPresenting: request, externalUserAgent: browser) { state, error in
                self.state = state
                done(error)
            }
        }
    }

    func opened(_ url: URL) -> Bool {
        self.flow?.resumeExternalUserAgentFlow(with: url) ?? false
    }

    func call(_ send: @escaping (String) -> Void, failed: @escaping ((any Error)?) -> Void) {
        self.state?
            .performAction { accessToken, _, error in
                guard let accessToken else { return failed(error) }
                send("Bearer \(accessToken)")
            }
    }
}
// end
