// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// MessageUI is available on iOS, visionOS and Mac Catalyst. UIKit and WebKit can also be imported on watchOS, which has
// no view controllers. On tvOS and watchOS, there is no presentation because users sign in on another device.
#if canImport(MessageUI)
internal import Tessera
internal import TesseraUserAgents
public import UIKit

/// The view controller over which a sign-in appears.
public typealias GIDPresentation = UIViewController

extension GIDSignIn {
    /// Returns the system's sign-in sheet over the view controller's window.
    ///
    /// The sheet redirects to the client's custom scheme.
    static func userAgent(
        over presenting: UIViewController,
        for configuration: GIDConfiguration
    ) throws -> any UserAgent {
        AuthenticationSessionAgent(redirectURI: try configuration.registeredRedirectURI()) { presenting.view.window }
    }
}
#elseif canImport(AppKit)
public import AppKit
internal import Tessera
internal import TesseraUserAgents

/// The window over which a sign-in appears.
public typealias GIDPresentation = NSWindow

extension GIDSignIn {
    /// Returns the system's sign-in sheet over the window.
    ///
    /// The sheet redirects to the client's custom scheme.
    static func userAgent(over presenting: NSWindow, for configuration: GIDConfiguration) throws -> any UserAgent {
        AuthenticationSessionAgent(redirectURI: try configuration.registeredRedirectURI()) { presenting }
    }
}
#elseif !canImport(Darwin)
public import Tessera
internal import TesseraDefaults

/// The object that presents a sign-in.
///
/// This is a view controller on iOS and a window on macOS.
public typealias GIDPresentation = any SignInPresenter

extension GIDSignIn {
    static func userAgent(
        over presenting: any SignInPresenter,
        for configuration: GIDConfiguration
    ) throws -> any UserAgent {
        presenting.signInUserAgent
    }
}

/// An object that presents a sign-in on platforms without view controllers.
///
/// Any object in the app can be a presenter.
///
/// ```swift
/// extension MainWindow: SignInPresenter {}
/// GIDSignIn.sharedInstance.signIn(withPresenting: mainWindow) { result, error in … }
/// ```
///
/// On Apple platforms, use a view controller or a window instead.
public protocol SignInPresenter {
    /// The user agent that shows Google's page and receives the redirect.
    ///
    /// The default is the user's browser.
    var signInUserAgent: any UserAgent { get }
}

extension SignInPresenter {
    /// The user's browser.
    ///
    /// See `PlatformDefaults.userAgent()`.
    public var signInUserAgent: any UserAgent { PlatformDefaults.userAgent() }
}

/// A presenter that opens the user's browser, for apps that do not need a custom presenter.
///
/// ```swift
/// let result = try await GIDSignIn.sharedInstance.signIn(withPresenting: .systemBrowser)
/// ```
public struct SystemBrowserPresenter: SignInPresenter, Sendable {
    /// Creates a presenter.
    public init() {}
}

extension SignInPresenter where Self == SystemBrowserPresenter {
    /// A presenter that opens the user's browser.
    public static var systemBrowser: SystemBrowserPresenter { SystemBrowserPresenter() }
}
#endif
