// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// A user agent, such as a browser, that presents a page to the user.
public protocol OIDExternalUserAgent: AnyObject, Sendable {
    /// Presents the page.
    ///
    /// - Parameters:
    ///   - request: The request with the page's URL and the redirect's scheme.
    ///   - session: The session that receives the redirect or an error.
    /// - Returns: Whether the page was presented. If not, the session ends.
    func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool

    /// Dismisses the page after the session has ended.
    ///
    /// - Parameters:
    ///   - animated: Whether to animate the dismissal.
    ///   - completion: The closure to call after the dismissal. Releasing the closure has the same effect.
    func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void)
}

/// A request that opens a page and may expect a redirect.
public protocol OIDExternalUserAgentRequest {
    /// Returns the page's URL, or nil if the provider has no such page.
    func externalUserAgentRequestURL() -> URL!

    /// Returns the redirect's scheme, or nil if no redirect is expected.
    func redirectScheme() -> String!
}

/// A pending flow that presents a page and waits for the redirect.
public protocol OIDExternalUserAgentSession: AnyObject, Sendable {
    /// Cancels the flow.
    ///
    /// The callback receives `programCanceledAuthorizationFlow`.
    func cancel()

    /// Cancels the flow and then calls `completion`.
    func cancel(completion: (@Sendable () -> Void)?)

    /// Passes a URL that opened the app to the flow.
    ///
    /// - Returns: Whether the URL is the expected redirect, in which case the flow ends. Any other URL, including a
    ///   forged redirect, is ignored.
    @discardableResult
    func resumeExternalUserAgentFlow(with url: URL) -> Bool

    /// Ends the flow with an error.
    func failExternalUserAgentFlowWithError(_ error: any Error)
}
