// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Two programs on one store")
struct SharedStoreTests {
    @Test("Who comes second reads the store again and takes the winner's token: one request", .covers(116))
    func loser() async throws {
        let (one, two) = try await Self.pair()
        let first = try await one.session.accessToken()
        var events = two.session.events().makeAsyncIterator()
        #expect(try await two.session.accessToken() == first)
        #expect(one.world.network.refreshes.count == 1)
        guard case .adopted = await events.next() else {
            Issue.record("not adopted")
            return
        }
        #expect(two.session.record == one.session.record)
    }

    @Test(
        "Both at once, with rotating refresh tokens, round after round: one request each, never a refusal",
        .covers(116)
    )
    func rounds() async throws {
        let (one, two) = try await Self.pair()
        for round in 1...50 {
            let results = await Crowd.results(8) {
                async let mine = one.session.accessToken().text
                async let theirs = two.session.accessToken().text
                let both = try await [mine, theirs]
                #expect(both[0] == both[1])
                return both[0]
            }
            _ = try results.common()
            #expect(one.world.network.refreshes.count == round)
            one.world.expire()
        }
    }

    @Test(
        "A token that was read while the other program still looked at its ID token costs no second request",
        .covers(116)
    )
    func readBetween() async throws {
        let (one, _) = try await Self.pair()
        _ = try await one.session.accessToken()
        let (store, passed) = (one.world.store, one.session.record)
        var unchecked = passed
        unchecked.tokens?.lifetime = 0
        try await store.update(passed.account) { [unchecked] in try await $0.save(unchecked) }
        let late = try #require(try await one.world.sibling().signIn.restore())
        #expect(late.record.tokens?.lifetime == 0)
        try await store.update(passed.account) { try await $0.save(passed) }
        let token = try await late.accessToken()
        #expect(token.secret == passed.tokens?.accessToken)
        #expect(one.world.network.refreshes.count == 1)
    }

    @Test("A refused token that another program has replaced already costs no request", .covers(112, 116))
    func refusedElsewhere() async throws {
        let (one, two) = try await Self.pair()
        let first = try await one.session.accessToken()
        #expect(try await two.session.accessToken() == first)
        one.world.network.clock.advance(by: .seconds(10))
        let second = try await one.session.refused(first)
        #expect(try await two.session.refused(first) == second)
        #expect(one.world.network.refreshes.count == 2)
    }

    @Test(
        "A store without a common lock: after a refusal the winner's tokens are found, and the session lives",
        .covers(116)
    )
    func lateWinner() async throws {
        let (one, two) = try await Self.pair()
        let stolen = Sent<SessionRecord>()
        two.world.store.before(.mark) {
            // Behind the lock's back, as a program on another machine would.
            if stolen.value == nil {
                var record = two.session.record
                record.tokens?.accessToken = Secret("winner")
                record.tokens?.refreshToken = Secret("winner-refresh")
                record.tokens?.obtainedAt = one.world.network.clock.date
                record.generation += 1
                stolen.value = record
            }
        }
        two.world.tokenEndpoint { _ in
            .json(#"{"error": "invalid_grant"}"#, status: .badRequest)
        }
        two.world.store.before(.entryLoad) {
            if let record = stolen.value { two.world.store.overwrite(record) }
        }
        #expect(try await two.session.accessToken().text == "winner")
        #expect(two.session.ended == nil)
        #expect(two.world.network.refreshes.count == 1)
    }

    @Test(
        "A sign-out in one program ends the session in the other at its next refresh, and nothing is sent",
        .covers(116)
    )
    func signOutElsewhere() async throws {
        let (one, two) = try await Self.pair()
        try await one.session.signOut()
        await #expect(throws: SessionEndedError(.signedOut)) { try await two.session.accessToken() }
        #expect(one.world.network.refreshes.isEmpty)
        #expect(try await two.world.store.load(two.session.account) == nil)
    }

    @Test("More scopes that one program was granted reach the other with its next token", .covers(116))
    func consentElsewhere() async throws {
        let (one, two) = try await Self.pair()
        try await one.world.signIn.addScopes([World.drive], to: one.session)
        #expect(try await two.session.accessToken() == one.session.accessToken())
        #expect(two.session.grant.contains(World.drive))
        #expect(one.world.network.refreshes.isEmpty)
    }

    private static func pair() async throws -> (one: Program, two: Program) {
        let world = try World()
        let session = try await world.session()
        let other = try world.sibling()
        let same = try #require(try await other.signIn.restore())
        #expect(same !== session)
        world.expire()
        return (Program(world: world, session: session), Program(world: other, session: same))
    }

    private struct Program {
        let world: World
        let session: OAuthSession
    }
}
