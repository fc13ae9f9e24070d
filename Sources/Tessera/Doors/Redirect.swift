// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
public import TesseraOAuth

/// A response that arrived at the redirect URI, and the reply to it.
public final class Redirect: Sendable {
    /// What arrived, not verified.
    public let response: DeliveredResponse
    private let replying: Mutex<(@Sendable (_ reply: RedirectReply) async -> Void)?>

    /// Creates a redirect; for user agents.
    ///
    /// - Parameters:
    ///   - response: What arrived.
    ///   - reply: Shows the reply to the user. It is called at most once.
    public init(_ response: DeliveredResponse, reply: @escaping @Sendable (_ reply: RedirectReply) async -> Void) {
        self.response = response
        self.replying = Mutex(reply)
    }

    /// Replies to the redirect; another reply is ignored.
    public func reply(_ reply: RedirectReply) async { await self.replying.withLock { $0.take() }?(reply) }
}

/// What the user sees after a redirect.
public enum RedirectReply: Sendable {
    /// The redirect belongs to another sign-in or is forged, and the wait goes on.
    ///
    /// The reason contains nothing of the redirect.
    case unrelated(reason: String)
    /// The sign-in or the sign-out is complete, and the session is saved.
    case completed(CompletionPage)
    /// The sign-in or the sign-out has failed.
    case failed(any Error)
}
