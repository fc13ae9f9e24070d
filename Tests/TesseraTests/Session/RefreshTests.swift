// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Refreshing")
struct RefreshTests {
    @Test(
        "A fresh token is given without a request, an expired one is refreshed first, and no scope is asked for again"
    )
    func once() async throws {
        let world = try World()
        let session = try await world.session([.openID, .email, World.drive])
        let first = try await session.accessToken()
        #expect(try await session.accessToken() == first)
        #expect(world.network.refreshes.isEmpty)
        world.expire()
        let second = try await session.accessToken()
        #expect(second != first)
        #expect(world.network.refreshes.count == 1)
        #expect(world.network.refreshes[0].form.map(\.name).contains("scope") == false)
        #expect(try await session.accessToken() == second)
        #expect(session.record.history.refreshCount == 1)
        #expect(session.record.generation == 2)
    }

    @Test(
        "Callers by the hundred and by the ten thousand cost one refresh, and all get its token",
        .covers(112),
        arguments: [100, 10_000]
    )
    func callers(_ count: Int) async throws {
        let world = try World()
        let session = try await world.staleSession()
        let gate = world.holdTokenEndpoint()
        let results = await Crowd.results(count) {
            try await session.accessToken().text
        } whenAllRun: {
            await gate.arrival()
            gate.open()
        }
        #expect(results.count == count)
        #expect(try await session.accessToken().text == results.common())
        #expect(world.network.refreshes.count == 1)
        #expect(world.store.count(.save) == 3)
    }

    @Test("A hundred refusals of one token cost one refresh, also those that come late", .covers(112))
    func refusals() async throws {
        let world = try World()
        let session = try await world.session()
        let refused = try await session.accessToken()
        world.network.invalidateAccessTokens()
        let gate = world.holdTokenEndpoint()
        let results = await Crowd.results(100) {
            try await session.refused(refused).text
        } whenAllRun: {
            await gate.arrival()
            gate.open()
        }
        let newer = try results.common()
        #expect(newer != refused.text)
        #expect(try await session.refused(refused).text == newer)
        #expect(world.network.refreshes.count == 1)
    }

    @Test("A provider that gives the refused token again is asked once", .covers(117))
    func sameTokenAgain() async throws {
        let world = try World()
        let session = try await world.session()
        let refused = try await session.accessToken()
        world.tokenEndpoint { _ in
            .json(#"{"access_token": "\#(refused.text)", "token_type": "Bearer", "expires_in": 3600}"#)
        }
        #expect(try await session.refused(refused) == refused)
        #expect(world.network.refreshes.count == 1)
    }

    @Test("A token that a refresh has just brought is not replaced because an API refuses it too", .covers(117))
    func stubbornAPI() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let token = try await session.accessToken()
        for _ in 0..<100 { #expect(try await session.refused(token) == token) }
        #expect(world.network.refreshes.count == 1)
        world.network.clock.advance(by: .seconds(10))
        let newer = try await session.refused(token)
        #expect(newer != token)
        #expect(try await session.refresh() != newer)
        #expect(world.network.refreshes.count == 3)
    }

    @Test("A refusal that comes while a look at the store still finds the token good asks for itself", .covers(112))
    func refusalDuringLook() async throws {
        let world = try World()
        let session = try await world.session()
        let refused = try await session.accessToken()
        world.network.clock.advance(by: .seconds(3_545))
        let gate = Gate()
        world.store.before(.update) { await gate.pass() }
        #expect(try await session.accessToken() == refused)
        await gate.arrival()
        async let newer = session.refused(refused)
        gate.open()
        #expect(try await newer != refused)
        #expect(world.network.refreshes.count == 1)
    }

    @Test("A waiter that is cancelled leaves at once; the others get the token", .covers(113))
    func oneLeaves() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let gate = world.holdTokenEndpoint()
        let leaving = Task { try await session.accessToken() }
        let staying = Task { try await session.accessToken() }
        await gate.arrival()
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.open()
        #expect(try await staying.value == session.accessToken())
        #expect(world.network.refreshes.count == 1)
    }

    @Test("When everybody has left, the refresh ends all the same and is saved", .covers(113))
    func allLeave() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let gate = world.holdTokenEndpoint()
        let leaving = (0..<10).map { _ in Task { try await session.accessToken() } }
        await gate.arrival()
        for task in leaving { task.cancel() }
        for task in leaving { await #expect(throws: CancellationError.self) { try await task.value } }
        gate.open()
        await session.settle()
        let stored = try #require(try await world.store.load(session.account)?.tokens)
        #expect(try await session.accessToken().secret == stored.accessToken)
        #expect(world.network.refreshes.count == 1)
    }

