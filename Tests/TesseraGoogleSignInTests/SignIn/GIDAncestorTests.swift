// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("GIDSignIn takes over who signed in with Google's own library")
struct GIDAncestorTests {
    @Test("Who was signed in still is, with the same scopes, and is saved; the item of before is removed")
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

    @Test("Offline nobody is signed in yet, and nothing is lost: the next start takes the person over")
    func offline() async throws {
        let update = try await Update()
        update.after.network.intercept("/token") { _ in throw TransportError(.cannotConnect) }
        #expect(await code { try await update.after.google.restorePreviousSignIn() } == .unknown)
        #expect(!update.passwords.isEmpty)
        #expect(update.after.google.hasPreviousSignIn())
        update.after.network.intercept("/token", nil)
        #expect(try await update.after.google.restorePreviousSignIn().userID == "ada")
    }

    @Test("A grant that Google took back is told as the end of the session, once")
    func revoked() async throws {
        let update = try await Update()
        update.after.network.revokeEverything()
        #expect(await code { try await update.after.google.restorePreviousSignIn() } == .sessionEnded)
        #expect(update.passwords.isEmpty)
        #expect(await code { try await update.after.google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
    }

    @Test("Who signs out after the update, before anybody was restored, does not come back")
    func signsOut() async throws {
        let update = try await Update()
        update.after.google.signOut()
        #expect(update.passwords.isEmpty)
        #expect(!update.after.google.hasPreviousSignIn())
    }

    @Test("Who signs in after the update takes the place of who was there")
    func signsIn() async throws {
        let update = try await Update()
        try await update.after.google.signIn(withPresenting: update.after.person(as: "bob"))
        #expect(update.passwords.isEmpty)
        #expect(try await update.after.restarted().google.restorePreviousSignIn().userID == "bob")
    }

    @Test("Disconnecting after the update revokes what the library before was granted")
    func disconnects() async throws {
        let update = try await Update()
        try await update.after.google.disconnect()
        #expect(update.after.network.requests("/revoke").count == 1)
        #expect(update.passwords.isEmpty)
    }

    @Test(
        "A session never leaves the keychain for files: that is an error, the item stays, and a new sign-in works",
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
        try await google.signIn(withPresenting: update.after.person(as: "bob"))
        #expect(try await update.restarted().google.restorePreviousSignIn().userID == "bob")
    }

    @Test("The app can allow that a session leaves the keychain")
    func allowsLeavingKeychain() async throws {
        let update = try await Update { $0.files() }
        update.after.google.allowsAncestorOutsideKeychain = true
        #expect(try await update.after.google.restorePreviousSignIn().userID == "ada")
        #expect(update.passwords.isEmpty)
    }

    @Test("A sign-in and a sign-out leave the item of another group of the program alone")
    func otherGroup() async throws {
        let update = try await Update()
        let shared = update.folder.ancestor(in: "TEAM.shared")
        let session = try update.item.retrieveAuthSession()
        try shared.save(authSession: session)
        let google = update.after.google
        let ours = update.folder.ancestor()
        google.ancestorStore = ours
        #expect(await code { try await google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
        for forget in [
            { try await google.signIn(withPresenting: update.after.person(as: "bob")) }, google.signOutAndWait,
        ] as [() async throws -> Void] {
            try ours.save(authSession: session)
            try await forget()
            #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "auth")) {
                try ours.retrieveAuthSession()
            }
            #expect(try shared.retrieveAuthSession().authState.refreshToken == session.authState.refreshToken)
        }
    }

    @Test("A grant that is another person's than its ID token says is refused")
    func anotherPerson() async throws {
        let update = try await Update()
        let bob = try update.before.updated(InMemoryStore())
        let other = try await bob.google.signIn(withPresenting: bob.person(as: "bob")).user
        let signIn = update.after.signIn
        let mixed = ExistingGrant(
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
