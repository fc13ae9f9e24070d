// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraOAuth
internal import TesseraSupport

/// A browser that shows the provider's page to the user and receives the redirect.
///
/// Conform to this protocol to support another browser or environment. A user agent must use the user's own browser,
/// not an embedded web view (RFC 8252, section 8.12).
public protocol UserAgent: Sendable {
    /// Starts receiving redirects.
    ///
    /// - Parameter responseMode: How the provider returns the response.
    /// - Returns: A receiver, which the caller must close.
    /// - Throws: ``SignInError`` with the code `invalidConfiguration` if the user agent cannot receive a response in
    ///   this mode, or `noListener` if it cannot listen for the redirect.
    func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver
}

extension UserAgent {
    /// Calls a closure with a redirect receiver and then closes the receiver.
    ///
    /// The receiver is closed even if `body` throws or the task is canceled.
    public func withRedirectReceiver<Result: Sendable>(
        responseMode: ResponseMode = .query,
        _ body: (RedirectReceiver) async throws -> Result
    ) async throws -> Result {
        let receiver = try await self.makeRedirectReceiver(responseMode: responseMode)
        do {
            let result = try await body(receiver)
            await receiver.close()
            return result
        } catch {
            await receiver.close()
            throw error
        }
    }
}

/// A receiver for the redirects of one sign-in or sign-out.
///
/// ``UserAgent/withRedirectReceiver(responseMode:_:)`` creates a receiver and closes it.
public final class RedirectReceiver: Sendable {
    /// The redirect URI to send to the provider.
    public let redirectURI: String
    private let presenting: @Sendable (_ url: URL) async throws -> Void
    private let receiving: @Sendable () async throws -> Redirect?
    private let closing: @Sendable () async -> Void

    /// Creates a receiver from the closures of a user agent.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI at which the user agent receives redirects.
    ///   - present: A closure that shows a page to the user. It is called once.
    ///   - nextRedirect: A closure that waits for the next redirect. It returns nil if no redirect can arrive because
    ///     the user closed the page. It must return promptly when its task is canceled. A redirect that it returns
    ///     after cancellation is still processed.
    ///   - close: A closure that stops receiving and replies to any redirects that are still waiting for a reply. It is
    ///     called once, even if the task is canceled, and returns once the replies have been sent, so that the process
    ///     can exit.
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
    /// - Throws: `InvalidRequestError` if the address is not a URL, or ``SignInError`` with the code `noBrowser` or
    ///   `invalidConfiguration`.
    public func present(_ address: String) async throws {
        guard let url = URL(string: address) else { throw InvalidRequestError("url", reason: "not a URL") }
        try await self.presenting(url)
    }

    /// Waits for the next redirect.
    ///
    /// - Returns: The redirect, which needs a reply, or nil if the user closed the page.
    /// - Throws: ``SignInError`` with the code `timedOut` at the deadline, any error from the user agent, or
    ///   `CancellationError`.
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
            // The user agent may have returned a redirect just before cancellation. That redirect still needs a reply.
            if case .success(let redirect?)? = await group.nextResult() { return redirect }
            return try first?.get()
        }
        if redirect == nil { try Task.checkCancellation() }
        return redirect
    }

    /// Shows a page, waits for its redirect, and replies to all redirects that arrive.
    ///
    /// - Parameters:
    ///   - page: The page's URL.
    ///   - deadline: The time at which to stop waiting.
    ///   - mismatch: A closure that returns an error if a redirect does not belong to this page, or nil if it does.
    ///   - accept: A closure that processes the redirect, and returns a result and the contents of the completion page.
    /// - Returns: The result of `accept`.
    /// - Throws: ``SignInError`` with the code `canceled` if the user closed the page or `timedOut` at the deadline, or
    ///   any error that `accept` throws.
    func receive<Result>(
        from page: String,
        until deadline: @autoclosure () -> RedirectDeadline,
        unless mismatch: (DeliveredResponse) -> ProtocolViolationError?,
        _ accept: (DeliveredResponse) async throws -> (Result, CompletionPage)
    ) async throws -> Result {
        try await self.present(page)
        let end = deadline()
        while let redirect = try await self.nextRedirect(until: end) {
            if let mismatch = mismatch(redirect.response) {
                await redirect.reply(.unrelated(reason: mismatch.description))
                continue
            }
            do {
                let (result, page) = try await accept(redirect.response)
                await redirect.reply(.completed(page))
                return result
            } catch {
                await redirect.reply(.failed(error))
                throw error
            }
        }
        throw SignInError(.canceled)
    }

    /// Stops receiving redirects.
    ///
    /// Call this method exactly once, unless you use ``UserAgent/withRedirectReceiver(responseMode:_:)``.
    public func close() async { await self.closing() }
}

/// The time at which the wait for a redirect ends.
public struct RedirectDeadline: Sendable {
    private let sleep: @Sendable () async throws -> Void

    /// Creates a deadline that passes when a timeout that starts now has elapsed.
    public init(after timeout: Duration, on clock: some Clock<Duration> = ContinuousClock()) {
        let end = clock.now.advanced(by: timeout)
        self.sleep = { try await clock.sleep(until: end, tolerance: nil) }
    }

    func passes() async throws { try await self.sleep() }
}

/// An authorization or logout response that arrived at the redirect URI and needs a reply.
public final class Redirect: Sendable {
    /// The response, which has not been verified yet.
    public let response: DeliveredResponse
    private let replying: Mutex<(@Sendable (_ reply: RedirectReply) async -> Void)?>

    /// Creates a redirect from the response that a user agent received.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - reply: A closure that shows the reply to the user. It is called at most once.
    public init(_ response: DeliveredResponse, reply: @escaping @Sendable (_ reply: RedirectReply) async -> Void) {
        self.response = response
        self.replying = Mutex(reply)
    }

    /// Replies to the redirect.
    ///
    /// Only the first reply has an effect.
    public func reply(_ reply: RedirectReply) async { await self.replying.withLock { $0.take() }?(reply) }
}

/// The page that the user sees after a redirect.
public enum RedirectReply: Sendable {
    /// The redirect is forged or belongs to another sign-in, and the wait continues.
    ///
    /// The reason contains no text from the redirect.
    case unrelated(reason: String)
    /// The sign-in or sign-out is complete, and its result is saved.
    case completed(CompletionPage)
    /// The sign-in or sign-out has failed.
    case failed(any Error)
}

/// The contents of the page that the user sees at the end of a sign-in or sign-out.
///
/// They never include a code or a token.
public struct CompletionPage: Sendable, Hashable {
    /// The user's email address, name or label.
    public var account: String?
    /// The provider's display name, such as `Google`, or its host name.
    public var provider: String
    /// The name of the app that requested access.
    public var application: String?
    /// The scopes that the user granted.
    public var granted: [Scope]
    /// The requested scopes that the user did not grant.
    public var missing: [Scope]
    /// Whether the page ends a sign-out rather than a sign-in.
    public var isSignOut: Bool

    /// Creates the contents of a completion page.
    public init(
        account: String?,
        provider: String,
        application: String? = nil,
        granted: [Scope] = [],
        missing: [Scope] = [],
        isSignOut: Bool = false
    ) {
        self.account = account
        self.provider = provider
        self.application = application
        self.granted = granted
        self.missing = missing
        self.isSignOut = isSignOut
    }
}
