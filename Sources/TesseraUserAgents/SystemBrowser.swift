// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
package import LoopbackHTTP
public import Tessera
public import TesseraOAuth

/// Signs a person in with their own browser, and receives the redirect on a loopback address.
///
/// The listener lives as long as one sign-in: it opens before the browser and is closed after the first redirect
/// that is accepted, after a failure, a cancellation and the time-out. Requests for another path, with another method or
/// another `Host` never reach the sign-in. Where no browser can be opened the address is announced; with `pasted` the
/// redirect may also be typed in.
///
/// The program that opens the browser does not get the authorization URL: every user of the machine can read command lines.
/// It gets the address of a page that leads there, which other users cannot read. On Linux the listener accepts requests
/// only from processes of this user and of root.
///
/// - SeeAlso: [RFC 8252, sections 7.3 and 8.3](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.3)
public struct SystemBrowser: UserAgent {
    /// Tells the person what to do; called from any task, once or more in a sign-in.
    public typealias Announcement = @Sendable (PresentationNotice) -> Void
    /// Gets a message for the user or a log.
    public typealias Warning = @Sendable (_ message: String) -> Void

    /// What opens the browser.
    public var command: BrowserCommand
    /// Where the redirect is expected.
    public var redirect: LoopbackRedirect
    /// Redirects that the person pastes; nil: none are read.
    public var pasted: PastedRedirects?
    /// Where `BROWSER`, `PATH`, `DISPLAY` and what SSH sets are looked up, and what the browser inherits, but for variables
    /// that hold secrets.
    public var environment: [String: String]
    /// Tells the person what to do; without it a browser that cannot be opened is an error.
    public var announce: Announcement?
    /// Permissions that weaken security.
    ///
    /// `Insecure.redirectsFromAnyUser` accepts redirects from the processes of all users, for containers and proxies. Other
    /// permissions have no meaning here.
    public var insecure: Insecure
    /// Gets a message for the user or a log when a request was rejected because of the user whose process sent it.
    ///
    /// It is called from any task, at most once in a sign-in.
    public var warn: Warning?

    /// How ``insecure`` is set, for messages.
    public var overrideName = "SystemBrowser(insecure: .redirectsFromAnyUser)"
    /// Finds the users of the processes that connect to the listener.
    package var peers: PeerLookup? = .system
    /// Limits how long a page from which no redirect returns is offered.
    package var clock: any Clock<Duration> = ContinuousClock()

    /// A browser on this machine, with the environment of this process.
    public init(
        command: BrowserCommand = .automatic,
        redirect: LoopbackRedirect = LoopbackRedirect(),
        pasted: PastedRedirects? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        insecure: Insecure = [],
        announce: Announcement? = nil,
        warn: Warning? = nil
    ) {
        self.command = command
        self.redirect = redirect
        self.pasted = pasted
        self.environment = environment
        self.insecure = insecure
        self.announce = announce
        self.warn = warn
    }

    /// Starts to listen on the loopback address.
    ///
    /// - Throws: `SignInError` `noListener`, `invalidConfiguration`.
    public func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        guard responseMode != .fragment else {
            throw SignInError(
                .invalidConfiguration,
                detail: "a browser keeps the fragment from the loopback listener: use form_post"
            )
        }
        let (gate, page, queue) = (self.gate, OneTimePage(), RedirectQueue(pages: Pages()))
        let listener = try LoopbackListener(
            self.redirect,
            acceptsFormPost: responseMode.isFormPost,
            gate: gate,
            page: page
        ) { response in await queue.receive(response) }
        let presentation = BrowserPresentation(
            self,
            redirectURI: listener.redirectURI,
            listener: listener,
            launch: BrowserLaunch(gate: gate, page: page, listener: listener),
            queue: queue
        )
        return presentation.receiver {
            listener.stop()
            // A program that exits before the last page is on its way would take it from the user.
            await listener.stopped()
        }
    }

    /// Opens a page from which no redirect returns.
    ///
    /// Returns when the browser has requested the page that leads there, if that can be seen, and after at most a minute.
    ///
    /// - Throws: ``SignInError`` `noBrowser`, `invalidConfiguration`.
    package func open(_ url: URL) async throws {
        let (taken, continuation) = AsyncStream.makeStream(of: Never.self)
        let launch = BrowserLaunch(gate: self.gate, page: OneTimePage { continuation.finish() })
        let presentation = BrowserPresentation(self, launch: launch, queue: RedirectQueue(pages: Pages()))
        do {
            try await presentation.present(url)
            if launch.isInUse {
                let timer = Task { [clock] in
                    try? await clock.sleep(for: .seconds(60))
                    continuation.finish()
                }
                for await _ in taken {}
                timer.cancel()
            }
        } catch {
            await presentation.end()
            throw error
        }
        await presentation.end()
    }

    /// Rejects the processes of other users.
    var gate: RedirectGate {
        RedirectGate(
            insecure: self.insecure,
            lookup: self.peers,
            pages: Pages(),
            overrideName: self.overrideName,
            warn: self.warn
        )
    }
}
