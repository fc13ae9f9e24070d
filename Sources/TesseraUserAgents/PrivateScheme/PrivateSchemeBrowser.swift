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

    /// Opens the browser and waits for the redirect.
    ///
    /// - Returns: the value of the verdict that accepted a redirect.
    /// - Throws: `SignInError` `noListener`, `noBrowser`, `timedOut`, `invalidConfiguration`; what `request` and `judge`
    ///   throw; `CancellationError`.
    public func authorize<Value: Sendable>(
        timeout: Duration,
        responseMode: ResponseMode = .query,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        guard !responseMode.isFormPost else {
            throw SignInError(.invalidConfiguration, detail: "a form post cannot go to a private scheme: use the query")
        }
        let listener = try await self.listen()
        let pages = Pages()
        let launch = BrowserLaunch(gate: self.browser.gate(pages))
        let result: Result<Value, any Error>
        do {
            result = .success(try await self.wait(launch, pages, timeout: timeout, request: request, judge: judge))
        } catch {
            result = .failure(error)
        }
        await launch.end()
        // Whoever handed the redirect over is told so before a program that has what it wanted exits.
        await listener?.stop()
        return try result.get()
    }

    private func listen() async throws -> RedirectListener? {
        guard let handover, let scheme = PrivateScheme(of: self.redirectURI) else { return nil }
        return try await RedirectListener.start(for: scheme, at: handover, self.redirects)
    }

    private func wait<Value: Sendable>(
        _ launch: BrowserLaunch,
        _ pages: Pages,
        timeout: Duration,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
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
            agent: self.browser,
            launch: launch
        )
        try await presentation.begin(inbox)
        let waits = self.browser.startWaiting(timeout: timeout, inbox: inbox)
        defer { for wait in waits { wait.cancel() } }
        return try await attempt.verdict(judge, pasted: self.browser.pasted, presentation: &presentation)
    }
}
