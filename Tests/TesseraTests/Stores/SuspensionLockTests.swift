// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Account locks and process suspension", .timeLimit(.minutes(1)))
struct SuspensionLockTests {
    private let suspension = ScriptedSuspension()

    /// Returns a session in a process that has just started, with stored metadata but without the provider's keys.
    private func restarted(
        _ environment: TestEnvironment,
        metadataAreDue: Bool = false
    ) async throws -> (environment: TestEnvironment, session: OAuthSession) {
        let restarted = try environment.sibling(suspension: self.suspension.value)
        let session = try #require(try await restarted.signIn.restore())
        if metadataAreDue { environment.network.clock.advance(by: .seconds(86_400)) }
        return (restarted, session)
    }

    private func environment(rotates: Bool = true) async throws -> TestEnvironment {
        var options = ScriptedProvider.Options()
        options.rotatesRefreshTokens = rotates
        let environment = try TestEnvironment(options)
        _ = try await environment.staleSession()
        return environment
    }

    /// Expects that another process can take the lock and that the system can suspend this process.
    private func expectRelease(_ environment: TestEnvironment, _ account: Account) async throws -> SessionRecord? {
        let stored = try await environment.store.update(account) { try await $0.load() }
        await self.suspension.idle()
        return stored
    }

    @Test("Saves the new tokens and releases the lock while it fetches the provider's keys", arguments: [true, false])
    func keys(rotates: Bool) async throws {
        let environment = try await self.environment(rotates: rotates)
        let (_, session) = try await self.restarted(environment)
        let before = session.record
        let gate = environment.hold("/keys")
        async let token = session.accessToken()
        await gate.waitForArrival()
        self.suspension.expire()
        let stored = try #require(try await self.expectRelease(environment, session.account))
        #expect(stored.refreshMark == nil)
        #expect(stored.tokens?.accessToken != before.tokens?.accessToken)
        #expect((stored.tokens?.refreshToken != before.tokens?.refreshToken) == rotates)
        // Other processes must not use a token before its ID token was validated.
        #expect(stored.tokens?.lifetime == 0)
        gate.open()
        let received = try await token
        let record = try #require(try await environment.store.load(session.account))
        #expect(record.tokens?.accessToken == received.secret)
        #expect(record.tokens?.lifetime == 3_600)
        #expect(record.tokens?.idToken != before.tokens?.idToken)
        #expect(environment.network.refreshes.count == 1)
        #expect(try await session.accessToken() == received)
    }

    @Test(
        "Keeps the mark of another process that died during a refresh with the new token",
        .covers(95, 116),
        arguments: [true, false]
    )
    func markOfOther(rotates: Bool) async throws {
        let environment = try await self.environment(rotates: rotates)
        let (_, session) = try await self.restarted(environment)
        let gate = environment.hold("/keys")
        async let token = session.accessToken()
        await gate.waitForArrival()
        self.suspension.expire()
        let stored = try #require(try await self.expectRelease(environment, session.account))
        let mark = RefreshMark(begunAt: environment.network.clock.date + 1, generation: stored.generation)
        try await environment.store.update(session.account) { try await $0.mark(mark) }
        gate.open()
        let received = try await token
        let record = try #require(try await environment.store.load(session.account))
        #expect(record.tokens?.accessToken == received.secret)
        #expect(record.refreshMark == mark)
    }

    @Test("Ends the session of another user even if the lock is released before validation", .covers(94))
    func identityAfterRelease() async throws {
        let environment = try await self.environment()
        let (_, session) = try await self.restarted(environment)
        environment.network.options.idTokens = { [network = environment.network] claims, _ in
            try network.sign(
                claims.filter { $0.name != "sub" } + [JSONMember(name: "sub", value: "eve")]
            )
        }
        let gate = environment.hold("/keys")
        let token = Task { try await session.accessToken() }
        await gate.waitForArrival()
        self.suspension.expire()
        _ = try await self.expectRelease(environment, session.account)
        gate.open()
        await #expect(throws: SessionEndedError(.identityChanged)) { try await token.value }
        #expect(try await environment.store.load(session.account)?.history.endReason == "identityChanged")
    }

