// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
public import Tessera
internal import TesseraDefaults

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
#endif