    @Test("A task that is cancelled already starts no refresh", .covers(113))
    func cancelledBefore() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.accessToken()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        await session.settle()
        #expect(world.network.refreshes.isEmpty)
    }

    @Test("Waiting for a refresh that is not there ends at once and disturbs nobody")
    func settling() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let results = await Crowd.results(200) {
            await session.settle()
            return try await session.accessToken().text
        }
        _ = try results.common()
        #expect(world.network.refreshes.count == 1)
    }

    @Test("While a save waits for a slow disk, the token that is still fresh is handed out at once", .covers(115))
    func slowDisk() async throws {
        let world = try World()
        let session = try await world.session()
        let old = try await session.accessToken()
        let disk = Gate()
        world.store.before(.save) { await disk.pass() }
        let refresh = Task { try await session.refresh() }
        await disk.arrival()
        for _ in 0..<100 { #expect(try await session.accessToken() == old) }
        disk.open()
        let new = try await refresh.value
        #expect(new != old)
        #expect(try await session.accessToken() == new)
    }

    @Test("A token near its end is refreshed in the background, once, while callers go on with it")
    func background() async throws {
        let world = try World()
        let session = try await world.session()
        let old = try await session.accessToken()
        let gate = world.holdTokenEndpoint()
        world.network.clock.advance(by: .seconds(3_539))
        #expect(try await session.accessToken() == old)
        #expect(world.store.count(.mark) == 0)
        world.network.clock.advance(by: .seconds(1))
        for _ in 0..<100 { #expect(try await session.accessToken() == old) }
        await gate.arrival()
        gate.open()
        await session.settle()
        #expect(try await session.accessToken() != old)
        #expect(world.network.refreshes.count == 1)
    }

    @Test(
        "A background refresh that fails is tried again after 5, 10, 20 … seconds, however many callers there are",
        .covers(114)
    )
    func failingBackground() async throws {
        var options = ScriptedProvider.Options()
        options.tokenLifetime = 36_000
        let world = try World(options)
        let session = try await world.session()
        world.tokenEndpoint { _ in throw TransportError(.cannotConnect) }
        world.network.clock.advance(by: .seconds(36_000 - 60))
        for second in 0..<49 {
            for _ in 0..<20 {
                _ = try await session.accessToken()
                await session.settle()
            }
            #expect(world.network.refreshes.count == (second < 5 ? 1 : second < 15 ? 2 : second < 35 ? 3 : 4))
            world.network.clock.advance(by: .seconds(1))
        }
        world.tokenEndpoint(nil)
        world.network.clock.advance(by: .seconds(20))
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count == 5)
    }

    @Test("A token without expires_in has no known end: it serves an hour, and a refusal brings another", .covers(75))
    func unknownLifetime() async throws {
        var options = ScriptedProvider.Options()
        options.tokenLifetime = nil
        let world = try World(options)
        let session = try await world.session()
        let token = try await session.accessToken()
        #expect(token.expiresAt == nil)
        #expect(session.expiresAt == nil)
        world.network.clock.advance(by: .seconds(3_000))
        #expect(try await session.accessToken() == token)
        world.network.clock.advance(by: .seconds(600))
        #expect(try await session.accessToken() != token)
        let second = try await session.accessToken()
        world.network.clock.advance(by: .seconds(10))
        #expect(try await session.refused(second) != second)
        #expect(world.network.refreshes.count == 2)
    }

    @Test("A token that has to serve for a while longer than it will is refreshed now")
    func validity() async throws {
        let world = try World()
        let session = try await world.session()
        world.network.clock.advance(by: .seconds(1_800))
        let token = try await session.accessToken(validFor: .seconds(600))
        #expect(try await session.accessToken() == token)
        #expect(try await session.accessToken(validFor: .seconds(3_000)) != token)
        #expect(world.network.refreshes.count == 1)
        _ = try await session.accessToken(validFor: .seconds(Int64.max))
        #expect(world.network.refreshes.count == 2)
    }

    @Test("Without a refresh token the session lives as long as its access token, refused or not, and then ends")
    func noRefreshToken() async throws {
        var options = ScriptedProvider.Options()
        options.givesRefreshTokens = false
        let world = try World(options)
        let session = try await world.session()
        let token = try await session.accessToken()
        world.network.clock.advance(by: .seconds(3_580))
        #expect(try await session.accessToken() == token)
        #expect(try await session.refused(token) == token)
        #expect(try await session.accessToken(validFor: .seconds(300)) == token)
        #expect(try await session.refresh() == token)
        await session.settle()
        #expect(session.ended == nil)
        world.network.clock.advance(by: .seconds(20))
        await #expect(throws: SessionEndedError(.expired)) { try await session.accessToken() }
        #expect(try await world.signIn.restore() == nil)
        #expect(world.network.refreshes.isEmpty)
    }

    @Test("A refresh that brings fewer scopes changes the grant and says so")
    func shrunkGrant() async throws {
        let world = try World()
        let session = try await world.staleSession([.openID, World.drive])
        var events = session.events().makeAsyncIterator()
        world.tokenEndpoint { _ in
            .json(#"{"access_token": "a", "token_type": "bearer", "expires_in": 60, "scope": "openid"}"#)
        }
        _ = try await session.accessToken()
        #expect(session.grant.missing == [World.drive])
        guard case .refreshed = await events.next(), case .grantChanged(let grant) = await events.next() else {
            Issue.record("other events")
            return
        }
        #expect(grant.granted == [.openID])
    }
}
