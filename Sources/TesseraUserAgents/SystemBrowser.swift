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

/// A user agent that opens the user's browser and receives the redirect on a loopback address.
///
/// Each sign-in has its own listener, which starts before the browser is opened and stops after the first accepted
/// redirect, an error, a cancellation or the timeout. Requests with a different path, method or `Host` header do not
/// reach the sign-in. If no browser can be opened, the address is announced to the user. With `pasted`, the user can
/// also paste the redirect.
///
/// The program that opens the browser does not get the authorization URL, because any user of the machine can read
/// command lines. Instead, it gets the address of a page that leads there, which other users cannot read. On Linux, the
/// listener accepts requests only from processes of this user and of root.
///
/// - SeeAlso: [RFC 8252, sections 7.3 and 8.3](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.3)
public struct SystemBrowser: UserAgent {
    /// A function that tells the user what to do.
    ///
    /// The function can be called from any task, and is called at least once for each sign-in.
    public typealias Announcement = @Sendable (PresentationNotice) -> Void
    /// A function that receives a message for the user or a log.
    public typealias Warning = @Sendable (_ message: String) -> Void

    /// The command that opens the browser.
    public var command: BrowserCommand
    /// The redirect URI at which to listen.
    public var redirect: LoopbackRedirect
    /// The source of redirects that the user pastes, or nil to disable pasting.
    public var pasted: PastedRedirects?
    /// The environment, which provides `BROWSER`, `PATH`, `DISPLAY` and the SSH variables.
    ///
    /// The browser inherits the environment, except for variables that contain secrets.
    public var environment: [String: String]
    /// The function that tells the user what to do.
    ///
    /// If this is nil, failing to open a browser is an error.
    public var announce: Announcement?
    /// The permissions that weaken security.
    ///
    /// `Insecure.redirectsFromAnyUser` accepts redirects from any user's processes, for use with containers and
    /// proxies. Other permissions have no effect here.
    public var insecure: Insecure
    /// The function that is called with a message when a request is rejected because its process belongs to another
    /// user.
    ///
    /// The function can be called from any task, and is called at most once for each sign-in.
    public var warn: Warning?

    /// The name of the setting that determines ``insecure``, for use in messages.
    public var overrideName = "SystemBrowser(insecure: .redirectsFromAnyUser)"
    /// The lookup for the users of processes that connect to the listener.
    package var peers: PeerLookup? = .system
    /// The clock that limits how long a page that sends no redirect is offered.
    package var clock: any Clock<Duration> = ContinuousClock()

    /// Creates a user agent that opens a browser on this machine.
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

    /// Starts listening on the loopback address.
    ///
    /// - Throws: `SignInError` with the code `noListener` or `invalidConfiguration`.
    public func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        guard responseMode != .fragment else {
            throw SignInError(
                .invalidConfiguration,
                detail: "a browser does not send the fragment to the loopback listener. Use the response mode form_post"
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
            // If the program exited any earlier, the user would not see the last page.
            await listener.stopped()
        }
    }

    /// Opens a page that does not send a redirect.
    ///
    /// Returns once the browser has requested the page that leads there. If this cannot be observed, returns after at
    /// most 60 seconds.
    ///
    /// - Throws: ``SignInError`` with the code `noBrowser` or `invalidConfiguration`.
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

    /// The gate that rejects other users' processes.
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
