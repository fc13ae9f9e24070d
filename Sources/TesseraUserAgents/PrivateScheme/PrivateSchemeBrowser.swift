// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import Tessera
public import TesseraOAuth

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
