// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import TesseraSupport

extension OIDAuthorizationService {
    /// Asks the user for an authorization.
    ///
    /// - Parameters:
    ///   - request: the request; its state identifies the response.
    ///   - externalUserAgent: shows the page.
    ///   - callback: gets the response, whose state, issuer and, in the hybrid flow, ID token were checked; or an
    ///     error: of `OIDOAuthAuthorizationErrorDomain` if the provider or the user denied the request,
    ///     `userCanceledAuthorizationFlow` if the user closed the page.
    /// - Returns: the wait, which the program gives the redirect to, and which has to be held until then.
    public class func present(
        _ request: OIDAuthorizationRequest,
        externalUserAgent: any OIDExternalUserAgent,
        callback: @escaping (OIDAuthorizationResponse?, (any Error)?) -> Void
    ) -> any OIDExternalUserAgentSession {
        self.present(request, externalUserAgent, Callback(on: .main, completion: callback)) {
            try ExpectedRedirect(of: request)
        }
    }

    /// Signs the user out at the provider.
    ///
    /// - Parameters:
    ///   - request: the request; its state identifies the response.
    ///   - externalUserAgent: shows the page.
    ///   - callback: gets the response, or an error.
    /// - Returns: the wait, which the program gives the redirect to, and which has to be held until then.
    public class func present(
        _ request: OIDEndSessionRequest,
        externalUserAgent: any OIDExternalUserAgent,
        callback: @escaping (OIDEndSessionResponse?, (any Error)?) -> Void
    ) -> any OIDExternalUserAgentSession {
        self.present(request, externalUserAgent, Callback(on: .main, completion: callback)) {
            try ExpectedRedirect(of: request)
        }
    }

    class func present<Response: Sendable>(
        _ request: some OIDExternalUserAgentRequest,
        _ userAgent: any OIDExternalUserAgent,
        _ callback: Callback<Result<Response, any Error>>,
        expecting expected: () throws -> ExpectedRedirect<Response>
    ) -> any OIDExternalUserAgentSession {
        do {
            let flow = PresentedFlow(try expected(), callback)
            flow.present(request, userAgent)
            return flow
        } catch {
            callback(.failure(NSError.appAuth(mapping: error)))
            return PresentedFlow<Response>(nil, callback)
        }
    }
}

extension OIDAuthState {
    /// Asks the user for an authorization, and exchanges the code.
    ///
    /// - Parameters:
    ///   - authorizationRequest: the request.
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
