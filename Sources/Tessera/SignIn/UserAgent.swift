// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraOAuth
internal import TesseraSupport

/// Shows the provider's page to the user and receives the redirect: an extension point.
///
/// A user agent uses the user's own browser, never an embedded view (RFC 8252, section 8.12).
public protocol UserAgent: Sendable {
    /// Starts to receive redirects.
    ///
    /// - Parameter responseMode: How the response will arrive.
    /// - Returns: A receiver, which its user closes.
    /// - Throws: ``SignInError``: `invalidConfiguration` if the agent cannot receive a response in this mode, `noListener`.
    func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver
}

extension UserAgent {
    /// Calls `body` with a receiver and closes it afterwards, also if `body` throws or the task is cancelled.
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

    /// Shows a page, waits for the redirect that belongs to it, and replies to every redirect.
    ///
    /// - Parameters:
    ///   - page: The page's address.
    ///   - deadline: When the wait ends.
    ///   - mismatch: Returns why a redirect belongs to something else, nil if it belongs to the page.
    ///   - accept: Takes the redirect, and returns its result and what the last page says.
    /// - Returns: The result of `accept`.
    /// - Throws: ``SignInError`` `givenUp` if the user closed the page, `timedOut` at the deadline; what `accept` throws.
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
        throw SignInError(.givenUp)
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

/// What the last page of a sign-in, or of a sign-out, says.
///
/// Only what the person may see: no code, no token.
public struct CompletionPage: Sendable, Hashable {
    /// Who signed in, as the person knows it: an email address or a name.
    public var account: String?
    /// The provider, as the person knows it: `Google`, or a host name.
    public var provider: String
    /// The program that asked.
    public var application: String?
    /// What was granted.
    public var granted: [Scope]
    /// What was asked for and not granted.
    public var missing: [Scope]
    /// Whether the person has signed out, not in.
    public var isSignOut: Bool

    /// The contents of a last page.
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
