// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraOAuth

/// Receives the redirects of one sign-in or sign-out, from the page that is shown until it is closed.
///
/// ``UserAgent/withRedirectReceiver(responseMode:_:)`` makes one and closes it.
public final class RedirectReceiver: Sendable {
    /// Where redirects are received.
    public let redirectURI: String
    private let presenting: @Sendable (_ url: URL) async throws -> Void
    private let receiving: @Sendable () async throws -> Redirect?
    private let closing: @Sendable () async -> Void

    /// Creates a receiver; for user agents.
    ///
    /// - Parameters:
    ///   - redirectURI: Where redirects are received.
    ///   - present: Shows a page to the user. It is called once.
    ///   - nextRedirect: Waits for a redirect, and returns nil if none can arrive any more because the user closed the page.
    ///     If its task is cancelled it returns soon; a redirect that it returns nevertheless is not lost.
    ///   - close: Stops receiving and replies to the redirects that no reply was sent to. It is called once, also in a
    ///     cancelled task, and returns when the replies are on their way, so that the program may exit.
    public init(
        redirectURI: String,
        present: @escaping @Sendable (_ url: URL) async throws -> Void,
        nextRedirect: @escaping @Sendable () async throws -> Redirect?,
        close: @escaping @Sendable () async -> Void
    ) {
        self.redirectURI = redirectURI
        self.presenting = present
        self.receiving = nextRedirect
        self.closing = close
    }

    /// Shows a page to the user.
    ///
    /// - Throws: `InvalidRequestError` for an address that is not a URL; ``SignInError``: `noBrowser`, `invalidConfiguration`.
    public func present(_ address: String) async throws {
        guard let url = URL(string: address) else { throw InvalidRequestError("url", reason: "not a URL") }
        try await self.presenting(url)
    }

    /// Waits for the next redirect.
    ///
    /// - Returns: The redirect, which needs a reply; nil if the user closed the page.
    /// - Throws: ``SignInError`` `timedOut` at the deadline; what the user agent throws; `CancellationError`.
    public func nextRedirect(until deadline: RedirectDeadline) async throws -> Redirect? {
        let receiving = self.receiving
        let redirect = try await withThrowingTaskGroup(of: Redirect?.self) { group -> Redirect? in
            group.addTask { try await receiving() }
            group.addTask {
                try await deadline.passes()
                throw SignInError(.timedOut)
            }
            let first = await group.nextResult()
            group.cancelAll()
            // A redirect that arrived at the last moment has been taken from the user agent and needs its reply.
            if case .success(let redirect?)? = await group.nextResult() { return redirect }
            return try first?.get()
        }
        if redirect == nil { try Task.checkCancellation() }
        return redirect
    }

    /// Stops receiving.
    ///
    /// A program that does not use ``UserAgent/withRedirectReceiver(responseMode:_:)`` calls it once.
    public func close() async { await self.closing() }
}

/// When the wait for redirects ends.
public struct RedirectDeadline: Sendable {
    private let sleep: @Sendable () async throws -> Void

    /// Creates a deadline after a time, measured from now on.
    public init(after timeout: Duration, on clock: some Clock<Duration> = ContinuousClock()) {
        let end = clock.now.advanced(by: timeout)
        self.sleep = { try await clock.sleep(until: end, tolerance: nil) }
    }

    func passes() async throws { try await self.sleep() }
}
