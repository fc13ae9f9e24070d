// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// MessageUI is available on iOS, visionOS and Mac Catalyst.
#if canImport(MessageUI)
internal import Tessera
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
public final class OIDExternalUserAgentIOS: NSObject, OIDExternalUserAgent, Sendable {
    fileprivate let sheet: SheetUserAgent

    /// Creates a user agent without a view controller.
    @available(*, unavailable, message: "Use OIDExternalUserAgentIOS(presenting:) with the current view controller.")
    override public init() {
        self.sheet = .unavailable
        super.init()
    }

    /// Creates a user agent.
    ///
    /// The initializer never returns nil, but it is failable for compatibility with AppAuth.
    ///
    /// - Parameters:
    ///   - presentingViewController: A view controller. If its view is not on the screen when the sheet appears, the
    ///     sign-in fails with `safariOpenError`.
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
        super.init()
    }
}

/// A user agent for Mac Catalyst.
@available(*, unavailable, message: "Use OIDExternalUserAgentIOS, which supports Mac Catalyst.")
public typealias OIDExternalUserAgentCatalyst = OIDExternalUserAgentIOS

/// A user agent that opens a certain browser app.
@available(
    *,
    unavailable,
    message: "Use OIDExternalUserAgentIOS, or open the page in a class that conforms to OIDExternalUserAgent."
)
public final class OIDExternalUserAgentIOSCustomBrowser: NSObject, OIDExternalUserAgent {
    /// Creates a user agent that opens pages in Chrome.
    public static func customBrowserChrome() -> OIDExternalUserAgentIOSCustomBrowser { Self() }
    /// Creates a user agent that opens pages in Firefox.
    public static func customBrowserFirefox() -> OIDExternalUserAgentIOSCustomBrowser { Self() }
    /// Creates a user agent that opens pages in Opera.
    public static func customBrowserOpera() -> OIDExternalUserAgentIOSCustomBrowser { Self() }
    /// Creates a user agent that opens pages in Safari.
    public static func customBrowserSafari() -> OIDExternalUserAgentIOSCustomBrowser { Self() }

    /// Creates a user agent that opens the transformed URL of a page.
    public init?(
        urlTransformation: @escaping OIDCustomBrowserURLTransformation,
        canOpenURLScheme: String? = nil,
        appStoreURL: URL? = nil
    ) { nil }

    override private init() { super.init() }

    /// Returns false.
    public func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool {
        false
    }

    /// Does nothing.
    public func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void) { completion() }
}
#elseif canImport(AppKit)
public import AppKit
internal import Tessera
internal import TesseraUserAgents

/// The anchor for the system's sign-in sheet, which is a window.
public typealias OIDPresentation = NSWindow
private typealias SheetAgent = OIDExternalUserAgentMac

/// A user agent for macOS that presents the system's sign-in sheet over a window.
///
/// The scheme of a private redirect URI must contain a dot.
///
/// - SeeAlso: [RFC 8252, section 7.1](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.1)
public final class OIDExternalUserAgentMac: NSObject, OIDExternalUserAgent, Sendable {
    fileprivate let sheet: SheetUserAgent

    /// Creates a user agent that opens the default browser.
    @available(*, unavailable, message: "Use OIDExternalUserAgentSystemBrowser(), or init(presenting:) with a window.")
    override public init() {
        self.sheet = .unavailable
        super.init()
    }

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
        super.init()
    }
}

extension OIDRedirectHTTPHandler {
    /// Starts listening on a port.
    @available(*, unavailable, message: "Use 'try startHTTPListener(port:)', which throws the error.")
    public func startHTTPListener(_ returnError: NSErrorPointer, withPort port: UInt16) -> URL { URL(filePath: "/") }

    /// Starts listening.
    @available(*, unavailable, message: "Use 'try startHTTPListener()', which throws the error.")
    public func startHTTPListener(_ returnError: NSErrorPointer) -> URL { URL(filePath: "/") }
}
#endif

#if canImport(MessageUI) || canImport(AppKit)
extension SheetUserAgent {
    /// The agent of initializers that are not available.
    fileprivate static var unavailable: SheetUserAgent { SheetUserAgent { _, _ in throw SignInError(.noBrowser) } }
}

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
        callback: @escaping OIDAuthorizationCallback
    ) -> any OIDExternalUserAgentSession {
        let agent = SheetAgent(over: presenting, isEphemeral: prefersEphemeralSession)
        return self.present(request, externalUserAgent: agent, callback: callback)
    }

    /// Presents an authorization request to the user in the default browser.
    @available(
        *,
        unavailable,
        message: """
            Use present(_:presenting:callback:), or on macOS present(_:externalUserAgent:callback:) with \
            OIDExternalUserAgentSystemBrowser().
            """
    )
    public class func present(
        _ request: OIDAuthorizationRequest,
        callback: @escaping OIDAuthorizationCallback
    ) -> any OIDExternalUserAgentSession {
        self.present(request, externalUserAgent: SheetUserAgent.unavailable, callback: callback)
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
        callback: @escaping OIDAuthStateAuthorizationCallback
    ) -> any OIDExternalUserAgentSession {
        let agent = SheetAgent(over: presenting, isEphemeral: prefersEphemeralSession)
        return self.authState(byPresenting: authorizationRequest, externalUserAgent: agent, callback: callback)
    }

    /// Presents an authorization request to the user in the default browser and exchanges the code.
    @available(
        *,
        unavailable,
        message: """
            Use authState(byPresenting:presenting:callback:), or on macOS \
            authState(byPresenting:externalUserAgent:callback:) with OIDExternalUserAgentSystemBrowser().
            """
    )
    public class func authState(
        byPresenting authorizationRequest: OIDAuthorizationRequest,
        callback: @escaping OIDAuthStateAuthorizationCallback
    ) -> any OIDExternalUserAgentSession {
        self.authState(
            byPresenting: authorizationRequest,
            externalUserAgent: SheetUserAgent.unavailable,
            callback: callback
        )
    }
}
#endif
