// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth

// guide: appauth-desktop
// imports: Foundation TesseraGTMAppAuth
@MainActor
final class DesktopLogin {
    private let listener = OIDRedirectHTTPHandler()

    func start(
        _ configuration: OIDServiceConfiguration,
        clientID: String,
        browser: any OIDExternalUserAgent = OIDExternalUserAgentSystemBrowser(),
        done: @escaping (OIDAuthState?, (any Error)?) -> Void
    ) throws {
        let request = OIDAuthorizationRequest(
            configuration: configuration,
            clientId: clientID,
            clientSecret: nil,
            scopes: [OIDScopeOpenID, OIDScopeEmail],
            redirectURL: try self.listener.startHTTPListener(),
            responseType: OIDResponseTypeCode,
            additionalParameters: nil
        )
        self.listener.currentAuthorizationFlow = OIDAuthState.authState(
            byPresenting: request,
            externalUserAgent: browser,
            callback: done
        )
    }
}
// end
