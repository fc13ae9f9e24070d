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

@Suite("Clock changes")
struct ClockTests {
    static let jumps: [Double] = [-86_400, -7_200, -3_600, -30, 30, 3_600, 7_200, 86_400]

    @Test(
        "Does not refresh or extend a token when the wall clock jumps",
        .covers(118),
        arguments: jumps
    )
    func jump(_ seconds: Double) async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let token = try await session.accessToken()
        environment.network.clock.setWallClock(to: environment.network.clock.date + seconds)
        for _ in 0..<100 { #expect(try await session.accessToken() == token) }
        #expect(environment.network.refreshes.isEmpty)
        environment.network.clock.advance(by: .seconds(3_600))
        let newer = try await session.accessToken()
        #expect(newer != token)
        for _ in 0..<100 { #expect(try await session.accessToken() == newer) }
        await session.settle()
        #expect(environment.network.refreshes.count == 1)
    }

    @Test(
        "Refreshes a restored token at most once after a clock change, and honors its lifetime",
        .covers(118),
        arguments: jumps
    )
    func restored(_ seconds: Double) async throws {
        let environment = try TestEnvironment()
        _ = try await environment.session()
        environment.network.clock.setWallClock(to: environment.network.clock.date + seconds)
        let later = try environment.sibling()
        let session = try #require(try await later.signIn.restore())
        // Issues no ID tokens, because this test checks the times of access tokens only.
        environment.network.options.idTokens = { _, _ in nil }
        for _ in 0..<100 { _ = try await session.accessToken() }
        await session.settle()
        #expect(environment.network.refreshes.count == (seconds < -60 || seconds > 3_500 ? 1 : 0))
        let before = environment.network.refreshes.count
        environment.network.clock.advance(by: .seconds(3_600))
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == before + 1)
    }

    @Test(
        "Does not extend a token when the clock is set back before another refresh saves the record",
        .covers(118),
        arguments: [true, false]
    )
    func setBackBeforeSave(hasRefreshToken: Bool) async throws {
        var options = ScriptedProvider.Options()
        options.issuesRefreshTokens = hasRefreshToken
        let environment = try TestEnvironment(options)
        let session = try await environment.session()
        let token = try await session.accessToken()
        // Issues no ID tokens, because this test checks the times of access tokens only.
        environment.network.options.idTokens = { _, _ in nil }
        let clock = environment.network.clock
        clock.advance(by: .seconds(3_500))
        clock.setWallClock(to: clock.date - 3_500)
        // Saves the record with the same access token.
        #expect((try await session.narrowed(to: [.email]) != nil) == hasRefreshToken)
        #expect(try await session.accessToken() == token)
        clock.advance(by: .seconds(100))
        let refreshes = environment.network.refreshes.count
        if hasRefreshToken {
            #expect(try await session.accessToken() != token)
            #expect(environment.network.refreshes.count == refreshes + 1)
        } else {
            await #expect(throws: SessionEndedError(.expired)) { try await session.accessToken() }
        }
    }

    @Test("Does not extend a token when the clock is set back before the response arrives", .covers(118))
    func setBackBeforeResponse() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        // Issues no ID tokens, because this test checks the times of access tokens only.
        environment.network.options.idTokens = { _, _ in nil }
        let gate = environment.holdTokenEndpoint()
        let caller = Task { try await session.accessToken() }
        await gate.waitForArrival()
        let clock = environment.network.clock
        clock.advance(by: .seconds(20))
        clock.setWallClock(to: clock.date - 20)
        gate.open()
        let token = try await caller.value
        clock.advance(by: .seconds(3_585))
        #expect(try await session.accessToken() != token)
    }

    @Test("Does not extend the first token when the clock is set back during the sign-in", .covers(118))
    func setBackDuringSignIn() async throws {
        let environment = try TestEnvironment()
        let gate = environment.holdTokenEndpoint()
        let signIn = Task { try await environment.session() }
        await gate.waitForArrival()
        let clock = environment.network.clock
        clock.advance(by: .seconds(20))
        clock.setWallClock(to: clock.date - 20)
        gate.open()
        let session = try await signIn.value
        let token = try await session.accessToken()
        // Issues no ID tokens, because this test checks the times of access tokens only.
        environment.network.options.idTokens = { _, _ in nil }
        clock.advance(by: .seconds(3_585))
        #expect(try await session.accessToken() != token)
    }

    @Test("Refreshes once after the machine slept for a day", .covers(118))
    func suspend() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        environment.network.clock.advance(by: .seconds(86_400))
        let results = await ConcurrentTasks.results(100) { try await session.accessToken().text }
        _ = try results.common()
        #expect(environment.network.refreshes.count == 1)
    }

    @Test(
        "Refreshes a token with an extreme lifetime or date without trapping",
        .covers(74, 118),
        arguments: [Int64.min, -1, 0, 1, Int64.max],
        [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .greatestFiniteMagnitude)]
    )
    func extremes(lifetime: Int64, date: Date) async throws {
        let account = Account(issuer: ScriptedProvider.issuer, clientID: ScriptedProvider.clientID, subject: "ada")
        let environment = try TestEnvironment()
        _ = try await environment.session()
        try await environment.store.update(account) { entry in
            var record = try #require(try await entry.load())
            record.tokens?.lifetime = lifetime
            record.tokens?.obtainedAt = date
            try await entry.save(record)
        }
        let session = try #require(try await environment.sibling().signIn.restore())
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 1)
    }
}
