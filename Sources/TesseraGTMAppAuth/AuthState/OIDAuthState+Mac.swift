// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit

extension OIDAuthState {
    /// Asks the user, in the system's sign-in sheet over a window, and exchanges the code.
    ///
    /// - Parameters:
    ///   - authorizationRequest: what is asked.
    ///   - presentingWindow: the window.
    ///   - prefersEphemeralSession: whether the sheet starts without the browser's cookies.
    ///   - callback: gets a state with tokens, or an error, see ``authState(byPresenting:externalUserAgent:callback:)``.
    /// - Returns: the wait, which has to be held until then.
    public class func authState(
        byPresenting authorizationRequest: OIDAuthorizationRequest,
        presenting presentingWindow: NSWindow,
        prefersEphemeralSession: Bool = false,
        callback: @escaping (OIDAuthState?, (any Error)?) -> Void
    ) -> any OIDExternalUserAgentSession {
        let agent = OIDExternalUserAgentMac(over: presentingWindow, isEphemeral: prefersEphemeralSession)
        return self.authState(byPresenting: authorizationRequest, externalUserAgent: agent, callback: callback)
    }
}
#endif
