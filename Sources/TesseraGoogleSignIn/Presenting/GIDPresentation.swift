// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// MessageUI is on iOS, visionOS and Mac Catalyst. UIKit and WebKit can also be imported on watchOS, which has no view
// controllers. On tvOS and watchOS there is no presentation: a user signs in on another device.
#if canImport(MessageUI)
internal import Tessera
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
internal import Tessera
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
public import Tessera
internal import TesseraDefaults

/// Where a sign-in appears: here any ``SignInPresenter``, a view controller on iOS, a window on macOS.
public typealias GIDPresentation = any SignInPresenter

extension GIDSignIn {
    func userAgent(over presenting: any SignInPresenter) throws -> any UserAgent { presenting.signInUserAgent }
}

/// Where a sign-in appears on systems without view controllers: any object of the app can be a presenter.
///
/// ```swift
/// extension MainWindow: SignInPresenter {}
/// GIDSignIn.sharedInstance.signIn(withPresenting: mainWindow) { result, error in … }
/// ```
///
/// On Apple's systems a view controller or a window takes its place.
public protocol SignInPresenter {
    /// What shows Google's page and receives the redirect. Defaults to the user's browser.
    var signInUserAgent: any UserAgent { get }
}

extension SignInPresenter {
    /// The user's browser, see `PlatformDefaults.userAgent()`.
    public var signInUserAgent: any UserAgent { PlatformDefaults.userAgent() }
}

/// The user's browser as a presenter, for programs that have no object of their own for it.
///
/// ```swift
/// let result = try await GIDSignIn.sharedInstance.signIn(withPresenting: .systemBrowser)
/// ```
public struct SystemBrowserPresenter: SignInPresenter, Sendable {
    /// Creates a presenter.
    public init() {}
}

extension SignInPresenter where Self == SystemBrowserPresenter {
    /// The user's browser.
    public static var systemBrowser: SystemBrowserPresenter { SystemBrowserPresenter() }
}
#endif
