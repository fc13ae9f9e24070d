// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Restoring")
struct RestoreTests {
    @Test("Needs no network: the session has its token, its scopes and its person again")
    func offline() async throws {
        let world = try World()
        let session = try await world.session()
        let later = try world.sibling()
        let requests = world.network.requests.count
        let restored = try #require(try await later.signIn.restore())
        #expect(restored.record == session.record)
        #expect(try await restored.accessToken() == session.accessToken())
        #expect(world.network.requests.count == requests)
        world.expire()
        _ = try await restored.accessToken()
        #expect(world.network.requests("/.well-known/openid-configuration").count == 1)
    }

    @Test("An empty store has no session")
    func nobody() async throws {
        #expect(try await World().signIn.restore() == nil)
    }

    @Test("Several people have a session each; without a name the one that consented last comes back")
    func severalAccounts() async throws {
        let (world, sessions) = try await World.withThreeSessions()
        #expect(try await world.signIn.accounts().map(\.subject) == ["ada", "bob", "cy"])
        #expect(try await world.signIn.restore() === sessions[2])
        #expect(try await world.signIn.restore(sessions[0].account) === sessions[0])
        try await sessions[2].signOut()
        #expect(try await world.signIn.restore() === sessions[1])
        #expect(try await sessions[0].accessToken() != sessions[1].accessToken())
    }

    @Test("The same account is the same object, also for many who ask at once")
    func sameObject() async throws {
        let world = try World()
        _ = try await world.session()
        let later = try world.sibling()
        let results = await Crowd.results(50) { try await later.signIn.restore() }
        let sessions = try results.compactMap { try $0.get() }
        #expect(sessions.count == 50)
        #expect(sessions.allSatisfy { $0 === sessions[0] })
    }

    @Test(
        "An account of another provider or client is none of this one's: its tokens would go to the wrong place",
        .covers(35)
    )
    func foreignAccount() async throws {
        let world = try World()
        let session = try await world.session()
        var provider = try world.network.provider
        provider.client.clientID = "another-client"
        let other = SignIn(provider, runtime: world.network.runtime, store: world.store, userAgent: world.userAgent)
        #expect(try await other.restore(session.account) == nil)
        #expect(try await other.restore() == nil)
        #expect(try await other.accounts().isEmpty)
    }

    @Test("A record that cannot be read is an error, never «nobody is signed in»", .covers(119))
    func unreadable() async throws {
        let world = try World()
        let session = try await world.session()
        world.store.fail(.load, .newerFormat)
        await #expect { try await world.signIn.restore(session.account) } throws: { StoreError.Code.newerFormat ~= $0 }
        await #expect { try await world.signIn.restore() } throws: { StoreError.Code.newerFormat ~= $0 }
    }

    @Test(
        "User information is asked with a token in the header, with a new one after a refusal, and has to be about the person",
        .covers(98)
    )
    func userInformation() async throws {
        let world = try World()
        let session = try await world.session()
        #expect(try await session.userInfo()["sub"]?.string == "ada")
        world.network.invalidateAccessTokens()
        #expect(try await session.userInfo()["sub"]?.string == "ada")
        #expect(world.network.refreshes.count == 1)
        #expect(world.network.requests("/userinfo").allSatisfy { $0.query.isEmpty })
        #expect(world.network.requests("/userinfo").allSatisfy { $0.body.isEmpty })
        for text in [#"{"sub": "eve"}"#, #"{}"#, #"[]"#, "<html>"] {
            world.network.intercept("/userinfo") { _ in .json(text) }
            await #expect(throws: (any Error).self) { try await session.userInfo() }
        }
        world.network.clock.advance(by: .seconds(10))
        world.network.intercept("/userinfo") { _ in .status(.unauthorized) }
        await #expect(throws: HTTPStatusError(status: 401, endpoint: "userinfo endpoint")) {
            try await session.userInfo()
        }
        #expect(world.network.refreshes.count == 2)
        #expect(session.ended == nil)
    }
}
