// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
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
