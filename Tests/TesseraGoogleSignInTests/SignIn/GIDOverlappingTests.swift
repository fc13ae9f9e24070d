// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Overlapping GIDSignIn calls", .timeLimit(.minutes(1)))
struct GIDOverlappingTests {
    /// Runs `body` while the refresh that `call` starts is in progress.
    private func run<Value: Sendable>(
        _ body: () async throws -> Void,
        at network: ScriptedProvider,
        during call: @escaping @Sendable () async -> Value
    ) async throws -> Value {
        let arrival = AsyncStream.makeStream(of: Void.self)
        let gate = AsyncStream.makeStream(of: Void.self)
        network.intercept("/token") { request in
            guard request.formValue("grant_type") == "refresh_token" else { return nil }
            arrival.continuation.finish()
            for await _ in gate.stream {}
            return nil
        }
        let task = Task { await call() }
        for await _ in arrival.stream {}
        try await body()
        gate.continuation.finish()
        return await task.value
    }

    @Test("Does not sign out a user who signs in during a sign-out", .covers(157))
    func signInDuringSignOut() async throws {
        let program = try Program()
        let google = program.google
        let user = try await program.signedIn()
        program.expire()
        var calls: [Task<Void, any Error>] = []
        let signIn = {
            calls.append(Task { try await google.signOutAndWait() })
            while user.session.ended == nil { await Task.yield() }
            calls.append(Task { try await google.signIn(withPresenting: program.presenter(as: "bob")) })
            while google.currentUser == nil { await Task.yield() }
        }
        _ = try await self.run(signIn, at: program.network) { try? await user.session.accessToken() }
        for call in calls { try await call.value }
        #expect(google.currentUser?.userID == "bob")
        #expect(google.currentUser?.session.ended == nil)
        #expect(try await program.store.list().map(\.subject) == ["bob"])
    }

    @Test("Keeps one of two users who sign in at the same time", .covers(157), arguments: 0..<20)
    func twoSignIns(_: Int) async throws {
        let program = try Program()
        async let first = code { try await program.google.signIn(withPresenting: program.presenter(as: "ada")) }
        async let second = code { try await program.google.signIn(withPresenting: program.presenter(as: "bob")) }
        let codes = await [first, second]
        #expect(codes.contains(nil))
        let user = try #require(program.google.currentUser)
        #expect(user.session.ended == nil)
        #expect(try await program.restarted().google.restorePreviousSignIn().userID == user.userID)
    }

    @Test("Does not restore a user who signs out during the migration", .covers(157))
    func signOutDuringAdoption() async throws {
        let update = try await Update()
        let google = update.after.google
        let signOut = { try await google.signOutAndWait() }
        let restored = try await self.run(signOut, at: update.after.network) {
            await code { try await google.restorePreviousSignIn() }
        }
        #expect(restored == .hasNoAuthInKeychain)
        #expect(google.currentUser == nil)
        #expect(try await update.after.store.list().isEmpty)
        #expect(update.passwords.isEmpty)
    }

    @Test("Does not make a user current during a sign-out", .covers(157))
    func signOutDuringChoice() async throws {
        let store = PausingStore()
        let program = try Program(storesMultipleAccounts: true, store: store)
        let google = program.google
        let user = try await program.signedIn()
        let signOut = { try await google.signOutAndWait() }
        try await store.run(signOut) {
            #expect(await code { try await google.makeCurrent(user) } == .hasNoAuthInKeychain)
        }
        #expect(google.currentUser == nil)
    }
}
