// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Token refresh")
struct RefreshTests {
    @Test(
        "Refreshes an expired token without requesting scopes, and reuses a valid one"
    )
    func once() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session([.openID, .email, TestEnvironment.drive])
        let first = try await session.accessToken()
        #expect(try await session.accessToken() == first)
        #expect(environment.network.refreshes.isEmpty)
        environment.expire()
        let second = try await session.accessToken()
        #expect(second != first)
        #expect(environment.network.refreshes.count == 1)
        #expect(environment.network.refreshes[0].form.map(\.name).contains("scope") == false)
        #expect(try await session.accessToken() == second)
        #expect(session.record.history.refreshCount == 1)
        #expect(session.record.generation == 2)
    }

    @Test(
        "Refreshes once for up to 10,000 concurrent callers",
        .covers(112),
        arguments: [100, 10_000]
    )
    func callers(_ count: Int) async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let gate = environment.holdTokenEndpoint()
        let results = await ConcurrentTasks.results(count) {
            try await session.accessToken().text
        } whenAllRun: {
            await gate.waitForArrival()
            gate.open()
        }
        #expect(results.count == count)
        #expect(try await session.accessToken().text == results.common())
        #expect(environment.network.refreshes.count == 1)
        #expect(environment.store.count(.save) == 3)
    }

    @Test("Refreshes once for many callers that report the same rejected token", .covers(112))
    func refusals() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let rejected = try await session.accessToken()
        environment.network.invalidateAccessTokens()
        let gate = environment.holdTokenEndpoint()
        let results = await ConcurrentTasks.results(100) {
            try await session.replacement(forRejected: rejected).text
        } whenAllRun: {
            await gate.waitForArrival()
            gate.open()
        }
        let newer = try results.common()
        #expect(newer != rejected.text)
        #expect(try await session.replacement(forRejected: rejected).text == newer)
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Refreshes once if the provider returns the rejected token again", .covers(117))
    func sameTokenAgain() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let rejected = try await session.accessToken()
        environment.tokenEndpoint { _ in
            .json(#"{"access_token": "\#(rejected.text)", "token_type": "Bearer", "expires_in": 3600}"#)
        }
        #expect(try await session.replacement(forRejected: rejected) == rejected)
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Does not replace a newly refreshed token that an API rejects", .covers(117))
    func stubbornAPI() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let token = try await session.accessToken()
        for _ in 0..<100 { #expect(try await session.replacement(forRejected: token) == token) }
        #expect(environment.network.refreshes.count == 1)
        environment.network.clock.advance(by: .seconds(10))
        let newer = try await session.replacement(forRejected: token)
        #expect(newer != token)
        #expect(try await session.refresh() != newer)
        #expect(environment.network.refreshes.count == 3)
    }

    @Test("Refreshes a rejected token while a background check finds it valid", .covers(112))
    func refusalDuringLook() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let rejected = try await session.accessToken()
        environment.network.clock.advance(by: .seconds(3_545))
        let gate = Gate()
        environment.store.before(.update) { await gate.pass() }
        #expect(try await session.accessToken() == rejected)
        await gate.waitForArrival()
        async let newer = session.replacement(forRejected: rejected)
        gate.open()
        #expect(try await newer != rejected)
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Cancels one waiting caller without affecting the others", .covers(113))
    func oneLeaves() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let gate = environment.holdTokenEndpoint()
        let leaving = Task { try await session.accessToken() }
        let staying = Task { try await session.accessToken() }
        await gate.waitForArrival()
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.open()
        #expect(try await staying.value == session.accessToken())
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Completes and saves a refresh even if all callers were canceled", .covers(113))
    func allLeave() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let gate = environment.holdTokenEndpoint()
        let leaving = (0..<10).map { _ in Task { try await session.accessToken() } }
        await gate.waitForArrival()
        for task in leaving { task.cancel() }
        for task in leaving { await #expect(throws: CancellationError.self) { try await task.value } }
        gate.open()
        await session.settle()
        let stored = try #require(try await environment.store.load(session.account)?.tokens)
        #expect(try await session.accessToken().secret == stored.accessToken)
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Does not start a refresh in a canceled task", .covers(113))
    func cancelledBefore() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.accessToken()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        await session.settle()
        #expect(environment.network.refreshes.isEmpty)
    }

    @Test("Returns from settle immediately if no refresh is running")
    func settling() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let results = await ConcurrentTasks.results(200) {
            await session.settle()
            return try await session.accessToken().text
        }
        _ = try results.common()
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Returns the current token while a slow save is pending", .covers(115))
    func slowDisk() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let old = try await session.accessToken()
        let disk = Gate()
        environment.store.before(.save) { await disk.pass() }
        let refresh = Task { try await session.refresh() }
        await disk.waitForArrival()
        for _ in 0..<100 { #expect(try await session.accessToken() == old) }
        disk.open()
        let new = try await refresh.value
        #expect(new != old)
        #expect(try await session.accessToken() == new)
    }

    @Test("Refreshes an expiring token once in the background while callers use it")
    func background() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let old = try await session.accessToken()
        let gate = environment.holdTokenEndpoint()
        environment.network.clock.advance(by: .seconds(3_539))
        #expect(try await session.accessToken() == old)
        #expect(environment.store.count(.mark) == 0)
        environment.network.clock.advance(by: .seconds(1))
        for _ in 0..<100 { #expect(try await session.accessToken() == old) }
        await gate.waitForArrival()
        gate.open()
        await session.settle()
        #expect(try await session.accessToken() != old)
        #expect(environment.network.refreshes.count == 1)
    }

    @Test(
        "Retries a failed background refresh after 5, 10, 20 … seconds",
        .covers(114)
    )
    func failingBackground() async throws {
        var options = ScriptedProvider.Options()
        options.tokenLifetime = 36_000
        let environment = try TestEnvironment(options)
        let session = try await environment.session()
        environment.tokenEndpoint { _ in throw TransportError(.cannotConnect) }
        environment.network.clock.advance(by: .seconds(36_000 - 60))
        for second in 0..<49 {
            for _ in 0..<20 {
                _ = try await session.accessToken()
                await session.settle()
            }
            #expect(environment.network.refreshes.count == (second < 5 ? 1 : second < 15 ? 2 : second < 35 ? 3 : 4))
            environment.network.clock.advance(by: .seconds(1))
        }
        environment.tokenEndpoint(nil)
        environment.network.clock.advance(by: .seconds(20))
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 5)
    }

    @Test("Refreshes a token without expires_in after an hour or a rejection", .covers(75))
    func unknownLifetime() async throws {
        var options = ScriptedProvider.Options()
        options.tokenLifetime = nil
        let environment = try TestEnvironment(options)
        let session = try await environment.session()
        let token = try await session.accessToken()
        #expect(token.expiresAt == nil)
        #expect(session.expiresAt == nil)
        environment.network.clock.advance(by: .seconds(3_000))
        #expect(try await session.accessToken() == token)
        environment.network.clock.advance(by: .seconds(600))
        #expect(try await session.accessToken() != token)
        let second = try await session.accessToken()
        environment.network.clock.advance(by: .seconds(10))
        #expect(try await session.replacement(forRejected: second) != second)
        #expect(environment.network.refreshes.count == 2)
    }

    @Test("Refreshes a token that expires before the requested validity")
    func validity() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        environment.network.clock.advance(by: .seconds(1_800))
        let token = try await session.accessToken(validFor: .seconds(600))
        #expect(try await session.accessToken() == token)
        #expect(try await session.accessToken(validFor: .seconds(3_000)) != token)
        #expect(environment.network.refreshes.count == 1)
        _ = try await session.accessToken(validFor: .seconds(Int64.max))
        #expect(environment.network.refreshes.count == 2)
    }

    @Test("Keeps a session without a refresh token until its access token expires")
    func noRefreshToken() async throws {
        var options = ScriptedProvider.Options()
        options.issuesRefreshTokens = false
        let environment = try TestEnvironment(options)
        let session = try await environment.session()
        let token = try await session.accessToken()
        environment.network.clock.advance(by: .seconds(3_580))
        #expect(try await session.accessToken() == token)
        #expect(try await session.replacement(forRejected: token) == token)
        #expect(try await session.accessToken(validFor: .seconds(300)) == token)
        #expect(try await session.refresh() == token)
        await session.settle()
        #expect(session.ended == nil)
        environment.network.clock.advance(by: .seconds(20))
        await #expect(throws: SessionEndedError(.expired)) { try await session.accessToken() }
        #expect(try await environment.signIn.restore() == nil)
        #expect(environment.network.refreshes.isEmpty)
    }

    @Test("Reports a refresh that grants fewer scopes")
    func shrunkGrant() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession([.openID, TestEnvironment.drive])
        var events = session.events().makeAsyncIterator()
        environment.tokenEndpoint { _ in
            .json(#"{"access_token": "a", "token_type": "bearer", "expires_in": 60, "scope": "openid"}"#)
        }
        _ = try await session.accessToken()
        #expect(session.grantedScopes.missing == [TestEnvironment.drive])
        guard case .refreshed = await events.next(), case .scopesChanged(let granted) = await events.next() else {
            Issue.record("unexpected events")
            return
        }
        #expect(granted.granted == [.openID])
    }
}
