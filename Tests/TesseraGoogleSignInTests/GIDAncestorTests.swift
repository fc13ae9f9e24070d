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
        #expect(user.userID == "ada" && user.grantedScopes?.contains(Program.drive) == true)
        #expect(google.currentUser === user && update.passwords.isEmpty)
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
        #expect(!update.passwords.isEmpty && update.after.google.hasPreviousSignIn())
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
        #expect(update.passwords.isEmpty && !update.after.google.hasPreviousSignIn())
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
        #expect(update.after.network.requests("/revoke").count == 1 && update.passwords.isEmpty)
    }

    @Test("A grant that is another person's than its ID token says is refused")
    func anotherPerson() async throws {
        let update = try await Update()
        let bob = try update.before.updated()
        let other = try await bob.google.signIn(withPresenting: bob.person(as: "bob")).user
        let signIn = update.after.signIn
        let mixed = ExistingGrant(
            refreshToken: Secret(other.refreshToken.tokenString),
            idToken: Secret(try #require(try await update.before.signedIn().idToken).tokenString),
            scopes: [.openID]
        )
        await #expect { try await signIn.adopt(mixed) } throws: { error in
            ((error as? AdoptionInterrupted)?.cause as? SignInError)?.code == .accountMismatch
        }
        #expect(try await update.after.store.list().isEmpty)
    }
}
