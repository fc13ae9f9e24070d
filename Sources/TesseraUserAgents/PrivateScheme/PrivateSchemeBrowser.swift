// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Tessera
public import TesseraOAuth
internal import TesseraSupport

/// A user agent for desktop programs that opens the user's browser and receives the redirect through a private scheme.
///
/// On Apple platforms, pass every URL that opens the app to ``ForwardedRedirects/receive(_:)``. On Linux, the system
/// starts a new process for each URL, and that process forwards the URL with ``RedirectForwarding``.
///
/// Prefer ``SystemBrowser`` if possible. Any program can register for a scheme. If one does, only PKCE prevents it from
/// using an intercepted code.
///
/// - SeeAlso: [RFC 8252, sections 7.1 and 8.4](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.1)
public struct PrivateSchemeBrowser: UserAgent {
    /// The redirect URI, whose private scheme must contain a dot, such as in `com.example.app:/callback`.
    public let redirectURI: String
    /// The object that receives the URLs that open the program.
    public let redirects: ForwardedRedirects
    /// The forwarder that other processes of the program use to reach this process, or nil to disable forwarding.
    ///
    /// Forwarding applies only to private schemes and is not used if ``redirectURI`` has any other scheme.
    public var forwarding: RedirectForwarding?
    /// The browser to open, which also tells the user what to do.
    ///
    /// Its ``SystemBrowser/redirect`` is not used.
    public var browser: SystemBrowser

    /// Creates a user agent that receives its redirect through a private scheme.
    public init(
        redirectURI: String,
        redirects: ForwardedRedirects = .shared,
        forwarding: RedirectForwarding? = .platformDefault,
        browser: SystemBrowser = SystemBrowser()
    ) {
        self.redirectURI = redirectURI
        self.redirects = redirects
        self.forwarding = forwarding
        self.browser = browser
    }

    /// Starts receiving redirects from the system or from other processes of the program.
    ///
    /// - Throws: `SignInError` with the code `noListener` or `invalidConfiguration`.
    public func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        guard !responseMode.isFormPost else {
            throw SignInError(
                .invalidConfiguration,
                detail: "a form post cannot be sent to a private scheme. Use the response mode query"
            )
        }
        var listener: RedirectListener?
        if let forwarding, let scheme = PrivateScheme(of: self.redirectURI) {
            listener = try await RedirectListener.start(for: scheme, at: forwarding, self.redirects)
        }
        let queue = RedirectQueue(pages: Pages())
        let wait = self.redirects.wait(for: self.redirectURI, queue)
        let presentation = BrowserPresentation(
            self.browser,
            redirectURI: self.redirectURI,
            launch: BrowserLaunch(gate: self.browser.gate),
            queue: queue
        )
        return presentation.receiver { [redirects, listener] in
            redirects.leave(wait)
            // Respond to the process that forwarded the redirect before this program exits.
            await listener?.stop()
        }
    }
}

/// Receives redirects that the system passes to the program because it is registered for their scheme.
///
/// On Apple platforms, the app delegate receives the redirects. On Linux, a desktop entry starts the program with them.
/// Call ``receive(_:)`` with every URL that opens the program.
public final class ForwardedRedirects: Sendable {
    /// The instance shared by all sign-ins in the program.
    public static let shared = ForwardedRedirects()

    private struct Wait {
        let redirectURI: String
        let queue: RedirectQueue
    }

    private struct State {
        var waits: [Int: Wait] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())

    /// Creates an instance with no pending sign-ins.
    public init() {}

    /// Passes a URL to the pending sign-ins that are waiting for a redirect to it.
    ///
    /// Each sign-in checks by `state` whether the redirect belongs to it. A forged redirect has no effect.
    ///
    /// - Returns: Whether a sign-in is waiting for a redirect to this URI. If so, the program should not process the
    ///   URL itself.
    public func receive(_ url: URL) -> Bool {
        let text = url.absoluteString
        let location = text.prefix { $0 != "?" && $0 != "#" }
        let waits = self.state.withLock { state in state.waits.values.filter { Self.isSame($0.redirectURI, location) } }
        for wait in waits { wait.queue.post(.redirect(Redirect(.redirect(text)) { _ in })) }
        return !waits.isEmpty
    }

    /// Sends redirects to this URI to a queue until ``leave(_:)`` is called.
    func wait(for redirectURI: String, _ queue: RedirectQueue) -> Int {
        self.state.withLock { state in
            state.nextID += 1
            state.waits[state.nextID] = Wait(redirectURI: redirectURI, queue: queue)
            return state.nextID
        }
    }

    func leave(_ id: Int) { self.state.withLock { $0.waits[id] = nil } }

    /// Whether the URIs are equal without their queries, ignoring the case of their schemes, which the system may change
    /// to lowercase.
    ///
    /// A query in the redirect URI is checked together with the parameters of the response.
    private static func isSame(_ redirectURI: String, _ location: Substring) -> Bool {
        let redirectURI = redirectURI.prefix { $0 != "?" }
        guard let colon = redirectURI.firstIndex(of: ":"), let other = location.firstIndex(of: ":")
        else { return false }
        return redirectURI[..<colon].lowercased() == location[..<other].lowercased()
            && redirectURI[colon...] == location[other...]
    }
}
