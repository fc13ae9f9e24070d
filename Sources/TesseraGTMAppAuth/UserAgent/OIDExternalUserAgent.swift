// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// A user agent, such as a browser, that presents a page to the user.
public protocol OIDExternalUserAgent: AnyObject {
    /// Presents the page on the thread that starts the flow.
    ///
    /// - Parameters:
    ///   - request: The request with the page's URL and the redirect's scheme.
    ///   - session: The session that receives the redirect or an error.
    /// - Returns: Whether the page was presented. If not, the session ends.
    func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool

    /// Dismisses the page after the redirect has arrived or the app has canceled the flow.
    ///
    /// It is called on the main thread. It is not called after the user agent has reported an error to the session.
    ///
    /// - Parameters:
    ///   - animated: Whether to animate the dismissal.
    ///   - completion: The closure to call after the dismissal. Releasing the closure has the same effect.
    func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void)
}

extension OIDExternalUserAgent {
    /// Dismisses the page and returns after the dismissal.
    public func dismiss(animated: Bool) async {
        await withCheckedContinuation { continuation in
            let isGone = SharedResult<Void>(otherwise: ()) { continuation.resume() }
            self.dismiss(animated: animated) { isGone(()) }
        }
    }
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
    /// Dismisses the page and cancels the flow.
    ///
    /// The callback receives `userCanceledAuthorizationFlow`, as in AppAuth. After the redirect has arrived, this
    /// method has no effect.
    func cancel()

    /// Cancels the flow and calls `completion` on the main queue after the callback.
    ///
    /// If the flow has already ended, `completion` is called, too.
    func cancel(completion: (@Sendable () -> Void)?)

    /// Passes a URL that opened the app to the flow.
    ///
    /// - Returns: Whether the URL is the expected redirect, in which case the flow ends. Any other URL, including a
    ///   forged redirect, is ignored.
    @discardableResult
    func resumeExternalUserAgentFlow(with url: URL) -> Bool

    /// Ends the flow with an error.
    ///
    /// User agents call this method after they have dismissed the page.
    func failExternalUserAgentFlowWithError(_ error: any Error)
}
