// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// The wait for a redirect, from the page that is shown to the answer.
public protocol OIDExternalUserAgentSession: AnyObject, Sendable {
    /// Ends the wait: the callback gets `programCanceledAuthorizationFlow`.
    func cancel()

    /// The same, with a word when it has ended.
    func cancel(completion: (@Sendable () -> Void)?)

    /// Gives the session a URL that the program was opened with.
    ///
    /// - Returns: whether it is the answer that was waited for: then the session has ended. Anything else, a forged
    ///   answer too, changes nothing.
    @discardableResult
    func resumeExternalUserAgentFlow(with url: URL) -> Bool

    /// Ends the wait with an error.
    func failExternalUserAgentFlowWithError(_ error: any Error)
}
