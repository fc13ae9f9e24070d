// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraDefaults

/// Where a sign-in appears on systems without a window to give it: any object of the program can be one.
///
/// ```swift
/// extension MainWindow: SignInPresenter {}
/// GIDSignIn.sharedInstance.signIn(withPresenting: mainWindow) { result, error in … }
/// ```
public protocol SignInPresenter {
    /// What shows Google's page and receives the redirect; the person's own browser unless a program says otherwise.
    var signInUserAgent: any UserAgent { get }
}

extension SignInPresenter {
    /// The person's own browser, see `PlatformDefaults.userAgent()`.
    public var signInUserAgent: any UserAgent { PlatformDefaults.userAgent() }
}
