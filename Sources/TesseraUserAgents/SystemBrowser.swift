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
/// The listener lives as long as one `authorize`: it opens before the browser and is closed after the first redirect
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
    /// What measures the time-out.
    public var clock: any Clock<Duration>
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
    package var overrideName = "SystemBrowser(insecure: .redirectsFromAnyUser)"
    /// Finds the users of the processes that connect to the listener.
    package var peers: PeerLookup? = .system

    /// A browser on this machine, with the environment of this process.
    public init(
        command: BrowserCommand = .automatic,
        redirect: LoopbackRedirect = LoopbackRedirect(),
        pasted: PastedRedirects? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        environment: [String: String] = ProcessInfo.processInfo.environment,
        insecure: Insecure = [],
        announce: Announcement? = nil,
        warn: Warning? = nil
    ) {
        self.command = command
        self.redirect = redirect
        self.pasted = pasted
        self.clock = clock
        self.environment = environment
        self.insecure = insecure
        self.announce = announce
        self.warn = warn
    }

    /// Opens the browser and waits for the redirect.
    ///
    /// - Returns: the value of the verdict that accepted a redirect.
    /// - Throws: `SignInError` `noListener`, `noBrowser`, `timedOut`, `invalidConfiguration`; what `request` and
    ///   `judge` throw; `CancellationError`.
    public func authorize<Value: Sendable>(
        timeout: Duration,
        responseMode: ResponseMode = .query,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        guard responseMode != .fragment else {
            throw SignInError(
                .invalidConfiguration,
                detail: "a browser keeps the fragment from the loopback listener: use form_post"
            )
        }
        let pages = Pages()
        let inbox = RedirectInbox(path: self.redirect.path, acceptsFormPost: responseMode.isFormPost, pages: pages)
        let (gate, page) = (self.gate(pages), OneTimePage())
        let server = try self.listen(inbox, page, gate)
        let launch = BrowserLaunch(gate: gate, page: page, authority: self.redirect.authority(of: server))
        let attempt = SignInAttempt(
            inbox: inbox,
            pages: pages,
            redirectURI: "http://\(self.redirect.authority(of: server))\(self.redirect.path)"
        )
        let result: Result<Value, any Error>
        do {
            let url = try await request(attempt.redirectURI)
            var presentation = try BrowserPresentation(
                of: url,
                redirectURI: attempt.redirectURI,
                host: server.host,
                port: server.port,
                agent: self,
                launch: launch
            )
            try await presentation.begin(inbox)
            let waits = self.startWaiting(timeout: timeout, inbox: inbox)
            defer { for wait in waits { wait.cancel() } }
            result = .success(try await attempt.verdict(judge, pasted: self.pasted, presentation: &presentation))
        } catch {
            result = .failure(error)
        }
        inbox.close()
        await launch.end()
        server.stop()
        // The last page is on its way: a program that exits now would take it from the person.
        await server.stopped()
        return try result.get()
    }

    /// Opens a page from which nothing comes back.
    ///
    /// Returns when the browser has asked where to go, where that can be seen, and after a minute at most.
    ///
    /// - Throws: ``SignInError`` `noBrowser`, `invalidConfiguration`.
    package func open(_ url: URL) async throws {
        let pages = Pages()
        let inbox = RedirectInbox(path: "", acceptsFormPost: false, pages: pages)
        let (taken, continuation) = AsyncStream.makeStream(of: Never.self)
        let launch = BrowserLaunch(gate: self.gate(pages), page: OneTimePage { continuation.finish() })
        let result: Result<Void, any Error>
        do {
            var presentation = try BrowserPresentation(
                of: url,
                redirectURI: "",
                host: "",
                port: 0,
                agent: self,
                launch: launch
            )
            try await presentation.begin(inbox)
            if launch.isInUse {
                let clock = self.clock
                let timer = Task {
                    try? await clock.sleep(for: .seconds(60))
                    continuation.finish()
                }
                for await _ in taken {}
                timer.cancel()
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        inbox.close()
        await launch.end()
        try result.get()
    }

    /// What keeps the processes of other users from the listener.
    func gate(_ pages: Pages) -> RedirectGate {
        RedirectGate(
            insecure: self.insecure,
            lookup: self.peers,
            pages: pages,
            overrideName: self.overrideName,
            warn: self.warn
        )
    }

    private func listen(_ inbox: RedirectInbox, _ page: OneTimePage, _ gate: RedirectGate) throws -> LoopbackServer {
        guard LoopbackRedirect.isPath(self.redirect.path) else {
            throw SignInError(.invalidConfiguration, detail: "the redirect URI's path must begin with a slash")
        }
        let redirect = self.redirect
        let authority = LateValue<String>()
        do {
            let server = try LoopbackServer.start(
                on: redirect.address,
                port: redirect.port,
                peers: gate.lookup
            ) { request in
                if let rejection = gate.rejection(of: request) { return rejection }
                let authority = authority.value ?? ""
                if let response = page.response(to: request, authority: authority) { return response }
                return await inbox.respond(to: request, authority: authority)
            }
            authority.set(redirect.authority(of: server))
            return server
        } catch  where error.isPortTaken {
            throw SignInError(.noListener, detail: "port \(redirect.port) is in use")
        } catch {
            throw SignInError(.noListener, detail: "\(error)")
        }
    }

    /// The time-out and the pasted lines, each in a task that posts to the inbox.
    func startWaiting(timeout: Duration, inbox: RedirectInbox) -> [Task<Void, Never>] {
        let clock = self.clock
        var tasks = [
            Task {
                guard (try? await clock.sleep(for: timeout)) != nil else { return }
                inbox.post(.timedOut)
            }
        ]
        if let pasted = self.pasted {
            tasks.append(Task { for await line in pasted.lines() { inbox.post(.pasted(line)) } })
        }
        return tasks
    }
}