    @Test("Adopts a token that another process obtained while the keys were fetched", .covers(116))
    func overtakenAtKeys() async throws {
        let environment = try await self.environment()
        let (_, session) = try await self.restarted(environment)
        let gate = Gate()
        let isFirst = SharedValue<Bool>()
        environment.network.intercept("/keys") { _ in
            guard isFirst.value == nil else { return nil }
            isFirst.value = true
            await gate.pass()
            return nil
        }
        async let token = session.accessToken()
        await gate.waitForArrival()
        self.suspension.expire()
        _ = try await self.expectRelease(environment, session.account)
        let other = try #require(try await environment.sibling().signIn.restore())
        let theirs = try await other.accessToken()
        gate.open()
        #expect(try await token == theirs)
        #expect(environment.network.refreshes.count == 2)
        #expect(session.record == other.record)
    }

    @Test("Releases the lock while it fetches the provider's metadata, and sends nothing")
    func discovery() async throws {
        let environment = try await self.environment()
        let (restarted, session) = try await self.restarted(environment, metadataAreDue: true)
        let gate = environment.hold("/.well-known/openid-configuration")
        let token = Task { try await session.accessToken() }
        await gate.waitForArrival()
        self.suspension.expire()
        #expect(try await self.expectRelease(environment, session.account)?.refreshMark == nil)
        await #expect(throws: RefreshPostponedError.self) { try await token.value }
        #expect(environment.network.refreshes.isEmpty)
        #expect(restarted.store.count(.mark) == 0)
        gate.open()
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Sends and marks nothing if the activity expires between the lock and the request")
    func overBeforeRequest() async throws {
        let environment = try await self.environment()
        let (restarted, session) = try await self.restarted(environment)
        restarted.store.before(.entryLoad) { self.suspension.expire() }
        await #expect(throws: RefreshPostponedError.self) { try await session.accessToken() }
        #expect(environment.network.refreshes.isEmpty)
        #expect(restarted.store.count(.mark) == 0)
        restarted.store.before(.entryLoad, nil)
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Releases the lock while it sends a revocation, and removes the session", arguments: [true, false])
    func revocation(succeeds: Bool) async throws {
        let environment = try await self.environment()
        let (_, session) = try await self.restarted(environment)
        let gate = Gate()
        environment.network.intercept("/revoke") { _ in
            await gate.pass()
            return succeeds ? nil : .status(.serviceUnavailable)
        }
        let disconnection = Task { try await session.disconnect() }
        await gate.waitForArrival()
        self.suspension.expire()
        #expect(try await self.expectRelease(environment, session.account) == nil)
        gate.open()
        if succeeds {
            #expect(try await disconnection.value)
        } else {
            await #expect(throws: (any Error).self) { try await disconnection.value }
        }
        #expect(session.ended?.code == .signedOut)
        #expect(environment.network.requests("/revoke").count == 1)
    }

    @Test(
        "Releases the lock during a revocation that decides whether to remove the session",
        arguments: [true, false]
    )
    func decidingRevocation(succeeds: Bool) async throws {
        let environment = try await self.environment()
        let (_, session) = try await self.restarted(environment)
        let gate = Gate()
        environment.network.intercept("/revoke") { _ in
            await gate.pass()
            return succeeds ? nil : .status(.serviceUnavailable)
        }
        let disconnection = Task { try await session.disconnect(keepsOnFailure: true) }
        await gate.waitForArrival()
        self.suspension.expire()
        #expect(try await self.expectRelease(environment, session.account)?.tokens != nil)
        #expect(session.ended == nil)
        gate.open()
        if succeeds {
            #expect(try await disconnection.value)
        } else {
            await #expect(throws: (any Error).self) { try await disconnection.value }
        }
        #expect((try await environment.store.load(session.account) == nil) == succeeds)
        #expect((session.ended != nil) == succeeds)
    }

    @Test("Keeps the consent of another process that completes during a revocation")
    func consentDuringRevocation() async throws {
        let environment = try await self.environment()
        let (_, session) = try await self.restarted(environment)
        let gate = environment.hold("/revoke")
        let disconnection = Task { try await session.disconnect(keepsOnFailure: true) }
        await gate.waitForArrival()
        self.suspension.expire()
        _ = try await self.expectRelease(environment, session.account)
        let theirs = try await environment.sibling().session()
        gate.open()
        #expect(try await disconnection.value)
        let stored = try #require(try await environment.store.load(session.account))
        #expect(stored.history.consentedAt == theirs.record.history.consentedAt)
        #expect(stored.tokens != nil)
        #expect(session.ended == nil)
    }

    @Test(
        "Waits for a refresh whose lock was released, and revokes its tokens",
        .covers(122)
    )
    func disconnectionAfterRelease() async throws {
        let environment = try await self.environment()
        let (restarted, session) = try await self.restarted(environment)
        let gate = environment.holdTokenEndpoint()
        let caller = Task { try await session.accessToken() }
        await gate.waitForArrival()
        self.suspension.expire()
        _ = try await self.expectRelease(environment, session.account)
        let isEnding = Gate()
        let events = session.events()
        let disconnection = Task { try await session.disconnect() }
        Task {
            for await _ in events {}
            isEnding.open()
        }
        await isEnding.pass()
        gate.open()
        _ = try? await caller.value
        #expect(try await disconnection.value)
        let revoked = try #require(environment.network.requests("/revoke").first?.formValue("token"))
        #expect(revoked != environment.network.refreshes[0].formValue("refresh_token"))
        #expect(try await restarted.store.load(session.account) == nil)
    }

    @Test(
        "Saves the refresh token of a narrowed token even after the lock was released",
        .covers(115)
    )
    func narrowing() async throws {
        let environment = try await self.environment()
        let (_, session) = try await self.restarted(environment)
        let before = session.record
        let gate = environment.holdTokenEndpoint()
        async let narrowed = session.narrowed(to: [.email])
        await gate.waitForArrival()
        self.suspension.expire()
        #expect(try await self.expectRelease(environment, session.account)?.refreshMark != nil)
        try await environment.signIn.select(session.account)
        gate.open()
        let token = try #require(try await narrowed)
        let record = try #require(try await environment.store.load(session.account))
        #expect(record.tokens?.accessToken == before.tokens?.accessToken)
        #expect(record.tokens?.accessToken != token.token.token.secret)
        #expect(record.tokens?.refreshToken != before.tokens?.refreshToken)
        #expect(record.history.selectedAt != nil)
        #expect(record.refreshMark == nil)
    }

    @Test("Completes a request for a narrowed token even if its caller was canceled", .covers(113))
    func leftNarrowing() async throws {
        let environment = try await self.environment()
        let session = try #require(try await environment.sibling().signIn.restore())
        let before = session.refreshTokenText
        let gate = environment.holdTokenEndpoint()
        let leaving = Task { try await session.narrowed(to: [.email]) }
        await gate.waitForArrival()
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.open()
        // The lock is released when the refresh has completed.
        let stored = try await environment.store.update(session.account) { try await $0.load() }
        #expect(stored?.tokens?.refreshToken?.withUnredacted { $0 } != before)
        #expect(stored?.refreshMark == nil)
    }

    enum Waiting: CaseIterable, Sendable {
        case refresh, narrowing, selection, signOut, signOutAll, disconnection
    }

    @Test(
        "Stops waiting for another process's lock when the activity expires",
        arguments: Waiting.allCases
    )
    func held(_ waiting: Waiting) async throws {
        let environment = try await self.environment()
        let (restarted, session) = try await self.restarted(environment)
        let (held, arrival) = (Gate(), Gate())
        async let holder: Void = environment.store.update(session.account) { _ in await held.pass() }
        await held.waitForArrival()
        for operation in [WatchedStore.Operation.update, .remove] {
            restarted.store.before(operation) { arrival.open() }
        }
        let task = Task {
            switch waiting {
            case .refresh: _ = try await session.accessToken()
            case .narrowing: _ = try await session.narrowed(to: [.email])
            case .selection: try await restarted.signIn.select(session.account)
            case .signOut: try await session.signOut()
            case .signOutAll: try await restarted.signIn.signOutAll()
            case .disconnection: try await session.disconnect()
            }
        }
        await arrival.pass()
        self.suspension.expire()
        await #expect {
            try await task.value
        } throws: { error in
            switch waiting {
            case .refresh, .narrowing: error is RefreshPostponedError
            case .selection, .signOut, .signOutAll, .disconnection: StoreError.Code.postponed ~= error
            }
        }
        #expect(self.suspension.activityCount == 0)
        #expect(environment.network.refreshes.isEmpty)
        held.open()
        try await holder
        #expect(try await environment.store.load(session.account)?.tokens != nil)
    }

    @Test("Stops waiting for a file lock when the activity expires")
    func heldFile() async throws {
        let folder = TemporaryFolder()
        let environment = try TestEnvironment()
        let store = EncryptedFileStore(
            directory: folder.path + "/store",
            keyDirectory: folder.path + "/keys",
            clock: environment.network.clock
        )
        var runtime = environment.network.runtime
        runtime.suspension = self.suspension.value
        let provider = try environment.network.provider
        let signIn = SignIn(provider, runtime: runtime, store: store, userAgent: environment.userAgent)
        let session = try await signIn.signIn(scopes: [.openID])
        environment.expire()
        let held = Gate()
        let other = EncryptedFileStore(directory: folder.path + "/store", keyDirectory: folder.path + "/keys")
        async let holder: Void = other.update(session.account) { _ in await held.pass() }
        await held.waitForArrival()
        let token = Task { try await session.accessToken() }
        await environment.network.clock.sleeperCount(reaches: 1)
        self.suspension.expire()
        await #expect(throws: RefreshPostponedError.self) { try await token.value }
        #expect(self.suspension.activityCount == 0)
        held.open()
        try await holder
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Preserves an account selection that another process makes during a refresh")
    func selectedMeanwhile() async throws {
        let environment = try await self.environment()
        let (_, session) = try await self.restarted(environment)
        let gate = environment.holdTokenEndpoint()
        async let token = session.accessToken()
        await gate.waitForArrival()
        self.suspension.expire()
        _ = try await self.expectRelease(environment, session.account)
        try await environment.signIn.select(session.account)
        let selectedAt = try #require(try await environment.store.load(session.account)?.history.selectedAt)
        gate.open()
        let received = try await token
        let record = try #require(try await environment.store.load(session.account))
        #expect(record.history.selectedAt == selectedAt)
        #expect(record.tokens?.accessToken == received.secret)
        #expect(session.record.history.selectedAt == selectedAt)
    }

    @Test(
        "Keeps a consent that completes during a refresh, along with a valid refresh token",
        arguments: [true, false]
    )
    func consentMeanwhile(rotates: Bool) async throws {
        let environment = try await self.environment(rotates: rotates)
        let (_, session) = try await self.restarted(environment)
        let gate = environment.holdTokenEndpoint()
        async let token = session.accessToken()
        await gate.waitForArrival()
        self.suspension.expire()
        _ = try await self.expectRelease(environment, session.account)
        // The provider issues no second refresh token, so the first one is retained.
        environment.tokenEndpoint(nil)
        environment.network.options.issuesRefreshTokens = false
        let other = try environment.sibling()
        let theirs = try #require(try await other.signIn.restore())
        try await other.signIn.addScopes([TestEnvironment.drive], to: theirs)
        environment.network.options.issuesRefreshTokens = true
        gate.open()
        #expect(try await token == theirs.accessToken())
        let record = try #require(try await environment.store.load(session.account))
        #expect(record.grantedScopes.contains(TestEnvironment.drive))
        #expect(record.history.consentedAt == theirs.record.history.consentedAt)
        #expect(session.grantedScopes.contains(TestEnvironment.drive))
        environment.expire()
        _ = try await session.accessToken()
        #expect(session.ended == nil)
    }

    @Test("Saves pending tokens at the next call if the system denied an activity", .covers(115))
    func refusedAtEnd() async throws {
        let environment = try await self.environment()
        let (restarted, session) = try await self.restarted(environment)
        let gate = environment.holdTokenEndpoint()
        let token = Task { try await session.accessToken() }
        await gate.waitForArrival()
        self.suspension.enterBackground()
        self.suspension.expire()
        _ = try await self.expectRelease(environment, session.account)
        self.suspension.refuseActivities()
        let updates = restarted.store.count(.update)
        gate.open()
        await #expect(throws: RefreshPostponedError.self) { try await token.value }
        #expect(restarted.store.count(.update) == updates)
        self.suspension.refuseActivities(false)
        self.suspension.enterForeground()
        environment.tokenEndpoint(nil)
        _ = try await session.accessToken()
        // The ID token of the response was not validated, so its access token is not used.
        let sent = environment.network.refreshes.compactMap { $0.formValue("refresh_token") }
        try #require(sent.count == 2)
        #expect(sent[0] != sent[1])
        #expect(session.ended == nil)
    }
}
