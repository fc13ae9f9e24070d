// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraDefaults
internal import TesseraGoogle
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraTesting
internal import Testing

/// The code in the guides of `Tessera`.
@Suite("Guides for sessions")
struct SessionGuideTests {
    let provider: ScriptedProvider
    let store = InMemoryStore()
    let drive: Scope = "https://www.googleapis.com/auth/drive.readonly"

    init() throws { self.provider = try ScriptedProvider() }

    /// Creates a sign-in whose user grants these scopes.
    func signIn(granting scopes: [Scope]? = nil) throws -> SignIn {
        SignIn(
            try self.provider.provider,
            runtime: self.provider.runtime,
            store: self.store,
            userAgent: self.provider.userAgent(granting: scopes)
        )
    }

    @Test("A session has a user name and lists the scopes that were not granted")
    func signsIn() async throws {
        let signIn = try self.signIn(granting: [.openID, .email])
        // guide: grant
        let session = try await signIn.signIn(scopes: [.openID, .email, drive])
        let name = session.identity.displayName ?? session.account.subject
        let missing = session.grantedScopes.missing
        // end
        #expect(!name.isEmpty)
        #expect(missing == [self.drive])
    }

    @Test("Shows a message after a denied sign-in")
    func errors() async throws {
        let network = self.provider
        let denier = ScriptedUserAgent { url in [try network.denial(of: url)] }
        let signIn = SignIn(
            try self.provider.provider,
            runtime: self.provider.runtime,
            store: self.store,
            userAgent: denier
        )
        var messages: [String] = []
        let show: (String) -> Void = { messages.append($0) }
        // guide: errors
        do {
            _ = try await signIn.signIn(scopes: [.openID])
        } catch OAuthError.Code.accessDenied {
            show("You denied access. Nothing has changed.")
        } catch let error as any ErrorGuidance {
            show(error.recoverySuggestion ?? "\(error)")
        }
        // end
        #expect(messages == ["You denied access. Nothing has changed."])
    }

    @Test("Requests a missing scope when it is needed")
    func addsScopes() async throws {
        let signIn = try self.signIn()
        let session = try await signIn.signIn(scopes: [.openID, .email])
        var messages: [String] = []
        let show: (String) -> Void = { messages.append($0) }
        // guide: add-scopes
        if !session.grantedScopes.contains(drive) {
            let granted = try await signIn.addScopes([drive], to: session)
            guard granted.contains(drive) else { return show("Access to Drive is required to list files.") }
        }
        // end
        #expect(session.grantedScopes.contains(self.drive))
        #expect(messages.isEmpty)
    }

    @Test("Restores a session without a network request")
    func restores() async throws {
        _ = try await self.signIn().signIn(scopes: [.openID, .email])
        _ = self.provider.takeRequests()
        let signIn = try self.signIn()
        let showSignInButton = {}
        // guide: restore
        guard let session = try await signIn.restore() else { return showSignInButton() }
        // end
        #expect(session.grantedScopes.contains(.email))
        #expect(self.provider.requests.isEmpty)
        var messages: [String] = []
        let show: (String) -> Void = { messages.append($0) }
        // guide: accounts
        for account in try await signIn.accounts() {
            guard let session = try await signIn.restore(account) else { continue }
            show(session.identity.displayName ?? account.subject)
        }
        try await signIn.select(session.account)
        // end
        #expect(messages == ["ada@example.com"])
    }

    @Test("Restores a session whose user has the required claims")
    func restoresWithClaims() async throws {
        _ = try await self.signIn().signIn(scopes: [.openID, .email])
        let signIn = try self.signIn()
        // guide: restore-claims
        let session = try await signIn.restore(requiredClaims: ["hd": "example.com"])
        // end
        #expect(session != nil)
    }

    @Test("Reports the end of a session as its last event")
    func watches() async throws {
        let signIn = try self.signIn()
        let session = try await signIn.signIn(scopes: [.openID])
        let events = session.events()
        try await session.disconnect()
        var asked = false
        let askToSignInAgain: (SessionEndedError) -> Void = { _ in asked = true }
        // guide: events
        for await event in events {
            if case .ended(let reason) = event { askToSignInAgain(reason) }
        }
        // end
        #expect(asked)
    }

    @Test("Explains why the provider ended a session")
    func explains() async throws {
        let session = try await self.signIn().signIn(scopes: [.openID])
        self.provider.clock.advance(by: .seconds(3_600))
        self.provider.revokeEverything()
        var messages: [String] = []
        let show: (String) -> Void = { messages.append($0) }
        // guide: explained
        do {
            _ = try await session.accessToken()
        } catch let end as SessionEndedError {
            show(end.description)
            for finding in end.findings { show("\(finding.cause) \(finding.fix)") }
        }
        // end
        #expect(messages.count == 2)
        #expect(messages.last?.contains("revoked the access") == true)
    }

    @Test("Moves sessions from one store to another")
    func moves() async throws {
        let old = self.store
        let new = InMemoryStore()
        _ = try await self.signIn().signIn(scopes: [.openID])
        // guide: move
        let accounts = try await old.list()
        let transfer = StoreTransfer(from: old, to: new)
        for account in accounts { _ = try await transfer.copy(account) }
        try await transfer.removeOriginals(of: accounts)
        // end
        #expect(try await old.list().isEmpty)
        #expect(try await new.list() == accounts)
    }
}

extension SessionGuideTests {
    /// Compiled only, because it needs the platform's network, store and browser.
    func atGoogle() async throws -> OAuthSession {
        // guide: sign-in
        let signIn = try await SignIn(.google(clientFile: "client_secret.json"))
        let session = try await signIn.restoreOrSignIn(scopes: [.openID, .email])
        // end
        return session
    }

    /// Compiled but not run, because it prompts for a passphrase.
    func stores(provider: Provider, directory: String, askForPassphrase: @escaping @Sendable () -> Secret) {
        let transport = PlatformDefaults.transport()
        let userAgent = PlatformDefaults.userAgent()
        // guide: store
        let store = EncryptedFileStore(directory: directory) { _ in askForPassphrase() }
        let signIn = SignIn(provider, transport: transport, store: store, userAgent: userAgent)
        // end
        _ = signIn
    }
}
