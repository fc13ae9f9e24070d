// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// Shows a page to the user: a browser, as AppAuth's programs know it.
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

/// What can be opened in a browser, and may come back by a redirect.
public protocol OIDExternalUserAgentRequest {
    /// The page to open; nil where the provider has none for this.
    func externalUserAgentRequestURL() -> URL!

    /// The scheme of the redirect; nil where none is waited for.
    func redirectScheme() -> String!
}

/// The wait for a redirect, from the page that is shown to the response.
public protocol OIDExternalUserAgentSession: AnyObject, Sendable {
    /// Ends the wait: the callback gets `programCanceledAuthorizationFlow`.
    func cancel()

    /// The same, with a word when it has ended.
    func cancel(completion: (@Sendable () -> Void)?)

    /// Gives the session a URL that the program was opened with.
    ///
    /// - Returns: whether it is the expected response: then the session has ended. Anything else, also a forged
    ///   response, changes nothing.
    @discardableResult
    func resumeExternalUserAgentFlow(with url: URL) -> Bool

    /// Ends the wait with an error.
    func failExternalUserAgentFlowWithError(_ error: any Error)
}
