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

/// Signs a person in with their own browser, and receives the redirect through a private scheme that the system hands to
/// the program: for desktop programs that are registered for one.
///
/// On Apple's systems the program gives every URL that it is opened with to ``HandedRedirects/receive(_:)``. On Linux
/// the system starts the program anew for each, and that process hands it over by ``RedirectHandover``.
///
/// Prefer ``SystemBrowser`` where nothing speaks against it: any program can register for a scheme, and PKCE alone keeps
/// a stolen code from serving.
///
/// - SeeAlso: [RFC 8252, sections 7.1 and 8.4](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.1)
public struct PrivateSchemeBrowser: UserAgent {
    /// The redirect URI: of a private scheme with a dot, as `com.example.app:/callback`.
    public let redirectURI: String
    /// Where the program puts the URLs that it is opened with.
    public let redirects: HandedRedirects
    /// How the program's other processes hand over what they were started with, while this one waits; nil: they cannot.
    ///
    /// It is for private schemes alone: where ``redirectURI`` has another one, there is no hand-over.
    public var handover: RedirectHandover?
    /// What opens the browser, and tells the person what to do; its own redirect is not used.
    public var browser: SystemBrowser

    /// A browser whose redirect comes through a private scheme.
    public init(
        redirectURI: String,
        redirects: HandedRedirects = .shared,
        handover: RedirectHandover? = .ofPlatform,
        browser: SystemBrowser = SystemBrowser()
    ) {
        self.redirectURI = redirectURI
        self.redirects = redirects
        self.handover = handover
        self.browser = browser
    }

    /// Starts to receive what the system or another process of the program hands over.
    ///
    /// - Throws: `SignInError` `noListener`, `invalidConfiguration`.
    public func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        guard !responseMode.isFormPost else {
            throw SignInError(.invalidConfiguration, detail: "a form post cannot go to a private scheme: use the query")
        }
        var listener: RedirectListener?
        if let handover, let scheme = PrivateScheme(of: self.redirectURI) {
            listener = try await RedirectListener.start(for: scheme, at: handover, self.redirects)
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
            // The process that handed the redirect over gets its response before this program exits.
            await listener?.stop()
        }
    }
}

/// Redirects that the system hands to the program, because it is registered for their scheme: by the application's
/// delegate on Apple's systems, by a desktop entry on Linux.
///
/// A program calls ``receive(_:)`` with every URL that it is opened with.
public final class HandedRedirects: Sendable {
    /// The one that a program uses which has no reason for several.
    public static let shared = HandedRedirects()

    private struct Wait {
        let redirectURI: String
        let queue: RedirectQueue
    }

    private struct State {
        var waits: [Int: Wait] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())

    /// One that nobody hands anything to yet.
    public init() {}

    /// Gives a URL to the sign-ins that wait for a redirect like it.
    ///
    /// Which of them it answers, if any, its `state` tells; a forged one changes nothing.
    ///
    /// - Returns: whether one waits: then the URL is none of the program's.
    public func receive(_ url: URL) -> Bool {
        let text = url.absoluteString
        let place = text.prefix { $0 != "?" && $0 != "#" }
        let waits = self.state.withLock { state in state.waits.values.filter { Self.isSame($0.redirectURI, place) } }
        for wait in waits { wait.queue.post(.redirect(Redirect(.redirect(text)) { _ in })) }
        return !waits.isEmpty
    }

    /// From now until ``leave(_:)`` redirects like this one go to a queue.
    func wait(for redirectURI: String, _ queue: RedirectQueue) -> Int {
        self.state.withLock { state in
            state.nextID += 1
            state.waits[state.nextID] = Wait(redirectURI: redirectURI, queue: queue)
            return state.nextID
        }
    }

    func leave(_ id: Int) { self.state.withLock { $0.waits[id] = nil } }

    /// Systems may write the scheme in lower case; the rest is compared exactly.
    private static func isSame(_ redirectURI: String, _ place: Substring) -> Bool {
        guard let colon = redirectURI.firstIndex(of: ":"), let other = place.firstIndex(of: ":") else { return false }
        return redirectURI[..<colon].lowercased() == place[..<other].lowercased()
            && redirectURI[colon...] == place[other...]
    }
}
