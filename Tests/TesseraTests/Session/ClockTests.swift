// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Clocks")
struct ClockTests {
    static let jumps: [Double] = [-86_400, -7_200, -3_600, -30, 30, 3_600, 7_200, 86_400]

    @Test(
        "A wall clock that jumps while the program runs costs no refresh and prolongs no token",
        .covers(118),
        arguments: jumps
    )
    func jump(_ seconds: Double) async throws {
        let world = try World()
        let session = try await world.session()
        let token = try await session.accessToken()
        world.network.clock.setWallClock(to: world.network.clock.date + seconds)
        for _ in 0..<100 { #expect(try await session.accessToken() == token) }
        #expect(world.network.refreshes.isEmpty)
        world.network.clock.advance(by: .seconds(3_600))
        let newer = try await session.accessToken()
        #expect(newer != token)
        for _ in 0..<100 { #expect(try await session.accessToken() == newer) }
        await session.settle()
        #expect(world.network.refreshes.count == 1)
    }

    @Test(
        "A restored token costs at most one refresh whatever the clock says now, and serves no longer than it lives",
        .covers(118),
        arguments: jumps
    )
    func restored(_ seconds: Double) async throws {
        let world = try World()
        _ = try await world.session()
        world.network.clock.setWallClock(to: world.network.clock.date + seconds)
        let later = try world.sibling()
        let session = try #require(try await later.signIn.restore())
        // The ID token's own times are another matter: this is about access tokens.
        world.network.options.idTokens = { _, _ in nil }
        for _ in 0..<100 { _ = try await session.accessToken() }
        await session.settle()
        #expect(world.network.refreshes.count == (seconds < -60 || seconds > 3_500 ? 1 : 0))
        let before = world.network.refreshes.count
        world.network.clock.advance(by: .seconds(3_600))
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count == before + 1)
    }

    @Test("A machine that slept for a day wakes up with one refresh", .covers(118))
    func suspend() async throws {
        let world = try World()
        let session = try await world.session()
        world.network.clock.advance(by: .seconds(86_400))
        let results = await Crowd.results(100) { try await session.accessToken().text }
        _ = try results.common()
        #expect(world.network.refreshes.count == 1)
    }

    @Test(
        "Absurd lifetimes and dates are neither trap nor eternity",
        .covers(74, 118),
        arguments: [Int64.min, -1, 0, 1, Int64.max],
        [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .greatestFiniteMagnitude)]
    )
    func extremes(lifetime: Int64, date: Date) async throws {
        let account = Account(issuer: ScriptedProvider.issuer, clientID: ScriptedProvider.clientID, subject: "ada")
        let world = try World()
        _ = try await world.session()
        try await world.store.update(account) { entry in
            var record = try #require(try await entry.load())
            record.tokens?.lifetime = lifetime
            record.tokens?.obtainedAt = date
            try await entry.save(record)
        }
        let session = try #require(try await world.sibling().signIn.restore())
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count == 1)
    }
}
