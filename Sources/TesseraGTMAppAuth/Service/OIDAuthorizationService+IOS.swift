// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(MessageUI)
public import UIKit

extension OIDAuthorizationService {
    /// Asks the user, in the system's sign-in sheet over a view controller's window.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - presentingViewController: A view controller whose view is on the screen when the sheet appears.
    ///   - prefersEphemeralSession: whether the sheet starts without the browser's cookies.
    ///   - callback: gets the response or an error, see ``present(_:externalUserAgent:callback:)``.
    /// - Returns: the wait, which has to be held until then.
    public class func present(
        _ request: OIDAuthorizationRequest,
        presenting presentingViewController: UIViewController,
        prefersEphemeralSession: Bool = false,
        callback: @escaping (OIDAuthorizationResponse?, (any Error)?) -> Void
    ) -> any OIDExternalUserAgentSession {
        let agent = OIDExternalUserAgentIOS(over: presentingViewController, isEphemeral: prefersEphemeralSession)
        return self.present(request, externalUserAgent: agent, callback: callback)
    }
}
#endif
