// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("An account's lock on a system that suspends processes", .timeLimit(.minutes(1)))
struct SuspensionLockTests {
    private let suspension = ScriptedSuspension()

    /// A session in a process that has just started: it has metadata from the store, and no keys.
    private func restarted(
        _ world: World,
        metadataAreDue: Bool = false
    ) async throws -> (world: World, session: OAuthSession) {
        let restarted = try world.sibling(suspension: self.suspension.value)
        let session = try #require(try await restarted.signIn.restore())
        if metadataAreDue { world.network.clock.advance(by: .seconds(86_400)) }
        return (restarted, session)
    }

    private func world(rotates: Bool = true) async throws -> World {
        var options = ScriptedProvider.Options()
        options.rotatesRefreshTokens = rotates
        let world = try World(options)
        _ = try await world.staleSession()
        return world
    }

    /// Another process takes the lock, and the system may suspend this one.
    private func expectRelease(_ world: World, _ account: Account) async throws -> SessionRecord? {
        let stored = try await world.store.update(account) { try await $0.load() }
        await self.suspension.idle()
        return stored
    }

    @Test("Is released when the provider's keys are fetched, with the new tokens saved", arguments: [true, false])
    func keys(rotates: Bool) async throws {
        let world = try await self.world(rotates: rotates)
        let (_, session) = try await self.restarted(world)
        let before = session.record
        let gate = world.hold("/keys")
        async let token = session.accessToken()
        await gate.arrival()
        self.suspension.expire()
        let stored = try #require(try await self.expectRelease(world, session.account))
        #expect(stored.refreshMark == nil)
        #expect(stored.tokens?.accessToken != before.tokens?.accessToken)
        #expect((stored.tokens?.refreshToken != before.tokens?.refreshToken) == rotates)
        // Another process must not use a token whose ID token was not checked.
        #expect(stored.tokens?.lifetime == 0)
        gate.open()
        let received = try await token
        let record = try #require(try await world.store.load(session.account))
        #expect(record.tokens?.accessToken == received.secret)
        #expect(record.tokens?.lifetime == 3_600)
        #expect(record.tokens?.idToken != before.tokens?.idToken)
        #expect(world.network.refreshes.count == 1)
        #expect(try await session.accessToken() == received)
    }

    @Test("An ID token that is checked after the lock was released still ends a session of another user", .covers(94))
    func identityAfterRelease() async throws {
        let world = try await self.world()
        let (_, session) = try await self.restarted(world)
        world.network.options.idTokens = { [network = world.network] claims, _ in
            try network.sign(
                claims.filter { $0.name != "sub" } + [JSONMember(name: "sub", value: "eve")]
            )
        }
        let gate = world.hold("/keys")
        let token = Task { try await session.accessToken() }
        await gate.arrival()
        self.suspension.expire()
        _ = try await self.expectRelease(world, session.account)
        gate.open()
        await #expect(throws: SessionEndedError(.identityChanged)) { try await token.value }
        #expect(try await world.store.load(session.account)?.history.endReason == "identityChanged")
    }

    @Test("A token that another process obtained while the keys were fetched is taken", .covers(116))
    func overtakenAtKeys() async throws {
        let world = try await self.world()
        let (_, session) = try await self.restarted(world)
        let gate = Gate()
        let isFirst = Sent<Bool>()
        world.network.intercept("/keys") { _ in
            guard isFirst.value == nil else { return nil }
            isFirst.value = true
            await gate.pass()
            return nil
        }
        async let token = session.accessToken()
        await gate.arrival()
        self.suspension.expire()
        _ = try await self.expectRelease(world, session.account)
        let other = try #require(try await world.sibling().signIn.restore())
        let theirs = try await other.accessToken()
        gate.open()
        #expect(try await token == theirs)
        #expect(world.network.refreshes.count == 2)
        #expect(session.record == other.record)
    }

