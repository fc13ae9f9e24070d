// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Shows a page to the person: a browser, as AppAuth's programs know it.
public protocol OIDExternalUserAgent: AnyObject, Sendable {
    /// Shows the page.
    ///
    /// - Parameters:
    ///   - request: knows the page and the scheme of the redirect.
    ///   - session: gets the redirect, or the error that ended the wait for it.
    /// - Returns: whether the page is shown; false ends the session.
    func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool

    /// Takes the page away, when the session has ended.
    ///
    /// - Parameters:
    ///   - animated: whether that may be seen.
    ///   - completion: to be called when it is gone; letting go of it is as good.
    func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void)
}
