// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// MessageUI is on iOS, visionOS and Mac Catalyst.
#if canImport(MessageUI)
internal import TesseraUserAgents
public import UIKit

/// What the system's sign-in sheet appears over: a view controller whose view is on the screen.
public typealias OIDPresentation = UIViewController
private typealias SheetAgent = OIDExternalUserAgentIOS

/// The system's sign-in sheet over a view controller's window: the user agent of apps for iOS and visionOS.
///
/// The scheme of a private redirect URI must contain a dot.
///
/// - SeeAlso: [RFC 8252, section 7.1](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.1)
public final class OIDExternalUserAgentIOS: OIDExternalUserAgent {
    fileprivate let sheet: SheetUserAgent

    /// Creates a sheet over the window of `presentingViewController`: never nil, and optional as in AppAuth.
    ///
    /// - Parameters:
    ///   - presentingViewController: A view controller whose view is on the screen when the sheet appears. Otherwise the
    ///     sign-in fails with `browserOpenError`.
    ///   - prefersEphemeralSession: Whether the sheet starts without the browser's cookies.
    public convenience init?(
        presenting presentingViewController: UIViewController,
        prefersEphemeralSession: Bool = false
    ) {
        self.init(over: presentingViewController, isEphemeral: prefersEphemeralSession)
    }

    init(over viewController: UIViewController, isEphemeral: Bool) {
        self.sheet = SheetUserAgent { page, redirectURI in
            let agent = AuthenticationSessionAgent(
                redirectURI: redirectURI,
                prefersEphemeralSession: isEphemeral,
                anchor: { viewController.view.window }
            )
            return try await agent.redirect(from: page)
        }
    }
}
#elseif canImport(AppKit)
public import AppKit
internal import TesseraUserAgents

/// What the system's sign-in sheet appears over.
public typealias OIDPresentation = NSWindow
private typealias SheetAgent = OIDExternalUserAgentMac

/// The system's sign-in sheet over a window: the user agent of programs for macOS.
///
/// The scheme of a private redirect URI must contain a dot.
///
/// - SeeAlso: [RFC 8252, section 7.1](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.1)
public final class OIDExternalUserAgentMac: OIDExternalUserAgent {
    fileprivate let sheet: SheetUserAgent

    /// A sheet over `presentingWindow` that shares the browser's session.
    public convenience init(presenting presentingWindow: NSWindow) {
        self.init(over: presentingWindow, isEphemeral: false)
    }

    /// A sheet over `presentingWindow`; never nil, and optional as in AppAuth.
    ///
    /// - Parameters:
    ///   - presentingWindow: the window.
    ///   - prefersEphemeralSession: whether the sheet starts without the browser's cookies.
    public convenience init?(presenting presentingWindow: NSWindow, prefersEphemeralSession: Bool) {
        self.init(over: presentingWindow, isEphemeral: prefersEphemeralSession)
    }

    init(over window: NSWindow, isEphemeral: Bool) {
        self.sheet = SheetUserAgent { page, redirectURI in
            let agent = AuthenticationSessionAgent(
                redirectURI: redirectURI,
                prefersEphemeralSession: isEphemeral,
                anchor: { window }
            )
            return try await agent.redirect(from: page)
        }
    }
}
#endif

#if canImport(MessageUI) || canImport(AppKit)
extension SheetAgent {
    /// Shows the sheet.
    ///
    /// Closing it ends the session with `userCanceledAuthorizationFlow`.
    public func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool {
        self.sheet.present(request, session: session)
    }

    /// Takes the sheet away.
    public func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void) {
        self.sheet.dismiss(animated: animated, completion: completion)
    }
}

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
