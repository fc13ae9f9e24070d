// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation

extension OIDAuthorizationService {
    /// Asks the person.
    ///
    /// - Parameters:
    ///   - request: what is asked; its state is what an answer is known by.
    ///   - externalUserAgent: shows the page.
    ///   - callback: gets the response, whose state, issuer and, in the hybrid flow, ID token were checked; or an error:
    ///     of `OIDOAuthAuthorizationErrorDomain` where the provider or the person said no, `userCanceledAuthorizationFlow`
    ///     where the person closed the page.
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

    /// Signs the person out at the provider.
    ///
    /// - Parameters:
    ///   - request: what is asked; its state is what an answer is known by.
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
