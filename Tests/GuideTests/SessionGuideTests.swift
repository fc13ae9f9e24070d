// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraDefaults
internal import TesseraGoogle
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraTesting
internal import Testing

/// What the guides of `Tessera` quote; the code between two marks stands in them as it is here.
@Suite("The guides to sessions")
struct SessionGuideTests {
    let world: ScriptedProvider
    let store = InMemoryStore()
    let drive: Scope = "https://www.googleapis.com/auth/drive.readonly"

    init() throws { self.world = try ScriptedProvider() }

    /// A program's sign-in, with a person who leaves these scopes ticked.
    func signIn(granting scopes: [Scope]? = nil) throws -> SignIn {
        SignIn(
            try self.world.provider,
            runtime: self.world.runtime,
            store: self.store,
            userAgent: self.world.userAgent(granting: scopes)
        )
    }

    @Test("Whoever signed in has a name, and what was unticked is missing")
    func signsIn() async throws {
        let signIn = try self.signIn(granting: [.openID, .email])
        // guide: grant
        let session = try await signIn.signIn(scopes: [.openID, .email, drive])
        let person = session.identity.displayName ?? session.account.subject
        let unticked = session.grant.missing
        // end
        #expect(!person.isEmpty)
        #expect(unticked == [self.drive])
    }

    @Test("An error of a sign-in says what to do")
    func errors() async throws {
        let network = self.world
        let denier = ScriptedUserAgent { url in [try network.denial(of: url)] }
        let signIn = SignIn(
            try self.world.provider,
            runtime: self.world.runtime,
            store: self.store,
            userAgent: denier
        )
        var said: [String] = []
        let show: (String) -> Void = { said.append($0) }
        // guide: errors
        do {
            _ = try await signIn.signIn(scopes: [.openID])
        } catch OAuthError.Code.accessDenied {
            show("You said no. Nothing was changed.")
        } catch let error as any ErrorGuidance {
            show(error.recoverySuggestion ?? "\(error)")
        }
        // end
        #expect(said == ["You said no. Nothing was changed."])
    }

    @Test("A scope that is missing is asked for when it is needed")
    func addsScopes() async throws {
        let signIn = try self.signIn()
        let session = try await signIn.signIn(scopes: [.openID, .email])
        var said: [String] = []
        let show: (String) -> Void = { said.append($0) }
        // guide: add-scopes
        if !session.grant.contains(drive) {
            let grant = try await signIn.addScopes([drive], to: session)
            guard grant.contains(drive) else { return show("Without Drive there is nothing to list.") }
        }
        // end
        #expect(session.grant.contains(self.drive))
        #expect(said.isEmpty)
    }

    @Test("The next start of a program has the session, without any network")
    func restores() async throws {
        _ = try await self.signIn().signIn(scopes: [.openID, .email])
        _ = self.world.takeRequests()
        let signIn = try self.signIn()
        let showSignInButton = {}
        // guide: restore
        guard let session = try await signIn.restore() else { return showSignInButton() }
        // end
        #expect(session.grant.contains(.email))
        #expect(self.world.requests.isEmpty)
        var said: [String] = []
        let show: (String) -> Void = { said.append($0) }
        // guide: accounts
        for account in try await signIn.accounts() {
            guard let session = try await signIn.restore(account) else { continue }
            show(session.identity.displayName ?? account.subject)
        }
        try await signIn.select(session.account)
        // end
        #expect(said == ["ada@example.com"])
    }

    @Test("A session is restored if its user has the claims that are required now")
    func restoresWithClaims() async throws {
        _ = try await self.signIn().signIn(scopes: [.openID, .email])
        let signIn = try self.signIn()
        // guide: restore-claims
        let session = try await signIn.restore(requiredClaims: ["hd": "example.com"])
        // end
        #expect(session != nil)
    }

    @Test("The end of a session is its last event")
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

    @Test("A session that the provider refused explains itself")
    func explains() async throws {
        let session = try await self.signIn().signIn(scopes: [.openID])
        self.world.clock.advance(by: .seconds(3_600))
        self.world.revokeEverything()
        var said: [String] = []
        let show: (String) -> Void = { said.append($0) }
        // guide: explained
        do {
            _ = try await session.accessToken()
        } catch let end as SessionEndedError {
            show(end.description)
            for finding in end.findings { show("\(finding.found) \(finding.fix)") }
        }
        // end
        #expect(said.count == 2)
        #expect(said.last?.contains("removed the access") == true)
    }

    @Test("Sessions move from one store to another")
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
    /// With the platform's own network, store and browser: compiled alone.
    func atGoogle() async throws -> OAuthSession {
        // guide: sign-in
        let signIn = try await SignIn(.google(clientFile: "client_secret.json"))
        let session = try await signIn.restoreOrSignIn(scopes: [.openID, .email])
        // end
        return session
    }

    /// Stores that a program names by itself: compiled alone.
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
