// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("GIDSignIn migration from Google's library", .timeLimit(.minutes(1)))
struct GIDAncestorTests {
    @Test("Restores the user with the same scopes and replaces the old keychain item")
    func takesOver() async throws {
        let update = try await Update()
        let google = update.after.google
        #expect(google.hasPreviousSignIn())
        let user = try await google.restorePreviousSignIn()
        #expect(user.userID == "ada")
        #expect(user.grantedScopes?.contains(Program.drive) == true)
        #expect(google.currentUser === user)
        #expect(update.passwords.isEmpty)
        let next = try update.after.restarted()
        #expect(try await next.google.restorePreviousSignIn().userID == "ada")
        update.after.expire()
        try await user.refreshTokensIfNeeded()
    }

    @Test("Keeps the old session while offline and restores it later")
    func offline() async throws {
        let update = try await Update()
        update.after.network.intercept("/token") { _ in throw TransportError(.cannotConnect) }
        #expect(await code { try await update.after.google.restorePreviousSignIn() } == .unknown)
        #expect(!update.passwords.isEmpty)
        #expect(update.after.google.hasPreviousSignIn())
        update.after.network.intercept("/token", nil)
        #expect(try await update.after.google.restorePreviousSignIn().userID == "ada")
    }

    @Test("Reports a revoked grant once as an ended session")
    func revoked() async throws {
        let update = try await Update()
        update.after.network.revokeEverything()
        #expect(await code { try await update.after.google.restorePreviousSignIn() } == .sessionEnded)
        #expect(update.passwords.isEmpty)
        #expect(await code { try await update.after.google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
    }

    @Test("Removes the old session on sign-out before it is restored")
    func signsOut() async throws {
        let update = try await Update()
        update.after.google.signOut()
        // On a slow machine, signOut() returns before it has removed the item.
        while !update.passwords.isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(!update.after.google.hasPreviousSignIn())
    }

    @Test("Replaces the old session when a user signs in")
    func signsIn() async throws {
        let update = try await Update()
        try await update.after.google.signIn(withPresenting: update.after.presenter(as: "bob"))
        #expect(update.passwords.isEmpty)
        #expect(try await update.after.restarted().google.restorePreviousSignIn().userID == "bob")
    }

    @Test("Revokes the old grant on disconnect")
    func disconnects() async throws {
        let update = try await Update()
        try await update.after.google.disconnect()
        #expect(update.after.network.requests("/revoke").count == 1)
        #expect(update.passwords.isEmpty)
    }

    @Test(
        "Refuses to move a session from the keychain to files and allows a new sign-in",
        arguments: [{ $0.files() }, { _ in InMemoryStore() }] as [@Sendable (KeychainFolder) -> any SessionStore]
    )
    func leavesKeychain(store: @escaping @Sendable (KeychainFolder) -> any SessionStore) async throws {
        let update = try await Update(store: store)
        let google = update.after.google
        #expect(await code { try await google.restorePreviousSignIn() } == .invalidConfiguration)
        #expect(await code { try await google.previousSignInExists() } == .invalidConfiguration)
        #expect(!google.hasPreviousSignIn())
        #expect(!update.passwords.isEmpty)
        #expect(try await update.after.store.list().isEmpty)
        #expect(update.after.network.refreshes.isEmpty)
        try await google.signIn(withPresenting: update.after.presenter(as: "bob"))
        #expect(try await update.restarted().google.restorePreviousSignIn().userID == "bob")
    }

    @Test("Moves a session out of the keychain if the app allows it")
    func allowsLeavingKeychain() async throws {
        let update = try await Update { $0.files() }
        update.after.google.allowsGoogleSignInStoreOutsideKeychain = true
        #expect(try await update.after.google.restorePreviousSignIn().userID == "ada")
        #expect(update.passwords.isEmpty)
    }

    @Test("Keeps the item of another access group on sign-in and sign-out")
    func otherGroup() async throws {
        let update = try await Update()
        let shared = update.folder.ancestor(in: "TEAM.shared")
        let session = try update.item.retrieveAuthSession()
        try shared.save(authSession: session)
        let google = update.after.google
        let ours = update.folder.ancestor()
        google.googleSignInStore = ours
        #expect(await code { try await google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
        for forget in [
            { try await google.signIn(withPresenting: update.after.presenter(as: "bob")) }, google.signOutAndWait,
        ] as [() async throws -> Void] {
            try ours.save(authSession: session)
            try await forget()
            #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "auth")) {
                try ours.retrieveAuthSession()
            }
            #expect(try shared.retrieveAuthSession().authState.refreshToken == session.authState.refreshToken)
        }
    }

    @Test("Rejects a grant whose user differs from its ID token")
    func anotherPerson() async throws {
        let update = try await Update()
        let bob = try update.before.updated(InMemoryStore())
        let other = try await bob.google.signIn(withPresenting: bob.presenter(as: "bob")).user
        let signIn = update.after.signIn
        let mixed = ExistingCredentials(
            refreshToken: Secret(other.refreshToken.tokenString),
            idToken: Secret(try #require(try await update.before.signedIn().idToken).tokenString),
            scopes: [.openID]
        )
        await #expect { try await signIn.adopt(mixed) } throws: { error in
            ((error as? AdoptionInterruptedError)?.cause as? SignInError)?.code == .accountMismatch
        }
        #expect(try await update.after.store.list().isEmpty)
    }
}
