// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Ancestor
internal import TesseraGTMAppAuth
internal import Testing

@Suite("A keychain item of GoogleSignIn", .serialized)
@MainActor
struct GoogleSignInItemTests {
    private static let scope = "openid email https://www.googleapis.com/auth/drive.readonly"
    // The header {"alg":"RS256"}, the payload {}, and an empty signature: nobody verifies it here.
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
