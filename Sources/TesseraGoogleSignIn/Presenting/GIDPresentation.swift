// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera

// MessageUI is on iOS, visionOS and Mac Catalyst. UIKit and WebKit can also be imported on watchOS, which has no view
// controllers. On tvOS and watchOS there is no presentation: a user signs in on another device.
#if canImport(MessageUI)
internal import TesseraUserAgents
public import UIKit

/// The view controller that a sign-in appears over.
public typealias GIDPresentation = UIViewController

extension GIDSignIn {
    /// Returns the system's sign-in sheet over the view controller's window, with a redirect to the client's own scheme.
    func userAgent(over presenting: UIViewController) throws -> any UserAgent {
        AuthenticationSessionAgent(redirectURI: try self.demandedConfiguration().schemeRedirectURI()) {
            presenting.view.window
        }
    }
}
#elseif canImport(AppKit)
public import AppKit
internal import TesseraUserAgents

/// The window that a sign-in appears over.
public typealias GIDPresentation = NSWindow

extension GIDSignIn {
    /// Returns the system's sign-in sheet over the window, with a redirect to the client's own scheme.
    func userAgent(over presenting: NSWindow) throws -> any UserAgent {
        AuthenticationSessionAgent(redirectURI: try self.demandedConfiguration().schemeRedirectURI()) { presenting }
    }
}
#elseif !canImport(Darwin)
/// Where a sign-in appears: here any ``SignInPresenter``, a view controller on iOS, a window on macOS.
public typealias GIDPresentation = any SignInPresenter

extension GIDSignIn {
    func userAgent(over presenting: any SignInPresenter) throws -> any UserAgent { presenting.signInUserAgent }
}
#endif
