// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Restoring sessions")
struct RestoreTests {
    @Test("Restores the tokens, scopes and identity of a session without a request")
    func offline() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let later = try environment.sibling()
        let requests = environment.network.requests.count
        let restored = try #require(try await later.signIn.restore())
        #expect(restored.record == session.record)
        #expect(try await restored.accessToken() == session.accessToken())
        #expect(environment.network.requests.count == requests)
        environment.expire()
        _ = try await restored.accessToken()
        #expect(environment.network.requests("/.well-known/openid-configuration").count == 1)
    }

    @Test("Returns nil if the store is empty")
    func emptyStore() async throws {
        #expect(try await TestEnvironment().signIn.restore() == nil)
    }

    @Test("Restores the specified account, or the account that consented last")
    func severalAccounts() async throws {
        let (environment, sessions) = try await TestEnvironment.withThreeSessions()
        #expect(try await environment.signIn.accounts().map(\.subject) == ["ada", "bob", "cy"])
        #expect(try await environment.signIn.restore() === sessions[2])
        #expect(try await environment.signIn.restore(sessions[0].account) === sessions[0])
        try await sessions[2].signOut()
        #expect(try await environment.signIn.restore() === sessions[1])
        #expect(try await sessions[0].accessToken() != sessions[1].accessToken())
    }

    @Test("Returns the same session object to concurrent callers")
    func sameObject() async throws {
        let environment = try TestEnvironment()
        _ = try await environment.session()
        let later = try environment.sibling()
        let results = await ConcurrentTasks.results(50) { try await later.signIn.restore() }
        let sessions = try results.compactMap { try $0.get() }
        #expect(sessions.count == 50)
        #expect(sessions.allSatisfy { $0 === sessions[0] })
    }

    @Test(
        "Does not restore a session of another client",
        .covers(35)
    )
    func foreignAccount() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        var provider = try environment.network.provider
        provider.client.clientID = "another-client"
        let other = SignIn(
            provider,
            runtime: environment.network.runtime,
            store: environment.store,
            userAgent: environment.userAgent
        )
        #expect(try await other.restore(session.account) == nil)
        #expect(try await other.restore() == nil)
        #expect(try await other.accounts().isEmpty)
    }

    @Test("Throws an error for an unreadable record", .covers(119))
    func unreadable() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        environment.store.fail(.load, .newerFormat)
        await #expect { try await environment.signIn.restore(session.account) } throws: {
            StoreError.Code.newerFormat ~= $0
        }
        await #expect { try await environment.signIn.restore() } throws: { StoreError.Code.newerFormat ~= $0 }
    }

    @Test(
        "Requests user info with a token in the header, and checks the subject",
        .covers(98)
    )
    func userInformation() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        #expect(try await session.userInfo()["sub"]?.string == "ada")
        environment.network.invalidateAccessTokens()
        #expect(try await session.userInfo()["sub"]?.string == "ada")
        #expect(environment.network.refreshes.count == 1)
        #expect(environment.network.requests("/userinfo").allSatisfy { $0.query.isEmpty })
        #expect(environment.network.requests("/userinfo").allSatisfy { $0.body.isEmpty })
        for text in [#"{"sub": "eve"}"#, #"{}"#, #"[]"#, "<html>"] {
            environment.network.intercept("/userinfo") { _ in .json(text) }
            await #expect(throws: (any Error).self) { try await session.userInfo() }
        }
        environment.network.clock.advance(by: .seconds(10))
        environment.network.intercept("/userinfo") { _ in .status(.unauthorized) }
        await #expect(throws: HTTPStatusError(status: 401, endpoint: "userinfo endpoint")) {
            try await session.userInfo()
        }
        #expect(environment.network.refreshes.count == 2)
        #expect(session.ended == nil)
    }

    @Test("Returns nil if a sign-out that had begun before ends while the record is being read")
    func pendingSignOut() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let gate = Gate()
        environment.store.before(.remove) { await gate.pass() }
        let signOut = Task { try await session.signOut() }
        await gate.waitForArrival()
        environment.store.afterNext(.load) {
            gate.open()
            try await signOut.value
        }
        #expect(try await environment.signIn.restore(session.account) == nil)
    }

    @Test("Returns nil if the account is signed out while the record is being read again")
    func signOutDuringSecondLoad() async throws {
        let (environment, sessions) = try await TestEnvironment.withThreeSessions()
        environment.store.afterNext(.load) {
            // The record is read again after any account was signed out.
            try await sessions[1].signOut()
            environment.store.afterNext(.load) { try await sessions[0].signOut() }
        }
        #expect(try await environment.signIn.restore(sessions[0].account) == nil)
    }

    @Test("Returns the session of a new consent if the user signs out and in again while the record is being read")
    func newConsentDuringLoad() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        environment.store.afterNext(.load) {
            try await session.signOut()
            environment.network.clock.advance(by: .seconds(1))
            _ = try await environment.session()
        }
        let restored = try #require(try await environment.signIn.restore(session.account))
        #expect(restored.ended == nil)
        let stored = try #require(try await environment.store.load(session.account))
        #expect(restored.record.history.consentedAt == stored.history.consentedAt)
    }
}
