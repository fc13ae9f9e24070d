// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// MessageUI is available on iOS, visionOS and Mac Catalyst.
#if canImport(MessageUI)
internal import TesseraUserAgents
public import UIKit

/// The anchor for the system's sign-in sheet, which is a view controller whose view is on the screen.
public typealias OIDPresentation = UIViewController
private typealias SheetAgent = OIDExternalUserAgentIOS

/// A user agent for iOS and visionOS that presents the system's sign-in sheet over a view controller's window.
///
/// The scheme of a private redirect URI must contain a dot.
///
/// - SeeAlso: [RFC 8252, section 7.1](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.1)
public final class OIDExternalUserAgentIOS: OIDExternalUserAgent {
    fileprivate let sheet: SheetUserAgent

    /// Creates a user agent.
    ///
    /// The initializer never returns nil, but it is failable for compatibility with AppAuth.
    ///
    /// - Parameters:
    ///   - presentingViewController: A view controller. If its view is not on the screen when the sheet appears, the
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

/// The anchor for the system's sign-in sheet, which is a window.
public typealias OIDPresentation = NSWindow
private typealias SheetAgent = OIDExternalUserAgentMac

/// A user agent for macOS that presents the system's sign-in sheet over a window.
///
/// The scheme of a private redirect URI must contain a dot.
///
/// - SeeAlso: [RFC 8252, section 7.1](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.1)
public final class OIDExternalUserAgentMac: OIDExternalUserAgent {
    fileprivate let sheet: SheetUserAgent

    /// Creates a user agent that presents its sheet over a window and shares the browser's cookies.
    public convenience init(presenting presentingWindow: NSWindow) {
        self.init(over: presentingWindow, isEphemeral: false)
    }

    /// Creates a user agent.
    ///
    /// The initializer never returns nil, but it is failable for compatibility with AppAuth.
    ///
    /// - Parameters:
    ///   - presentingWindow: The window over which the sheet appears.
    ///   - prefersEphemeralSession: Whether the sheet starts without the browser's cookies.
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
    /// Presents the sheet.
    ///
    /// If the user closes it, the session ends with `userCanceledAuthorizationFlow`.
    public func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool {
        self.sheet.present(request, session: session)
    }

    /// Dismisses the sheet.
    public func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void) {
        self.sheet.dismiss(animated: animated, completion: completion)
    }
}

extension OIDAuthorizationService {
    /// Presents an authorization request to the user in the system's sign-in sheet.
    ///
    /// - Parameters:
    ///   - request: The authorization request.
    ///   - presenting: The anchor for the sheet.
    ///   - prefersEphemeralSession: Whether the sheet starts without the browser's cookies.
    ///   - callback: Receives the response or an error. See ``present(_:externalUserAgent:callback:)``.
    /// - Returns: The pending flow. Retain it until the callback is called.
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
    /// Presents an authorization request to the user in the system's sign-in sheet and exchanges the code.
    ///
    /// - Parameters:
    ///   - authorizationRequest: The authorization request.
    ///   - presenting: The anchor for the sheet.
    ///   - prefersEphemeralSession: Whether the sheet starts without the browser's cookies.
    ///   - callback: Receives a state with tokens or an error. See
    ///     ``authState(byPresenting:externalUserAgent:callback:)``.
    /// - Returns: The pending flow. Retain it until the callback is called.
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
