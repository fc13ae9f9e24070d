// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera

/// Shows a page in a browser and waits for redirects.
///
/// The actor tries the browsers in order until one opens, and announces the result.
actor BrowserPresentation {
    private let agent: SystemBrowser
    private let redirectURI: String
    private let listener: LoopbackListener?
    private let launch: BrowserLaunch
    private let queue: RedirectQueue
    private let terminal: RemoteTerminal
    private var commandLines: ArraySlice<BrowserCommandLine>
    private var url: URL?
    private var program = ""
    /// The reason that a program was found but not started.
    private var obstacle: String?
    private var pasting: Task<Void, Never>?

    init(
        _ agent: SystemBrowser,
        redirectURI: String = "",
        listener: LoopbackListener? = nil,
        launch: BrowserLaunch,
        queue: RedirectQueue
    ) {
        self.agent = agent
        self.redirectURI = redirectURI
        self.listener = listener
        self.launch = launch
        self.queue = queue
        self.terminal = RemoteTerminal(environment: agent.environment)
        var lines = agent.command.commandLines(environment: agent.environment)
        if agent.command == .automatic, self.terminal.isRemote { lines = [] }
        if agent.command == .automatic, lines.isEmpty, SystemOpener.isUsable(from: self.terminal) {
            lines = SystemOpener.programs.map { BrowserCommandLine(words: [$0]) }
        }
        self.commandLines = lines[...]
    }

    /// Returns a receiver for the redirects that runs `close` after the presentation has ended.
    nonisolated func receiver(close: @escaping @Sendable () async -> Void) -> RedirectReceiver {
        RedirectReceiver(
            redirectURI: self.redirectURI,
            present: { try await self.present($0) },
            nextRedirect: { try await self.nextRedirect() },
            close: {
                await self.end()
                await close()
            }
        )
    }

    /// Opens the browser or asks the user to open the address, and starts reading pasted redirects.
    ///
    /// - Throws: ``SignInError`` with the code `noBrowser`, or `invalidConfiguration` if the address is not an http or
    ///   https URL, because opening it might otherwise open a file or another program.
    func present(_ url: URL) async throws {
        guard ["https", "http"].contains(url.scheme?.lowercased()) else {
            throw SignInError(.invalidConfiguration, detail: "the authorization endpoint is not an https URL")
        }
        self.url = url
        try await self.open(url)
        guard let pasted = self.agent.pasted else { return }
        self.pasting = Task { [redirectURI, queue] in await pasted.read(for: redirectURI, into: queue) }
    }

    /// Stops waiting and removes the browser's page.
    func end() async {
        self.pasting?.cancel()
        self.queue.close()
        await self.launch.end()
    }

    private func nextRedirect() async throws -> Redirect? {
        while let event = await self.queue.next() {
            switch event {
            case .redirect(let redirect): return redirect
            case .programEnded(let status): try await self.programEnded(status: status)
            }
        }
        return nil
    }

    private func open(_ url: URL) async throws {
        if await self.openNext() { return }
        if case .command(let line) = self.agent.command {
            // A user who specifies a browser does not expect another one to open.
            throw SignInError(.noBrowser, detail: self.obstacle ?? "'\(line)' cannot be found or started")
        }
        if self.agent.command == .automatic, !self.terminal.isRemote, await SystemOpener.openInApp(url) {
            self.announce(.opened(program: "the default browser"))
            return
        }
        try self.announceByHand(self.reason)
    }

    /// Opens the next browser if the previous program failed.
    private func programEnded(status: Int32) async throws {
        if status == 0 { return }
        let failed = self.program
        if await self.openNext() { return }
        try self.announceByHand("\(failed) ended with status \(status)")
    }

    private func openNext() async -> Bool {
        while let url, let line = self.commandLines.popFirst() {
            let environment = self.agent.environment
            guard let name = line.words.first, let path = DetachedProgram.find(name, path: environment["PATH"]) else {
                continue
            }
            let address: String
            do {
                address = try await self.launch.address(of: url, for: path, environment: environment)
            } catch {
                self.obstacle = (error as? SignInError)?.detail ?? "\(error)"
                continue
            }
            let isStarted = DetachedProgram.start(
                path,
                arguments: line.filled(with: address),
                environment: ProgramEnvironment.withoutSecrets(environment)
            ) { [queue] status in queue.post(.programEnded(status: status)) }
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
        return "No installed program could open the URL"
    }

    private func announceByHand(_ reason: String) throws {
        guard self.agent.announce != nil else { throw SignInError(.noBrowser, detail: reason) }
        self.announce(.notOpened(reason: reason))
    }

    private func announce(_ browser: PresentationNotice.Browser) {
        guard let url else { return }
        // A redirect to a private scheme does not need a tunnel.
        let listener = self.terminal.isRemote || self.agent.command == .none ? self.listener : nil
        self.agent.announce?(
            PresentationNotice(
                url: url,
                redirectURI: self.redirectURI,
                port: self.listener?.port ?? 0,
                browser: browser,
                tunnelCommand: listener.map { self.terminal.tunnelCommand(host: $0.host, port: $0.port) },
                acceptsPaste: self.agent.pasted != nil
            )
        )
    }
}