    @Test("Is released when the provider's metadata are fetched, and nothing is sent")
    func discovery() async throws {
        let world = try await self.world()
        let (restarted, session) = try await self.restarted(world, metadataAreDue: true)
        let gate = world.hold("/.well-known/openid-configuration")
        let token = Task { try await session.accessToken() }
        await gate.arrival()
        self.suspension.expire()
        #expect(try await self.expectRelease(world, session.account)?.refreshMark == nil)
        await #expect(throws: RefreshPostponedError.self) { try await token.value }
        #expect(world.network.refreshes.isEmpty)
        #expect(restarted.store.count(.mark) == 0)
        gate.open()
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count == 1)
    }

    @Test("Nothing is sent or marked when the time is over between the lock and the request")
    func overBeforeRequest() async throws {
        let world = try await self.world()
        let (restarted, session) = try await self.restarted(world)
        restarted.store.before(.entryLoad) { self.suspension.expire() }
        await #expect(throws: RefreshPostponedError.self) { try await session.accessToken() }
        #expect(world.network.refreshes.isEmpty)
        #expect(restarted.store.count(.mark) == 0)
        restarted.store.before(.entryLoad, nil)
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count == 1)
    }

    @Test("Is released when a revocation is sent, and the session is forgotten", arguments: [true, false])
    func revocation(succeeds: Bool) async throws {
        let world = try await self.world()
        let (_, session) = try await self.restarted(world)
        let gate = Gate()
        world.network.intercept("/revoke") { _ in
            await gate.pass()
            return succeeds ? nil : .status(.serviceUnavailable)
        }
        let disconnection = Task { try await session.disconnect() }
        await gate.arrival()
        self.suspension.expire()
        #expect(try await self.expectRelease(world, session.account) == nil)
        gate.open()
        if succeeds {
            try await disconnection.value
        } else {
            await #expect(throws: (any Error).self) { try await disconnection.value }
        }
        #expect(session.ended?.code == .signedOut)
        #expect(world.network.requests("/revoke").count == 1)
    }

    @Test(
        "Is released when a revocation is sent on which the sign-out depends, which then happens or does not",
        arguments: [true, false]
    )
    func decidingRevocation(succeeds: Bool) async throws {
        let world = try await self.world()
        let (_, session) = try await self.restarted(world)
        let gate = Gate()
        world.network.intercept("/revoke") { _ in
            await gate.pass()
            return succeeds ? nil : .status(.serviceUnavailable)
        }
        let disconnection = Task { try await session.disconnect(keepsOnFailure: true) }
        await gate.arrival()
        self.suspension.expire()
        #expect(try await self.expectRelease(world, session.account)?.tokens != nil)
        #expect(session.ended == nil)
        gate.open()
        if succeeds {
            try await disconnection.value
        } else {
            await #expect(throws: (any Error).self) { try await disconnection.value }
        }
        #expect((try await world.store.load(session.account) == nil) == succeeds)
        #expect((session.ended != nil) == succeeds)
    }

    @Test("A consent that came while a revocation was awaited stays, and so does the session")
    func consentDuringRevocation() async throws {
        let world = try await self.world()
        let (_, session) = try await self.restarted(world)
        let gate = world.hold("/revoke")
        let disconnection = Task { try await session.disconnect(keepsOnFailure: true) }
        await gate.arrival()
        self.suspension.expire()
        _ = try await self.expectRelease(world, session.account)
        let theirs = try await world.sibling().session()
        gate.open()
        try await disconnection.value
        let stored = try #require(try await world.store.load(session.account))
        #expect(stored.history.consentedAt == theirs.record.history.consentedAt)
        #expect(stored.tokens != nil)
        #expect(session.ended == nil)
    }

    @Test(
        "A sign-out at the provider waits for a refresh whose lock was released, and revokes what it brings",
        .covers(122)
    )
    func disconnectionAfterRelease() async throws {
        let world = try await self.world()
        let (restarted, session) = try await self.restarted(world)
        let gate = world.holdTokenEndpoint()
        let caller = Task { try await session.accessToken() }
        await gate.arrival()
        self.suspension.expire()
        _ = try await self.expectRelease(world, session.account)
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
        try await disconnection.value
        let revoked = try #require(world.network.requests("/revoke").first?.formValue("token"))
        #expect(revoked != world.network.refreshes[0].formValue("refresh_token"))
        #expect(try await restarted.store.load(session.account) == nil)
    }

    @Test(
        "A token for some scopes: the lock is released, and the refresh token that comes later is saved",
        .covers(115)
    )
    func narrowing() async throws {
        let world = try await self.world()
        let (_, session) = try await self.restarted(world)
        let before = session.record
        let gate = world.holdTokenEndpoint()
        async let narrowed = session.narrowed(to: [.email])
        await gate.arrival()
        self.suspension.expire()
        #expect(try await self.expectRelease(world, session.account)?.refreshMark != nil)
        try await world.signIn.select(session.account)
        gate.open()
        let token = try #require(try await narrowed)
        let record = try #require(try await world.store.load(session.account))
        #expect(record.tokens?.accessToken == before.tokens?.accessToken)
        #expect(record.tokens?.accessToken != token.token.token.secret)
        #expect(record.tokens?.refreshToken != before.tokens?.refreshToken)
        #expect(record.history.selectedAt != nil)
        #expect(record.refreshMark == nil)
    }

    @Test("A caller that leaves does not abandon a refresh token that was sent for some scopes", .covers(113))
    func leftNarrowing() async throws {
        let world = try await self.world()
        let session = try #require(try await world.sibling().signIn.restore())
        let before = session.refreshTokenText
        let gate = world.holdTokenEndpoint()
        let leaving = Task { try await session.narrowed(to: [.email]) }
        await gate.arrival()
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.open()
        // The lock is free when that refresh has ended.
        let stored = try await world.store.update(session.account) { try await $0.load() }
        #expect(stored?.tokens?.refreshToken?.withUnredacted { $0 } != before)
        #expect(stored?.refreshMark == nil)
    }

    enum Waiting: CaseIterable, Sendable {
        case refresh, narrowing, selection, signOut, signOutAll, disconnection
    }

    @Test(
        "An activity does not wait longer than its time for another process that has the lock",
        arguments: Waiting.allCases
    )
    func held(_ waiting: Waiting) async throws {
        let world = try await self.world()
        let (restarted, session) = try await self.restarted(world)
        let (held, arrival) = (Gate(), Gate())
        async let holder: Void = world.store.update(session.account) { _ in await held.pass() }
        await held.arrival()
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
        #expect(world.network.refreshes.isEmpty)
        held.open()
        try await holder
        #expect(try await world.store.load(session.account)?.tokens != nil)
    }

    @Test("An activity does not wait longer than its time for a lock of the kernel's")
    func heldFile() async throws {
        let folder = TemporaryFolder()
        let world = try World()
        let store = EncryptedFileStore(
            directory: folder.path + "/store",
            keyDirectory: folder.path + "/keys",
            clock: world.network.clock
        )
        var runtime = world.network.runtime
        runtime.suspension = self.suspension.value
        let provider = try world.network.provider
        let signIn = SignIn(provider, runtime: runtime, store: store, userAgent: world.userAgent)
        let session = try await signIn.signIn(scopes: [.openID])
        world.expire()
        let held = Gate()
        let other = EncryptedFileStore(directory: folder.path + "/store", keyDirectory: folder.path + "/keys")
        async let holder: Void = other.update(session.account) { _ in await held.pass() }
        await held.arrival()
        let token = Task { try await session.accessToken() }
        await world.network.clock.sleeperCount(reaches: 1)
        self.suspension.expire()
        await #expect(throws: RefreshPostponedError.self) { try await token.value }
        #expect(self.suspension.activityCount == 0)
        held.open()
        try await holder
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count == 1)
    }

    @Test("An account that was selected while the response was awaited stays selected")
    func selectedMeanwhile() async throws {
        let world = try await self.world()
        let (_, session) = try await self.restarted(world)
        let gate = world.holdTokenEndpoint()
        async let token = session.accessToken()
        await gate.arrival()
        self.suspension.expire()
        _ = try await self.expectRelease(world, session.account)
        try await world.signIn.select(session.account)
        let selectedAt = try #require(try await world.store.load(session.account)?.history.selectedAt)
        gate.open()
        let received = try await token
        let record = try #require(try await world.store.load(session.account))
        #expect(record.history.selectedAt == selectedAt)
        #expect(record.tokens?.accessToken == received.secret)
        #expect(session.record.history.selectedAt == selectedAt)
    }

    @Test(
        "A consent that came while the response was awaited stays, and keeps a refresh token that works",
        arguments: [true, false]
    )
    func consentMeanwhile(rotates: Bool) async throws {
        let world = try await self.world(rotates: rotates)
        let (_, session) = try await self.restarted(world)
        let gate = world.holdTokenEndpoint()
        async let token = session.accessToken()
        await gate.arrival()
        self.suspension.expire()
        _ = try await self.expectRelease(world, session.account)
        // The provider gives no second refresh token, and the first one is kept.
        world.tokenEndpoint(nil)
        world.network.options.givesRefreshTokens = false
        let other = try world.sibling()
        let theirs = try #require(try await other.signIn.restore())
        try await other.signIn.addScopes([World.drive], to: theirs)
        world.network.options.givesRefreshTokens = true
        gate.open()
        #expect(try await token == theirs.accessToken())
        let record = try #require(try await world.store.load(session.account))
        #expect(record.grant.contains(World.drive))
        #expect(record.history.consentedAt == theirs.record.history.consentedAt)
        #expect(session.grant.contains(World.drive))
        world.expire()
        _ = try await session.accessToken()
        #expect(session.ended == nil)
    }

    @Test("Tokens that come when the system allows no activity are saved first by the next call", .covers(115))
    func refusedAtEnd() async throws {
        let world = try await self.world()
        let (restarted, session) = try await self.restarted(world)
        let gate = world.holdTokenEndpoint()
        let token = Task { try await session.accessToken() }
        await gate.arrival()
        self.suspension.enterBackground()
        self.suspension.expire()
        _ = try await self.expectRelease(world, session.account)
        self.suspension.refuseActivities()
        let updates = restarted.store.count(.update)
        gate.open()
        await #expect(throws: RefreshPostponedError.self) { try await token.value }
        #expect(restarted.store.count(.update) == updates)
        self.suspension.refuseActivities(false)
        self.suspension.enterForeground()
        world.tokenEndpoint(nil)
        _ = try await session.accessToken()
        // The response had an ID token that was not checked, so that its access token is not used.
        let sent = world.network.refreshes.compactMap { $0.formValue("refresh_token") }
        try #require(sent.count == 2)
        #expect(sent[0] != sent[1])
        #expect(session.ended == nil)
    }
}
