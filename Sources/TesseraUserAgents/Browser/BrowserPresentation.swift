// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera

/// Brings one address in front of the person: opens the first browser that works, and announces what came of it.
struct BrowserPresentation {
    private let url: URL
    private let redirectURI: String
    private let host: String
    private let port: UInt16
    private let agent: SystemBrowser
    private let launch: BrowserLaunch
    private let terminal: RemoteTerminal
    private var commandLines: ArraySlice<BrowserCommandLine>
    private var program = ""
    /// Why a program was passed over that is there.
    private var obstacle: String?

    /// - Throws: ``SignInError`` `invalidConfiguration` for an address that is not http or https: what opens a browser
    ///   opens files and programs, too.
    init(
        of url: URL,
        redirectURI: String,
        host: String,
        port: UInt16,
        agent: SystemBrowser,
        launch: BrowserLaunch
    ) throws(SignInError) {
        guard ["https", "http"].contains(url.scheme?.lowercased()) else {
            throw SignInError(.invalidConfiguration, detail: "the authorization endpoint is not an https address")
        }
        self.url = url
        self.redirectURI = redirectURI
        self.host = host
        self.port = port
        self.agent = agent
        self.launch = launch
        self.terminal = RemoteTerminal(environment: agent.environment)
        var lines = agent.command.commandLines(environment: agent.environment)
        if agent.command == .automatic, self.terminal.isRemote { lines = [] }
        if agent.command == .automatic, lines.isEmpty, SystemOpener.isUsable(from: self.terminal) {
            lines = SystemOpener.programs.map { BrowserCommandLine(words: [$0]) }
        }
        self.commandLines = lines[...]
    }

    /// Opens the browser, or says that the person has to.
    mutating func begin(_ inbox: RedirectInbox) async throws {
        if await self.openNext(inbox) { return }
        if case .command(let line) = self.agent.command {
            // Who names a browser wants that one: waiting for another is not what was asked for.
            throw SignInError(.noBrowser, detail: self.obstacle ?? "'\(line)' cannot be found or started")
        }
        if self.agent.command == .automatic, !self.terminal.isRemote, await SystemOpener.openInApp(self.url) {
            self.announce(.opened(program: "the default browser"))
            return
        }
        try self.announceByHand(self.reason)
    }

    /// The program that was to open the browser has ended; a failure leads to the next one.
    mutating func programEnded(status: Int32, _ inbox: RedirectInbox) async throws {
        if status == 0 { return }
        let failed = self.program
        if await self.openNext(inbox) { return }
        try self.announceByHand("\(failed) ended with status \(status)")
    }

    private mutating func openNext(_ inbox: RedirectInbox) async -> Bool {
        while let line = self.commandLines.popFirst() {
            let environment = self.agent.environment
            guard let name = line.words.first, let path = DetachedProgram.find(name, path: environment["PATH"]) else {
                continue
            }
            let address: String
            do {
                address = try await self.launch.address(of: self.url, for: path, environment: environment)
            } catch {
                self.obstacle = (error as? SignInError)?.detail ?? "\(error)"
                continue
            }
            let isStarted = DetachedProgram.start(
                path,
                arguments: line.filled(with: address),
                environment: OpenerEnvironment.withoutSecrets(environment)
            ) { status in inbox.post(.programEnded(status: status)) }
            guard isStarted else { continue }
            self.program = name
            self.announce(.opened(program: name))
            return true
        }
        return false
    }

    private var reason: String {
        if self.agent.command == .none { return "No browser is opened" }
        if self.agent.command == .automatic, self.terminal.isRemote { return "This is a remote terminal" }
        return "No browser could be opened"
    }

    private func announceByHand(_ reason: String) throws(SignInError) {
        guard self.agent.announce != nil else { throw SignInError(.noBrowser, detail: reason) }
        self.announce(.notOpened(reason: reason))
    }

    private func announce(_ browser: PresentationNotice.Browser) {
        self.agent.announce?(
            PresentationNotice(
                url: self.url,
                redirectURI: self.redirectURI,
                port: self.port,
                browser: browser,
                // Nothing listens where the redirect comes through a private scheme.
                tunnelCommand: self.port != 0 && (self.terminal.isRemote || self.agent.command == .none)
                    ? self.terminal.tunnelCommand(host: self.host, port: self.port) : nil,
                acceptsPaste: self.agent.pasted != nil
            )
        )
    }
}
