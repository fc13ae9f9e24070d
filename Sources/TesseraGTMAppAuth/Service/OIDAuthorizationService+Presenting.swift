// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import TesseraSupport

extension OIDAuthorizationService {
    /// Presents an authorization request to the user.
    ///
    /// - Parameters:
    ///   - request: The request. Its state identifies the response.
    ///   - externalUserAgent: The user agent that presents the page.
    ///   - callback: Receives the response after its state, issuer and, in the hybrid flow, ID token have been
    ///     validated, or an error. The error is in `OIDOAuthAuthorizationErrorDomain` if the provider or the user
    ///     denied the request, and is `userCanceledAuthorizationFlow` if the user closed the page.
    /// - Returns: The pending flow. Retain it until the callback is called, and pass the redirect to it.
    public class func present(
        _ request: OIDAuthorizationRequest,
        externalUserAgent: any OIDExternalUserAgent,
        callback: @escaping OIDAuthorizationCallback
    ) -> any OIDExternalUserAgentSession {
        self.present(request, externalUserAgent, Callback(on: .main, completion: callback)) {
            try ExpectedRedirect(of: request)
        }
    }

    /// Presents an end-session request, which signs the user out at the provider.
    ///
    /// - Parameters:
    ///   - request: The request. Its state identifies the response.
    ///   - externalUserAgent: The user agent that presents the page.
    ///   - callback: Receives the response or an error.
    /// - Returns: The pending flow. Retain it until the callback is called, and pass the redirect to it.
    public class func present(
        _ request: OIDEndSessionRequest,
        externalUserAgent: any OIDExternalUserAgent,
        callback: @escaping OIDEndSessionCallback
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
    /// Presents an authorization request to the user and exchanges the code.
    ///
    /// - Parameters:
    ///   - authorizationRequest: The authorization request.
    ///   - externalUserAgent: The user agent that presents the page.
    ///   - callback: Receives a state with tokens and a verified ID token, or an error. The callback is called once,
    ///     asynchronously, on the main queue.
    /// - Returns: The pending flow. Retain it until the callback is called, and pass the redirect to it.
    public class func authState(
        byPresenting authorizationRequest: OIDAuthorizationRequest,
        externalUserAgent: any OIDExternalUserAgent,
        callback: @escaping OIDAuthStateAuthorizationCallback
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
        // As in AppAuth, apps that use the hybrid flow exchange the code themselves.
        guard response.request.responseType == OIDResponseTypeCode, let exchange = response.tokenExchangeRequest()
        else {
            return OIDAuthState(authorizationResponse: response)
        }
        let tokens = try await OIDAuthorizationService.perform(exchange, originalAuthorizationResponse: response)
        return OIDAuthState(authorizationResponse: response, tokenResponse: tokens)
    }
}
