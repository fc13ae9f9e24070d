// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(MessageUI)
public import UIKit

extension OIDAuthState {
    /// Asks the user, in the system's sign-in sheet over a view controller's window, and exchanges the code.
    ///
    /// - Parameters:
    ///   - authorizationRequest: what is asked.
    ///   - presentingViewController: A view controller whose view is on the screen when the sheet appears.
    ///   - prefersEphemeralSession: whether the sheet starts without the browser's cookies.
    ///   - callback: gets a state with tokens, or an error, see ``authState(byPresenting:externalUserAgent:callback:)``.
    /// - Returns: the wait, which has to be held until then.
    public class func authState(
        byPresenting authorizationRequest: OIDAuthorizationRequest,
        presenting presentingViewController: UIViewController,
        prefersEphemeralSession: Bool = false,
        callback: @escaping (OIDAuthState?, (any Error)?) -> Void
    ) -> any OIDExternalUserAgentSession {
        let agent = OIDExternalUserAgentIOS(over: presentingViewController, isEphemeral: prefersEphemeralSession)
        return self.authState(byPresenting: authorizationRequest, externalUserAgent: agent, callback: callback)
    }
}
#endif
