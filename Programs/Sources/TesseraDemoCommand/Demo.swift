// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraConsole
internal import TesseraDefaults
internal import TesseraGoogle
internal import TesseraLocalProvider
internal import TesseraStores
internal import TesseraUserAgents

/// A demonstration of a complete sign-in.
///
/// Each step makes real requests, and throws an error if the result is not the expected one.
struct Demo {
    private let narrator: Narrator
    private let server: LocalProvider
    private let store: any SessionStore
    private let browser: BrowserCommand?

    /// Runs the demo.
    ///
    /// The provider is stopped and all files are removed even if a step fails.
    static func run(narrator: Narrator, browser: BrowserCommand?, keepsOpen: Bool) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        narrator.title("Tessera: a complete sign-in on this computer")
        let server = try await narrator.step {
            let server = try await LocalProvider.start()
            return ("Started a Google-like provider at \(server.baseURL)", server)
        }
        let directory = try TemporaryDirectory()
        do {
            let store = EncryptedFileStore(
                directory: directory.path + "/sessions",
                keyDirectory: directory.path + "/keys"
            )
            let demo = Demo(narrator: narrator, server: server, store: store, browser: browser)
            try await demo.runSteps()
            narrator.title("Done in \(Narrator.text(start.duration(to: clock.now))).")
            if keepsOpen { try await demo.keepRunning() }
        } catch {
            await server.stop()
            directory.remove()
            throw error
        }
        await server.stop()
        directory.remove()
        narrator.note("The provider was stopped, and all files were removed.\n")
    }

    private func runSteps() async throws {
        let signIn = try self.signIn()
        let session = try await self.startSession(signIn)
        try await self.expectRejection(session)
        try await self.addDriveScope(signIn, session)
        try await self.listFiles(session)
        try await self.refresh(session)
        try await self.restoreOffline(session)
        try await self.signOut(session)
    }

    private func signIn() throws -> SignIn {
        let file = try GoogleClientFile(parsing: Array(self.server.clientSecretFile.utf8))
        let transport = PlatformDefaults.transport(insecure: .loopbackHTTP)
        let userAgent: any UserAgent =
            if let browser {
                SystemBrowser(command: browser) { [narrator] notice in
                    if case .notOpened = notice.browser { narrator.note(notice.text) }
                }
            } else {
                HeadlessBrowser(ConsentWalk(transport: transport))
            }
        return SignIn(
            try .google(file, insecure: .loopbackHTTP),
            transport: transport,
            store: self.store,
            userAgent: userAgent
        )
    }

    private func startSession(_ signIn: SignIn) async throws -> OAuthSession {
        self.narrator.title("Signing in")
        self.narrator.note(
            self.browser == nil
                ? "No browser: this program completes the provider's pages itself, with real HTTP requests."
                : "Your browser opens now. Choose an account and allow access."
        )
        let session = try await self.narrator.step {
            let session = try await signIn.signIn(
                scopes: [.openID, .email, .profile],
                options: SignInOptions(applicationName: "Tessera's demo")
            )
            let name = session.identity.displayName ?? "somebody"
            return ("Signed in as \(name), ID token verified, session saved", session)
        }
        self.narrator.detail(session.grantedScopes.granted.map { "granted  \($0.rawValue)" })
        guard !session.grantedScopes.contains(DriveFiles.scope) else {
            throw CommandError.demo("The Drive scope was granted but not requested")
        }
        self.narrator.missing("\(DriveFiles.scope.rawValue) has not been requested yet")
        return session
    }

    private func expectRejection(_ session: OAuthSession) async throws {
        self.narrator.title("Calling Drive without its scope")
        try await self.narrator.step {
            do {
                _ = try await DriveFiles.list(session, at: self.server.baseURL)
            } catch let challenge as BearerChallengeError {
                let reason = challenge.error ?? "no reason given"
                return ("Drive rejected the call as expected: HTTP \(challenge.status), \(reason)", ())
            }
            throw CommandError.demo("Drive accepted a call without the scope")
        }
    }

    private func addDriveScope(_ signIn: SignIn, _ session: OAuthSession) async throws {
        self.narrator.title("Requesting the Drive scope")
        if self.browser != nil { self.narrator.note("Your browser opens again. Allow access, or deselect the scope.") }
        let grantedScopes = try await self.narrator.step {
            let grantedScopes = try await signIn.addScopes(
                [DriveFiles.scope],
                to: session,
                options: SignInOptions(applicationName: "Tessera's demo")
            )
            let isGranted = grantedScopes.contains(DriveFiles.scope)
            let line = isGranted ? "The scope was granted for the same account" : "The scope was not granted"
            return (line, grantedScopes)
        }
        self.narrator.detail(grantedScopes.granted.map { "granted  \($0.rawValue)" })
        guard grantedScopes.contains(DriveFiles.scope) else {
            throw CommandError.demo("The Drive scope was not granted", .refused)
        }
    }

    private func listFiles(_ session: OAuthSession) async throws {
        self.narrator.title("Listing Drive files")
        let files = try await self.narrator.step {
            let files = try await DriveFiles.list(session, at: self.server.baseURL)
            return ("Drive listed \(files.count) files", files)
        }
        self.narrator.table(files.table)
    }

    private func refresh(_ session: OAuthSession) async throws {
        self.narrator.title("Letting the access token expire")
        self.server.expireAccessTokens()
        let before = self.server.refreshRequestCount
        try await self.narrator.step {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask { _ = try await DriveFiles.list(session, at: self.server.baseURL) }
                }
                try await group.waitForAll()
            }
            let count = self.server.refreshRequestCount - before
            guard count == 1 else { throw CommandError.demo("\(count) refreshes were sent instead of one") }
            return ("Ten calls were rejected (401), \(count) refresh was sent, all ten succeeded", ())
        }
    }

    private func restoreOffline(_ session: OAuthSession) async throws {
        self.narrator.title("Starting again, without a network")
        try await self.narrator.step {
            let later = SignIn(
                session.provider,
                transport: OfflineTransport(),
                store: self.store,
                userAgent: SystemBrowser(command: .none)
            )
            guard let restored = try await later.restore() else {
                throw CommandError.demo("The session was not restored")
            }
            _ = try await restored.accessToken()
            return ("Restored the session for \(restored.identity.displayName ?? "the user") from disk", ())
        }
    }

    private func signOut(_ session: OAuthSession) async throws {
        self.narrator.title("Signing out")
        try await self.narrator.step {
            try await session.disconnect()
            guard try await self.store.list().isEmpty else { throw CommandError.demo("A session was left on the disk") }
            return ("Revoked the tokens and removed the session from disk", ())
        }
    }

    private func keepRunning() async throws {
        self.narrator.note("The provider is running at \(self.server.baseURL). Press Ctrl-C to stop it.")
        while true { try await ContinuousClock().sleep(for: .seconds(3_600)) }
    }
}

extension CommandError {
    /// Returns an error for a step with an unexpected result.
    fileprivate static func demo(_ description: String, _ status: ExitStatus = .unexpected) -> CommandError {
        CommandError("demo", description, nil, status: status)
    }
}
