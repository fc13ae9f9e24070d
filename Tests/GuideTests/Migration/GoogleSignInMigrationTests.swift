// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(UIKit) && !canImport(AppKit)
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// Runs the code in the guide for migrating from GoogleSignIn.
@Suite("Guide for migrating from GoogleSignIn")
struct GoogleSignInMigrationTests {
    private struct Presenter: SignInPresenter {
        let userAgent: ScriptedUserAgent

        var signInUserAgent: any UserAgent { self.userAgent }
    }

    private let provider: ScriptedProvider
    private let store = InMemoryStore()

    init() throws { self.provider = try ScriptedProvider() }

    /// Creates the object as at the start of the program.
    private func google() throws -> GIDSignIn {
        GIDSignIn(
            signIn: SignIn(
                try self.provider.provider,
                runtime: self.provider.runtime,
                store: self.store,
                userAgent: self.provider.userAgent()
            )
        )
    }

    @Test("Signs in, adds a scope, calls, restores and signs out with completion handlers")
    @MainActor
    func callbacks() async throws {
        let messages = Calls()
        let presenter = Presenter(userAgent: self.provider.userAgent())
        let screen = AccountScreen(try self.google()) { messages.record($0) }
        screen.appear()
        #expect(await messages.next() == "Not signed in.")
        screen.signIn(over: presenter)
        #expect(await messages.next() == "ada@example.com")
        screen.addCalendar(over: presenter)
        #expect(await messages.next() == "Calendar access was granted.")
        screen.call { messages.record($0) }
        #expect(await messages.next().hasPrefix("Bearer "))
        let next = AccountScreen(try self.google()) { messages.record($0) }
        next.appear()
        #expect(await messages.next() == "ada@example.com")
        next.signOut()
        #expect(await messages.next() == "Not signed in.")
        #expect(try await self.store.list().isEmpty)
    }

    @Test("Restores the user that GoogleSignIn saved, and removes its item")
    func savedItem() async throws {
        let before = try await self.google().signIn(withPresenting: Presenter(userAgent: self.provider.userAgent()))
            .user
        let item = KeychainStore(itemName: "auth", keychainHelper: KeychainInMemory())
        try item.save(authSession: AuthSession(before.session))
        try await self.store.remove(before.session.account)
        let google = try self.google()
        // Required because the store of these tests is in memory.
        google.allowsGoogleSignInStoreOutsideKeychain = true
        let user = try await previousUser(google, savedIn: item)
        #expect(user.userID == before.userID)
        #expect(user !== before)
        #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "auth")) { try item.retrieveAuthSession() }
    }

    @Test("Signs in, calls, restores, disconnects and cancels with async functions")
    @MainActor
    func asyncFunctions() async throws {
        let presenter = Presenter(userAgent: self.provider.userAgent())
        let model = AccountModel(try self.google())
        let user = try #require(try await model.start(over: presenter))
        #expect(try await model.header(for: user) == "Bearer \(user.accessToken.tokenString)")
        let next = AccountModel(try self.google())
        #expect(try await next.start(over: presenter)?.userID == user.userID)
        try await next.disconnect()
        #expect(self.provider.requests("/revoke").count == 1)
        let closed = Presenter(userAgent: ScriptedUserAgent { _ in throw CancellationError() })
        #expect(try await next.start(over: closed) == nil)
    }
}
#endif
