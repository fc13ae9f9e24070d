// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Tessera
public import TesseraOAuth

/// Signs a person in with their own browser, and receives the redirect through a private scheme that the system hands to
/// the program: for desktop programs that are registered for one.
///
/// The program gives every URL that it is opened with to ``HandedRedirects/receive(_:)``. Prefer ``SystemBrowser`` where
/// nothing speaks against it: any program can register for a scheme, and PKCE alone keeps a stolen code from serving.
///
/// - SeeAlso: [RFC 8252, sections 7.1 and 8.4](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.1)
public struct PrivateSchemeBrowser: UserAgent {
    /// The redirect URI: of a private scheme with a dot, as `com.example.app:/callback`.
    public let redirectURI: String
    /// Where the program puts the URLs that it is opened with.
    public let redirects: HandedRedirects
    /// What opens the browser, and tells the person what to do; its own redirect is not used.
    public var browser: SystemBrowser

    /// A browser whose redirect comes through a private scheme.
    public init(
        redirectURI: String,
        redirects: HandedRedirects = .shared,
        browser: SystemBrowser = SystemBrowser()
    ) {
        self.redirectURI = redirectURI
        self.redirects = redirects
        self.browser = browser
    }

    /// Opens the browser and waits for the redirect.
    ///
    /// - Returns: the value of the verdict that accepted a redirect.
    /// - Throws: ``SignInError`` `noBrowser`, `timedOut`, `invalidConfiguration`; what `request` and `judge` throw;
    ///   `CancellationError`.
    public func authorize<Value: Sendable>(
        timeout: Duration,
        responseMode: ResponseMode = .query,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        guard !responseMode.isFormPost else {
            throw SignInError(.invalidConfiguration, detail: "a form post cannot go to a private scheme: use the query")
        }
        let pages = Pages()
        let inbox = RedirectInbox(path: "", acceptsFormPost: false, pages: pages)
        let attempt = SignInAttempt(inbox: inbox, pages: pages, redirectURI: self.redirectURI)
        let url = try await request(self.redirectURI)
        let wait = self.redirects.wait(for: self.redirectURI, inbox)
        defer {
            self.redirects.leave(wait)
            inbox.close()
        }
        var presentation = try BrowserPresentation(
            of: url,
            redirectURI: self.redirectURI,
            host: "",
            port: 0,
            agent: self.browser
        )
        try await presentation.begin(inbox)
        let waits = self.browser.startWaiting(timeout: timeout, inbox: inbox)
        defer { for wait in waits { wait.cancel() } }
        return try await attempt.verdict(judge, pasted: self.browser.pasted, presentation: &presentation)
    }
}
