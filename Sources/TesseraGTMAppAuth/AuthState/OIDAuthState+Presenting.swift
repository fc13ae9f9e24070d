// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport

extension OIDAuthState {
    /// Asks the person, and exchanges the code.
    ///
    /// - Parameters:
    ///   - authorizationRequest: what is asked.
    ///   - externalUserAgent: shows the page.
    ///   - callback: gets a state with tokens, its ID token verified; or an error. Called once, later, on the main queue.
    /// - Returns: the wait, which the program gives the redirect to, and which has to be held until then.
    public class func authState(
        byPresenting authorizationRequest: OIDAuthorizationRequest,
        externalUserAgent: any OIDExternalUserAgent,
        callback: @escaping (OIDAuthState?, (any Error)?) -> Void
    ) -> any OIDExternalUserAgentSession {
        OIDAuthorizationService.present(
            authorizationRequest,
            externalUserAgent,
            Callback(on: .main, completion: callback)
        ) {
            let expected = try ExpectedRedirect(of: authorizationRequest)
            return ExpectedRedirect(matches: expected.matches) { response in
                try await Self.authState(exchanging: try await expected.receive(response))
            }
        }
    }

    private class func authState(exchanging response: OIDAuthorizationResponse) async throws -> OIDAuthState {
        // The hybrid flow's programs exchange the code by themselves, as with AppAuth.
        guard response.request.responseType == OIDResponseTypeCode, let exchange = response.tokenExchangeRequest()
        else {
            return OIDAuthState(authorizationResponse: response)
        }
        let tokens = try await OIDAuthorizationService.perform(exchange, originalAuthorizationResponse: response)
        return OIDAuthState(authorizationResponse: response, tokenResponse: tokens)
    }
}
