// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(UIKit) && !canImport(AppKit)
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// Runs what the guide from GoogleSignIn quotes.
@Suite("The guide from GoogleSignIn")
struct GoogleSignInMigrationTests {
    private struct Presenter: SignInPresenter {
        let userAgent: ScriptedUserAgent

        var signInUserAgent: any UserAgent { self.userAgent }
    }

    private let world: ScriptedProvider
    private let store = InMemoryStore()

    init() throws { self.world = try ScriptedProvider() }

    /// A run of the program.
    private func google() throws -> GIDSignIn {
        GIDSignIn(
            signIn: SignIn(
                try self.world.provider,
                runtime: self.world.runtime,
                store: self.store,
                userAgent: self.world.userAgent()
            )
        )
    }

    @Test("With completion handlers: a sign-in, a scope more, a call, the next run, a sign-out")
    @MainActor
    func callbacks() async throws {
        let said = Calls()
        let presenter = Presenter(userAgent: self.world.userAgent())
        let screen = AccountScreen(try self.google()) { said.take($0) }
        screen.appear()
        #expect(await said.next() == "Nobody is signed in.")
        screen.signIn(over: presenter)
        #expect(await said.next() == "ada@example.com")
        screen.addCalendar(over: presenter)
        #expect(await said.next() == "The calendar may be read.")
        screen.call { said.take($0) }
        #expect(await said.next().hasPrefix("Bearer "))
        let next = AccountScreen(try self.google()) { said.take($0) }
        next.appear()
        #expect(await said.next() == "ada@example.com")
        next.signOut()
        #expect(await said.next() == "Nobody is signed in.")
        #expect(try await self.store.list().isEmpty)
    }

    @Test("Whom GoogleSignIn has kept stays signed in, and then the item is gone")
    func kept() async throws {
        let before = try await self.google().signIn(withPresenting: Presenter(userAgent: self.world.userAgent())).user
        let kept = KeychainStore(itemName: "auth", keychainHelper: KeychainInMemory())
        try kept.save(authSession: AuthSession(before.session))
        try await self.store.remove(before.session.account)
        let google = try self.google()
        // The store of these tests is in memory.
        google.allowsAncestorOutsideKeychain = true
        let user = try await previousUser(google, keptIn: kept)
        #expect(user.userID == before.userID)
        #expect(user !== before)
        #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "auth")) { try kept.retrieveAuthSession() }
    }

    @Test("With async: a sign-in, a call, the next run, a farewell; who closes the page is nobody")
    @MainActor
    func waiting() async throws {
        let presenter = Presenter(userAgent: self.world.userAgent())
        let model = AccountModel(try self.google())
        let user = try #require(try await model.start(over: presenter))
        #expect(try await model.header(for: user) == "Bearer \(user.accessToken.tokenString)")
        let next = AccountModel(try self.google())
        #expect(try await next.start(over: presenter)?.userID == user.userID)
        try await next.leave()
        #expect(self.world.requests("/revoke").count == 1)
        let closed = Presenter(userAgent: ScriptedUserAgent { _ in throw CancellationError() })
        #expect(try await next.start(over: closed) == nil)
    }
}
#endif
