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

@Suite("Migration of stored sessions as in GoogleSignIn")
struct GIDMigrationOriginalTests {
    /// Returns the app's instance after a launch with a configuration.
    private static func launched(_ app: GoogleApp) -> GIDSignIn {
        app.launched { GIDConfiguration(clientID: GoogleApp.clientID) }
    }

    @Test(
        "Finds the session in the keychain item of Google's library",
        .original("GoogleSignIn GIDSignIn.m kGTMAppAuthKeychainName")
    )
    func item() throws {
        let app = GoogleApp()
        try app.item.save(authSession: GoogleApp.ancestorSession())
        #expect(Self.launched(app).hasPreviousSignIn())
        #expect(!app.passwords.isEmpty)
    }

    @Test(
        "Ignores the item of another client",
        .original("GoogleSignIn GIDSignIn.m loadAuthState")
    )
    func otherClient() throws {
        let app = GoogleApp()
        try app.item.save(authSession: GoogleApp.ancestorSession("9-z.apps.googleusercontent.com"))
        #expect(!Self.launched(app).hasPreviousSignIn())
        #expect(!app.passwords.isEmpty)
    }

    @Test(
        "Moves the item from the login keychain of macOS once",
        .original("GoogleSignIn GIDAuthStateMigrationTest.testMigrateIfNeeded (DataProtectedMigration)")
    )
    func movesItem() async throws {
        let app = GoogleApp()
        try app.formerItem.save(authSession: GoogleApp.ancestorSession())
        #expect(Self.launched(app).hasPreviousSignIn())
        #expect(app.formerPasswords.isEmpty)
        #expect(try app.item.retrieveAuthSession().authState.refreshToken == "refresh")
        #expect(app.isFormerItemMoved)
        #expect(Self.launched(app).hasPreviousSignIn())
    }

    @Test("Does not replace the session of a newer version of Google's library")
    func newerItem() async throws {
        let app = GoogleApp()
        try app.formerItem.save(authSession: GoogleApp.ancestorSession())
        try app.item.save(authSession: GoogleApp.ancestorSession(refreshToken: "newer"))
        #expect(Self.launched(app).hasPreviousSignIn())
        #expect(try app.item.retrieveAuthSession().authState.refreshToken == "newer")
        #expect(app.isFormerItemMoved)
    }

    @Test(
        "Moves the item without a configuration",
        .original("GoogleSignIn GIDAuthStateMigration.m migrateIfNeededWithTokenURL:")
    )
    func movesWithoutConfiguration() async throws {
        let app = GoogleApp()
        try app.formerItem.save(authSession: GoogleApp.ancestorSession())
        #expect(app.launched().hasPreviousSignIn())
        #expect(app.formerPasswords.isEmpty)
    }

    @Test(
        "Reads the login keychain only once if it has no item",
        .original("GoogleSignIn GIDAuthStateMigration.m migrateIfNeededWithTokenURL:")
    )
    func readsOnce() async throws {
        let app = GoogleApp()
        #expect(!Self.launched(app).hasPreviousSignIn())
        #expect(app.isFormerItemMoved)
        try app.formerItem.save(authSession: GoogleApp.ancestorSession())
        #expect(!Self.launched(app).hasPreviousSignIn())
        #expect(!app.formerPasswords.isEmpty)
    }

    @Test(
        "Tries again at the next launch if the item cannot be saved",
        .original("GoogleSignIn GIDAuthStateMigrationTest.testMigrateIfNeeded (KeychainFailure)")
    )
    func saveFails() async throws {
        let app = GoogleApp()
        try app.formerItem.save(authSession: GoogleApp.ancestorSession())
        app.passwords.fail(KeychainStatus.interactionNotAllowed)
        #expect(!Self.launched(app).hasPreviousSignIn())
        #expect(!app.isFormerItemMoved)
        #expect(!app.formerPasswords.isEmpty)
        app.passwords.fail(nil)
        #expect(Self.launched(app).hasPreviousSignIn())
        #expect(app.formerPasswords.isEmpty)
    }

    @Test(
        "Tries again if the login keychain is locked, but not if the user denies access",
        .original("GoogleSignIn GIDAuthStateMigration.m migrateIfNeededWithTokenURL:"),
        arguments: [
            (KeychainStatus.interactionNotAllowed, true), (KeychainStatus.userCanceled, false),
            (KeychainStatus.authenticationFailed, false),
        ]
    )
    func readFails(status: Int32, triesAgain: Bool) async throws {
        let app = GoogleApp()
        try app.formerItem.save(authSession: GoogleApp.ancestorSession())
        app.formerPasswords.fail(status)
        #expect(!Self.launched(app).hasPreviousSignIn())
        app.formerPasswords.fail(nil)
        #expect(Self.launched(app).hasPreviousSignIn() == triesAgain)
        #expect(app.formerPasswords.isEmpty == triesAgain)
    }

    @Test(
        "Leaves an item in the login keychain that cannot be decoded",
        .original("GoogleSignIn GIDAuthStateMigration.m migrateIfNeededWithTokenURL:")
    )
    func undecodable() async throws {
        let app = GoogleApp()
        try app.formerPasswords.setPassword(data: Data("x".utf8), forService: "auth", accessibility: nil)
        #expect(await code { try await Self.launched(app).restorePreviousSignIn() } == .hasNoAuthInKeychain)
        #expect(!app.formerPasswords.isEmpty)
        #expect(app.isFormerItemMoved)
    }

    @Test(
        "Removes the item of the login keychain when the user signs out",
        .original("GoogleSignIn GIDSignIn.m signOut")
    )
    func signsOut() async throws {
        let app = GoogleApp()
        try app.formerItem.save(authSession: GoogleApp.ancestorSession())
        try await Self.launched(app).signOutAndWait()
        #expect(app.formerPasswords.isEmpty)
        #expect(app.passwords.isEmpty)
        #expect(!Self.launched(app).hasPreviousSignIn())
    }

    @Test(
        "Does not read the login keychain if the app has set its own item",
        .original("GoogleSignIn GIDAuthStateMigration.m migrateIfNeededWithTokenURL:")
    )
    func ownItem() async throws {
        let app = GoogleApp()
        try app.formerItem.save(authSession: GoogleApp.ancestorSession())
        let google = Self.launched(app)
        google.googleSignInStore = KeychainStore(itemName: "own", keychainHelper: PasswordsInMemory())
        #expect(!google.hasPreviousSignIn())
        #expect(!app.formerPasswords.isEmpty)
        #expect(!app.isFormerItemMoved)
    }

    @Test(
        "Prefers the session that Tessera stored to the item of Google's library",
        .original("GoogleSignIn GIDSignIn.m loadAuthState")
    )
    func ownSession() async throws {
        let app = GoogleApp()
        try await app.save()
        try app.item.save(authSession: GoogleApp.ancestorSession())
        #expect(try await Self.launched(app).restorePreviousSignIn().userID == "ada")
        #expect(app.transport.requests.isEmpty)
        #expect(!app.passwords.isEmpty)
    }
}
