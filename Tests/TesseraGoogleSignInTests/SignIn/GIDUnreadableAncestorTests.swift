// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("GIDSignIn with an unreadable item of Google's library")
struct GIDUnreadableAncestorTests {
    private static let unreadable = Data("another version's archive".utf8)

    /// Returns an updated app that cannot decode the item of Google's library.
    private static func update() async throws -> Update {
        let update = try await Update()
        try update.passwords.setPassword(data: Self.unreadable, forService: "auth", accessibility: nil)
        return update
    }

    private static func isUnchanged(_ update: Update) throws -> Bool {
        try update.passwords.passwordData(forService: "auth") == Self.unreadable
    }

    private static func error(_ body: () async throws -> some Any) async throws -> GIDSignInError {
        let error = await #expect(throws: GIDSignInError.self) { _ = try await body() }
        return try #require(error)
    }

    @Test("Reports an item that cannot be decoded and keeps it")
    func reports() async throws {
        let update = try await Self.update()
        let google = update.after.google
        let error = try await Self.error { try await google.restorePreviousSignIn() }
        #expect(error.code == .keychain)
        #expect(error.description.contains(#""auth" of Google's library cannot be decoded"#))
        #expect(
            error.underlyingError as? KeychainStore.Error
                == .failedToConvertKeychainDataToAuthSession(itemName: "auth")
        )
        #expect(!error.isRetryable)
        #expect(!error.endsSession)
        #expect(error.recoverySuggestion?.hasPrefix("Sign in again.") == true)
        #expect(await code { try await google.previousSignInExists() } == .keychain)
        #expect(await code { try await google.disconnect() } == .keychain)
        #expect(!google.hasPreviousSignIn())
        #expect(try Self.isUnchanged(update))
    }

    @Test("Keeps the item on a new sign-in and restores the new user")
    func signsIn() async throws {
        let update = try await Self.update()
        try await update.after.google.signIn(withPresenting: update.after.presenter(as: "bob"))
        #expect(try Self.isUnchanged(update))
        let next = try update.restarted().google
        #expect(next.hasPreviousSignIn())
        #expect(try await next.previousSignInExists())
        #expect(try await next.restorePreviousSignIn().userID == "bob")
        try await next.disconnect()
        #expect(try Self.isUnchanged(update))
    }

    @Test("Keeps the item on sign-out and removes it only at the app's request")
    func signsOut() async throws {
        let update = try await Self.update()
        update.after.google.signOut()
        try await update.after.google.signOutAndWait()
        #expect(try Self.isUnchanged(update))
        try update.after.google.googleSignInStore?.removeAuthSession()
        #expect(await code { try await update.after.google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
    }

    @Test("Reports a locked keychain before the first unlock and restores the user later")
    func locked() async throws {
        let update = try await Update()
        let google = update.after.google
        update.passwords.fail(KeychainStatus.interactionNotAllowed)
        for call in [{ _ = try await google.restorePreviousSignIn() }, { _ = try await google.previousSignInExists() }]
        {
            let error = try await Self.error(call)
            #expect(error.code == .keychain)
            #expect(error.isRetryable)
            #expect(!error.endsSession)
            #expect(StoreError.Code.deviceLocked ~= (try #require(error.underlyingError)))
        }
        #expect(!google.hasPreviousSignIn())
        update.passwords.fail(nil)
        #expect(try await google.restorePreviousSignIn().userID == "ada")
    }

    @Test("Reports a locked device for its own session")
    func ownSession() async throws {
        let store = LockableStore()
        let program = try Program(store: store)
        _ = try await program.signedIn()
        store.isLocked.withLock { $0 = true }
        let google = try program.restarted().google
        let error = try await Self.error { try await google.restorePreviousSignIn() }
        #expect(error.code == .keychain)
        #expect(error.isRetryable)
        #expect(StoreError.Code.deviceLocked ~= (try #require(error.underlyingError)))
        #expect(await code { try await google.previousSignInExists() } == .keychain)
        #expect(!google.hasPreviousSignIn())
        store.isLocked.withLock { $0 = false }
        #expect(try await google.previousSignInExists())
        #expect(try await google.restorePreviousSignIn().userID == "ada")
    }

    @Test("Reports an item that sign-out could not remove and removes it on retry")
    func signOutFails() async throws {
        let update = try await Update()
        let google = update.after.google
        _ = try await google.signIn(withPresenting: update.after.presenter())
        try update.item.save(authSession: AuthSession(try #require(google.currentUser).session))
        update.passwords.fail(KeychainStatus.interactionNotAllowed)
        let error = try await Self.error { try await google.signOutAndWait() }
        #expect(StoreError.Code.deviceLocked ~= (try #require(error.underlyingError)))
        // Everything else is removed.
        #expect(google.currentUser == nil)
        #expect(try await update.after.store.list().isEmpty)
        update.passwords.fail(nil)
        #expect(!update.passwords.isEmpty)
        try await google.signOutAndWait()
        #expect(update.passwords.isEmpty)
    }

    @Test("Restores no user without the keychain entitlement")
    func noEntitlement() async throws {
        let update = try await Update()
        update.passwords.fail(KeychainStatus.missingEntitlement)
        #expect(await code { try await update.after.google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
        #expect(await code { try await update.after.google.signOutAndWait() } == nil)
    }
}
