// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
@testable internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Apps that set the configuration only when a user signs in, for example from Firebase's settings.
@Suite("Stored sessions without a configuration, as in GoogleSignIn")
struct GIDStoredClientOriginalTests {
    private static let configuration = GIDConfiguration(clientID: GoogleApp.clientID)

    @Test(
        "Restores the user of the session in the app's keychain without a request",
        .original("GoogleSignIn GIDSignIn.m restorePreviousSignInWithCompletion:")
    )
    func restores() async throws {
        let app = GoogleApp()
        try await app.save()
        let google = app.launched()
        #expect(google.hasPreviousSignIn())
        #expect(try await google.previousSignInExists())
        let user = try await google.restorePreviousSignIn()
        #expect(user.userID == "ada")
        #expect(user.configuration.clientID == GoogleApp.clientID)
        #expect(google.configuration == nil)
        #expect(app.transport.requests.isEmpty)
    }

    @Test(
        "Keeps the user and the session if the app sets the configuration later",
        .original("GoogleSignIn GIDSignIn.h configuration")
    )
    func setsConfigurationLater() async throws {
        let app = GoogleApp()
        try await app.save()
        let google = app.launched()
        let user = try await google.restorePreviousSignIn()
        google.configuration = Self.configuration
        #expect(google.currentUser === user)
        #expect(try await google.restorePreviousSignIn() === user)
        #expect(try await google.previousUsers().map { $0 === user } == [true])
    }

    @Test(
        "Finds no session if none is stored",
        .original("GoogleSignIn GIDSignInTest.testHasPreviousSignIn_HasNotBeenAuthenticated")
    )
    func nothingStored() async throws {
        let google = GoogleApp().launched()
        #expect(!google.hasPreviousSignIn())
        #expect(try await !google.previousSignInExists())
        #expect(await code { try await google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
        #expect(try await google.previousUsers().isEmpty)
    }

    @Test(
        "Disconnects without an error if nothing is stored",
        .original("GoogleSignIn GIDSignInTest.testDisconnect_noTokens")
    )
    func disconnects() async throws {
        let app = GoogleApp()
        #expect(await code { try await app.launched().disconnect() } == nil)
        #expect(app.transport.requests.isEmpty)
    }

    @Test(
        "Removes the stored session when the user signs out",
        .original("GoogleSignIn GIDSignInTest.testSignOut")
    )
    func signsOut() async throws {
        let app = GoogleApp()
        try await app.save()
        try await app.launched().signOutAndWait()
        #expect(try await app.folder.store().list().isEmpty)
        try await app.launched().signOutAndWait()
        #expect(!app.launched().hasPreviousSignIn())
    }

    @Test(
        "Does not sign a user in with the client of a stored session",
        .original("GoogleSignIn GIDSignIn.m signInWithOptions:")
    )
    func signsNoUserIn() async throws {
        let app = GoogleApp()
        try await app.save()
        let google = app.launched()
        try await google.restorePreviousSignIn()
        let presenter = Presenter(ScriptedUserAgent { _ in [] })
        #expect(await code { try await google.signIn(withPresenting: presenter) } == .invalidConfiguration)
        #expect(presenter.userAgent.authorizationURLs.isEmpty)
    }

    @Test(
        "Restores the session that was selected last if several clients have one",
        .original("GoogleSignIn GIDSignIn.m restorePreviousSignInWithCompletion:")
    )
    func severalClients() async throws {
        let app = GoogleApp()
        let other = Account(
            issuer: GoogleApp.account.issuer,
            clientID: "9-z.apps.googleusercontent.com",
            subject: "bob"
        )
        try await app.save()
        try await app.save(other, consentedAt: 10)
        #expect(try await app.launched().restorePreviousSignIn().userID == "bob")
        // A configured client sees only its own sessions.
        #expect(try await app.launched { Self.configuration }.restorePreviousSignIn().userID == "ada")
    }

    @Test(
        "Does not restore another client's session if a client is configured",
        .original("GoogleSignIn GIDSignIn.m restorePreviousSignInWithCompletion:")
    )
    func otherClient() async throws {
        let app = GoogleApp()
        try await app.save()
        let google = app.launched { GIDConfiguration(clientID: "9-z.apps.googleusercontent.com") }
        #expect(await code { try await google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
        #expect(try await app.folder.store().list() == [GoogleApp.account])
    }

    @Test(
        "Ignores the sessions of other providers",
        .original("GoogleSignIn GIDSignIn.m restorePreviousSignInWithCompletion:")
    )
    func otherProvider() async throws {
        let app = GoogleApp()
        try await app.save(Account(issuer: "https://id.example", clientID: GoogleApp.clientID, subject: "ada"))
        #expect(!app.launched().hasPreviousSignIn())
    }

    @Test(
        "Uses the client of the item of Google's library",
        .original("GoogleSignIn GIDSignIn.m kGTMAppAuthKeychainName")
    )
    func ancestor() async throws {
        let app = GoogleApp()
        try app.item.save(authSession: GoogleApp.ancestorSession())
        let google = app.launched()
        #expect(google.hasPreviousSignIn())
        #expect(app.transport.requests.isEmpty)
        // The import requires a network, and the item remains.
        #expect(await code { try await google.restorePreviousSignIn() } == .unknown)
        let request = try #require(app.transport.requests.first)
        #expect(request.url == "https://oauth2.googleapis.com/token")
        #expect(request.formValue("client_id") == GoogleApp.clientID)
        #expect(request.formValue("refresh_token") == "refresh")
        #expect(google.hasPreviousSignIn())
    }

    @Test(
        "Reports a locked keychain instead of a missing session",
        .original("GoogleSignIn GIDSignIn.m loadAuthState")
    )
    func lockedKeychain() async throws {
        let app = GoogleApp()
        try await app.save()
        app.folder.keychain.lock()
        let google = app.launched()
        #expect(!google.hasPreviousSignIn())
        #expect(await code { try await google.restorePreviousSignIn() } == .keychain)
        app.folder.keychain.lock(false)
        #expect(try await google.restorePreviousSignIn().userID == "ada")
    }

    @Test(
        "Finds no session in an app without the entitlement for the keychain",
        .original("GoogleSignIn GIDSignIn.m loadAuthState")
    )
    func noEntitlement() async {
        let app = GoogleApp()
        app.folder.keychain.fail("add", KeychainStatus.missingEntitlement)
        let google = app.launched()
        #expect(!google.hasPreviousSignIn())
        #expect(await code { try await google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
    }
}
