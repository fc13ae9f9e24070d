// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit

extension OIDAuthorizationService {
    /// Asks the user, in the system's sign-in sheet over a window.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - presentingWindow: the window.
    ///   - prefersEphemeralSession: whether the sheet starts without the browser's cookies.
    ///   - callback: gets the response or an error, see ``present(_:externalUserAgent:callback:)``.
    /// - Returns: the wait, which has to be held until then.
    public class func present(
        _ request: OIDAuthorizationRequest,
        presenting presentingWindow: NSWindow,
        prefersEphemeralSession: Bool = false,
        callback: @escaping (OIDAuthorizationResponse?, (any Error)?) -> Void
    ) -> any OIDExternalUserAgentSession {
        let agent = OIDExternalUserAgentMac(over: presentingWindow, isEphemeral: prefersEphemeralSession)
        return self.present(request, externalUserAgent: agent, callback: callback)
    }
}
#endif
