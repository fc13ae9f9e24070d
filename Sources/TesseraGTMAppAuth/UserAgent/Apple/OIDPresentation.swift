// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// MessageUI is on iOS, visionOS and Mac Catalyst.
#if canImport(MessageUI)
public import UIKit

/// What the system's sign-in sheet appears over: a view controller whose view is on the screen.
public typealias OIDPresentation = UIViewController
private typealias SheetAgent = OIDExternalUserAgentIOS
#elseif canImport(AppKit)
public import AppKit

/// What the system's sign-in sheet appears over.
public typealias OIDPresentation = NSWindow
private typealias SheetAgent = OIDExternalUserAgentMac
#endif

#if canImport(MessageUI) || canImport(AppKit)
extension OIDAuthorizationService {
    /// Asks the user for an authorization in the system's sign-in sheet.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - presenting: What the sheet appears over.
    ///   - prefersEphemeralSession: Whether the sheet starts without the browser's cookies.
    ///   - callback: Receives the response or an error, see ``present(_:externalUserAgent:callback:)``.
    /// - Returns: The session, which the app has to hold until then.
    public class func present(
        _ request: OIDAuthorizationRequest,
        presenting: OIDPresentation,
        prefersEphemeralSession: Bool = false,
        callback: @escaping (OIDAuthorizationResponse?, (any Error)?) -> Void
    ) -> any OIDExternalUserAgentSession {
        let agent = SheetAgent(over: presenting, isEphemeral: prefersEphemeralSession)
        return self.present(request, externalUserAgent: agent, callback: callback)
    }
}

extension OIDAuthState {
    /// Asks the user for an authorization in the system's sign-in sheet, and exchanges the code.
    ///
    /// - Parameters:
    ///   - authorizationRequest: The request.
    ///   - presenting: What the sheet appears over.
    ///   - prefersEphemeralSession: Whether the sheet starts without the browser's cookies.
    ///   - callback: Receives a state with tokens or an error, see
    ///     ``authState(byPresenting:externalUserAgent:callback:)``.
    /// - Returns: The session, which the app has to hold until then.
    public class func authState(
        byPresenting authorizationRequest: OIDAuthorizationRequest,
        presenting: OIDPresentation,
        prefersEphemeralSession: Bool = false,
        callback: @escaping (OIDAuthState?, (any Error)?) -> Void
    ) -> any OIDExternalUserAgentSession {
        let agent = SheetAgent(over: presenting, isEphemeral: prefersEphemeralSession)
        return self.authState(byPresenting: authorizationRequest, externalUserAgent: agent, callback: callback)
    }
}
#endif
