// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Ancestor
internal import Foundation
internal import Security
internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn
internal import Testing

@Suite("Keychain item of GoogleSignIn", .serialized)
@MainActor
struct GoogleSignInItemTests {
    private static let scope = "openid email https://www.googleapis.com/auth/drive.readonly"
    // The header {"alg":"RS256"}, the payload {}, and an empty signature, which these tests do not verify.
    private static let idToken = "eyJhbGciOiJSUzI1NiJ9.e30."

    init() throws {
        try Ancestor.store(
            clientID: "test.apps.googleusercontent.com",
            refreshToken: "refresh",
            idToken: Self.idToken,
            scope: Self.scope
        )
    }

    @Test("GoogleSignIn finds the item that its classes stored")
    func found() throws {
        #expect(Ancestor.hasPreviousSignIn)
        try Ancestor.remove()
    }

    @Test("KeychainStore reads the session that GoogleSignIn stored")
    func read() async throws {
        let session = try await KeychainStore(itemName: Ancestor.itemName).loadAuthSession()
        #expect(session.authState.refreshToken == "refresh")
        #expect(session.authState.scope == Self.scope)
        #expect(session.authState.lastTokenResponse?.idToken == Self.idToken)
        #expect(session.authState.lastAuthorizationResponse?.request.clientID == "test.apps.googleusercontent.com")
        #expect(session.authState.isAuthorized)
        try Ancestor.remove()
    }

    @Test("Tessera's GIDSignIn finds the session that GoogleSignIn stored")
    func foundByTessera() async throws {
        let configuration = TesseraGoogleSignIn.GIDConfiguration(clientID: "test.apps.googleusercontent.com")
        let signIn = TesseraGoogleSignIn.GIDSignIn(configuration: configuration)
        #expect(try await signIn.previousSignInExists())
        try Ancestor.remove()
        #expect(try await !TesseraGoogleSignIn.GIDSignIn(configuration: configuration).previousSignInExists())
    }

    @Test("Reports an item that cannot be decoded and does not remove it")
    func undecodable() async throws {
        try Ancestor.remove()
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: Ancestor.itemName,
            kSecAttrAccount as String: "OAuth",
            kSecUseDataProtectionKeychain as String: true,
        ]
        let item = query.merging([kSecValueData as String: Data("no archive".utf8)]) { $1 }
        #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
        let configuration = TesseraGoogleSignIn.GIDConfiguration(clientID: "test.apps.googleusercontent.com")
        let signIn = TesseraGoogleSignIn.GIDSignIn(configuration: configuration)
        await #expect(throws: (any Error).self) { try await signIn.restorePreviousSignIn() }
        #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecSuccess)
        #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
    }

    @Test("GoogleSignIn finds the session that KeychainStore stored")
    func written() async throws {
        let store = KeychainStore(itemName: Ancestor.itemName)
        let session = try await store.loadAuthSession()
        try Ancestor.remove()
        try await store.storeAuthSession(session)
        #expect(Ancestor.hasPreviousSignIn)
        try Ancestor.remove()
    }
}
