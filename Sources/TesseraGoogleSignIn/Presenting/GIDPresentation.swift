// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera

#if canImport(UIKit) && canImport(WebKit)
public import UIKit
internal import TesseraUserAgents

/// What a sign-in is shown over: a view controller.
public typealias GIDPresentation = UIViewController

extension GIDSignIn {
    /// The system's sign-in sheet over the view controller's window, with a redirect to the client's own scheme.
    func userAgent(over presenting: UIViewController) throws -> any UserAgent {
        AuthenticationSessionAgent(redirectURI: try self.demandedConfiguration().schemeRedirectURI()) {
            presenting.view.window ?? UIWindow()
        }
    }
}
#elseif canImport(AppKit)
public import AppKit
internal import TesseraUserAgents

/// What a sign-in is shown over: a window.
public typealias GIDPresentation = NSWindow

extension GIDSignIn {
    /// The system's sign-in sheet over the window, with a redirect to the client's own scheme.
    func userAgent(over presenting: NSWindow) throws -> any UserAgent {
        AuthenticationSessionAgent(redirectURI: try self.demandedConfiguration().schemeRedirectURI()) { presenting }
    }
}
#else
/// What a sign-in is shown over: here any ``SignInPresenter``, a view controller on iOS, a window on macOS.
public typealias GIDPresentation = any SignInPresenter

extension GIDSignIn {
    func userAgent(over presenting: any SignInPresenter) throws -> any UserAgent { presenting.signInUserAgent }
}
#endif
