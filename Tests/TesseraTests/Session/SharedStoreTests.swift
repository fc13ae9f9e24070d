// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Processes that share a store")
struct SharedStoreTests {
    @Test("Adopts the token of another process's refresh without a request", .covers(116))
    func loser() async throws {
        let (one, two) = try await Self.pair()
        let first = try await one.session.accessToken()
        var events = two.session.events().makeAsyncIterator()
        #expect(try await two.session.accessToken() == first)
        #expect(one.environment.network.refreshes.count == 1)
        guard case .adopted = await events.next() else {
            Issue.record("no adopted event")
            return
        }
        #expect(two.session.record == one.session.record)
    }

    @Test(
        "Sends one request per refresh when two processes refresh a rotating token at once",
        .covers(116)
    )
    func rounds() async throws {
        let (one, two) = try await Self.pair()
        for round in 1...50 {
            let results = await ConcurrentTasks.results(8) {
                async let mine = one.session.accessToken().text
                async let theirs = two.session.accessToken().text
                let both = try await [mine, theirs]
                #expect(both[0] == both[1])
                return both[0]
            }
            _ = try results.common()
            #expect(one.environment.network.refreshes.count == round)
            one.environment.expire()
        }
    }

    @Test(
        "Adopts a token that another process was still verifying when the record was read",
        .covers(116)
    )
    func readBetween() async throws {
        let (one, _) = try await Self.pair()
        _ = try await one.session.accessToken()
        let (store, verified) = (one.environment.store, one.session.record)
        var unverified = verified
        unverified.tokens?.lifetime = 0
        try await store.update(verified.account) { [unverified] in try await $0.save(unverified) }
        let other = try #require(try await one.environment.sibling().signIn.restore())
        #expect(other.record.tokens?.lifetime == 0)
        try await store.update(verified.account) { try await $0.save(verified) }
        let token = try await other.accessToken()
        #expect(token.secret == verified.tokens?.accessToken)
        #expect(one.environment.network.refreshes.count == 1)
    }

    @Test("Replaces a rejected token with another process's newer token without a request", .covers(112, 116))
    func refusedElsewhere() async throws {
        let (one, two) = try await Self.pair()
        let first = try await one.session.accessToken()
        #expect(try await two.session.accessToken() == first)
        one.environment.network.clock.advance(by: .seconds(10))
        let second = try await one.session.replacement(forRejected: first)
        #expect(try await two.session.replacement(forRejected: first) == second)
        #expect(one.environment.network.refreshes.count == 2)
    }

    @Test(
        "Adopts another process's tokens after a rejection if the store has no shared lock",
        .covers(116)
    )
    func lateWinner() async throws {
        let (one, two) = try await Self.pair()
        let winner = SharedValue<SessionRecord>()
        two.environment.store.before(.mark) {
            // Bypasses the lock, as a process on another machine would.
            if winner.value == nil {
                var record = two.session.record
                record.tokens?.accessToken = Secret("winner")
                record.tokens?.refreshToken = Secret("winner-refresh")
                record.tokens?.obtainedAt = one.environment.network.clock.date
                record.generation += 1
                winner.value = record
            }
        }
        two.environment.tokenEndpoint { _ in
            .json(#"{"error": "invalid_grant"}"#, status: .badRequest)
        }
        two.environment.store.before(.entryLoad) {
            if let record = winner.value { two.environment.store.overwrite(record) }
        }
        #expect(try await two.session.accessToken().text == "winner")
        #expect(two.session.ended == nil)
        #expect(two.environment.network.refreshes.count == 1)
    }

    @Test("Reports an interruption if another process has marked a refresh without the shared lock", .covers(95, 116))
    func lateMark() async throws {
        let (_, two) = try await Self.pair()
        var marked = two.session.record
        marked.refreshMark = RefreshMark(begunAt: .distantPast, generation: marked.generation)
        let isSent = SharedValue<Bool>()
        two.environment.tokenEndpoint { _ in
            isSent.value = true
            return .json(#"{"error": "invalid_grant"}"#, status: .badRequest)
        }
        two.environment.store.before(.entryLoad) { [marked] in
            if isSent.value != nil { two.environment.store.overwrite(marked) }
        }
        let end = await #expect(throws: SessionEndedError.self) { try await two.session.accessToken() }
        #expect(end?.code == .interrupted)
    }

    @Test(
        "Refreshes another process's tokens after a rejection if their access token cannot be used",
        .covers(116),
        arguments: UnusableToken.allCases
    )
    func unusableWinner(_ token: UnusableToken) async throws {
        let (one, two) = try await Self.pair()
        var record = two.session.record
        record.tokens?.refreshToken = Secret("winner-refresh")
        record.generation += 1
        switch token {
        case .unverified:
            record.tokens?.accessToken = Secret("winner")
            record.tokens?.obtainedAt = one.environment.network.clock.date
            record.tokens?.lifetime = 0
        case .expired: record.tokens?.accessToken = Secret("winner")
        case .refused: record.tokens?.obtainedAt = one.environment.network.clock.date
        }
        let winner = SharedValue<SessionRecord>()
        two.environment.store.before(.mark) { [record] in winner.value = record }
        two.environment.store.before(.entryLoad) {
            if let record = winner.value { two.environment.store.overwrite(record) }
        }
        two.environment.tokenEndpoint { request in
            guard request.formValue("refresh_token") == "winner-refresh" else {
                return .json(#"{"error": "invalid_grant"}"#, status: .badRequest)
            }
            return .json(#"{"access_token": "newest", "token_type": "Bearer", "expires_in": 3600}"#)
        }
        #expect(try await two.session.refresh().text == "newest")
        #expect(two.session.ended == nil)
        #expect(two.environment.network.refreshes.count == 2)
    }

    /// The reason why a stored access token must not be used.
    enum UnusableToken: CaseIterable, Sendable {
        /// Another process has not checked the ID token yet.
        case unverified
        /// The token has expired.
        case expired
        /// The caller requested a replacement for this token.
        case refused
    }

    @Test(
        "Ends the session at its next refresh if another process signed out",
        .covers(116)
    )
    func signOutElsewhere() async throws {
        let (one, two) = try await Self.pair()
        try await one.session.signOut()
        await #expect(throws: SessionEndedError(.signedOut)) { try await two.session.accessToken() }
        #expect(one.environment.network.refreshes.isEmpty)
        #expect(try await two.environment.store.load(two.session.account) == nil)
    }

    @Test("Adopts scopes that another process added", .covers(116))
    func consentElsewhere() async throws {
        let (one, two) = try await Self.pair()
        try await one.environment.signIn.addScopes([TestEnvironment.drive], to: one.session)
        #expect(try await two.session.accessToken() == one.session.accessToken())
        #expect(two.session.grantedScopes.contains(TestEnvironment.drive))
        #expect(one.environment.network.refreshes.isEmpty)
    }

    private static func pair() async throws -> (one: Program, two: Program) {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let other = try environment.sibling()
        let same = try #require(try await other.signIn.restore())
        #expect(same !== session)
        environment.expire()
        return (Program(environment: environment, session: session), Program(environment: other, session: same))
    }

    private struct Program {
        let environment: TestEnvironment
        let session: OAuthSession
    }
}
