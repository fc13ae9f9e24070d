// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import LoopbackHTTP
public import Tessera
public import TesseraOAuth

/// Signs a person in with their own browser, and receives the redirect on a loopback address.
///
/// The listener lives as long as one `authorize`: it opens before the browser and is closed after the first redirect
/// that is accepted, after a failure, a cancellation and the time-out. Requests for another path, with another method or
/// another `Host` never reach the sign-in. Where no browser can be opened the address is announced; with `pasted` the
/// redirect may also be typed in.
///
/// - SeeAlso: [RFC 8252, sections 7.3 and 8.3](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.3)
public struct SystemBrowser: UserAgent {
    /// Tells the person what to do; called from any task, once or more in a sign-in.
    public typealias Announcement = @Sendable (PresentationNotice) -> Void

    /// What opens the browser.
    public var command: BrowserCommand
    /// Where the redirect is expected.
    public var redirect: LoopbackRedirect
    /// Redirects that the person pastes; nil: none are read.
    public var pasted: PastedRedirects?
    /// What measures the time-out.
    public var clock: any Clock<Duration>
    /// Where `BROWSER`, `PATH`, `DISPLAY` and what SSH sets are looked up, and what the browser inherits.
    public var environment: [String: String]
    /// Tells the person what to do; without it a browser that cannot be opened is an error.
    public var announce: Announcement?

    /// A browser on this machine, with the environment of this process.
    public init(
        command: BrowserCommand = .automatic,
        redirect: LoopbackRedirect = LoopbackRedirect(),
        pasted: PastedRedirects? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        environment: [String: String] = ProcessInfo.processInfo.environment,
        announce: Announcement? = nil
    ) {
        self.command = command
        self.redirect = redirect
        self.pasted = pasted
        self.clock = clock
        self.environment = environment
        self.announce = announce
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
        let server = try self.listen(inbox)
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
                agent: self
            )
            try await presentation.begin(inbox)
            let waits = self.startWaiting(timeout: timeout, inbox: inbox)
            defer { for wait in waits { wait.cancel() } }
            result = .success(try await attempt.verdict(judge, pasted: self.pasted, presentation: &presentation))
        } catch {
            result = .failure(error)
        }
        inbox.close()
        server.stop()
        // The last page is on its way: a program that exits now would take it from the person.
        await server.stopped()
        return try result.get()
    }

    /// Opens a page from which nothing comes back.
    ///
    /// - Throws: ``SignInError`` `noBrowser`, `invalidConfiguration`.
    package func open(_ url: URL) async throws {
        let inbox = RedirectInbox(path: "", acceptsFormPost: false, pages: Pages())
        defer { inbox.close() }
        var presentation = try BrowserPresentation(of: url, redirectURI: "", host: "", port: 0, agent: self)
        try await presentation.begin(inbox)
    }

    private func listen(_ inbox: RedirectInbox) throws -> LoopbackServer {
        guard LoopbackRedirect.isPath(self.redirect.path) else {
            throw SignInError(.invalidConfiguration, detail: "the redirect URI's path must begin with a slash")
        }
        let redirect = self.redirect
        let authority = LateValue<String>()
        do {
            let server = try LoopbackServer.start(on: redirect.address, port: redirect.port) { request in
                await inbox.respond(to: request, authority: authority.value ?? "")
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
