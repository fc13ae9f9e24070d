// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The person's own browser as a presenter: for programs that have no object of their own for it.
///
/// ```swift
/// let result = try await GIDSignIn.sharedInstance.signIn(withPresenting: .systemBrowser)
/// ```
public struct SystemBrowserPresenter: SignInPresenter, Sendable {
    /// The person's own browser.
    public init() {}
}

extension SignInPresenter where Self == SystemBrowserPresenter {
    /// The person's own browser.
    public static var systemBrowser: SystemBrowserPresenter { SystemBrowserPresenter() }
}
