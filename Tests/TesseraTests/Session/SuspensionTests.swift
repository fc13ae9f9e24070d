// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("A refresh on a system that suspends processes", .timeLimit(.minutes(1)))
struct SuspensionTests {
    private let suspension = ScriptedSuspension()

    private func world() throws -> World { try World(suspension: self.suspension.value) }

    @Test("Holds an activity from before the lock until after the save")
    func activity() async throws {
        let world = try self.world()
        let session = try await world.staleSession()
        let before = self.suspension.begunCount
        for operation in [WatchedStore.Operation.update, .mark, .save] {
            world.store.before(operation) { #expect(self.suspension.activityCount == 1, "\(operation)") }
        }
        _ = try await session.accessToken()
        #expect(self.suspension.begunCount == before + 1)
        #expect(self.suspension.activityCount == 0)
    }

    @Test("Whatever locks an account holds an activity: signing in and out, selecting an account, checking the store")
    func otherUpdates() async throws {
        let world = try self.world()
        for operation in [WatchedStore.Operation.probe, .update, .remove] {
            world.store.before(operation) { #expect(self.suspension.activityCount == 1, "\(operation)") }
        }
        let session = try await world.session()
        try await world.signIn.select(session.account)
        try await session.disconnect()
        try await world.session().signOut()
        _ = try await world.sibling().session()
        try await world.signIn.signOutAll()
        #expect(world.store.count(.probe) == 2)
        #expect(world.store.count(.update) == 6)
        #expect(world.store.count(.remove) == 3)
        #expect(self.suspension.activityCount == 0)
    }

    @Test(
        "Releases the lock when its time is over, keeps the mark, and saves the response that comes later",
        .covers(112, 115)
    )
    func expiry() async throws {
        let world = try self.world()
        let session = try await world.staleSession()
        let gate = world.holdTokenEndpoint()
        async let token = session.accessToken()
        await gate.arrival()
        self.suspension.expire()
        // Another process has its turn while the response is still awaited.
        let stored = try await world.store.update(session.account) { try await $0.load() }
        #expect(stored?.refreshMark != nil)
        await self.suspension.idle()
        gate.open()
        let received = try await token
        let record = try #require(try await world.store.load(session.account))
        #expect(record.tokens?.accessToken == received.secret)
        #expect(record.refreshMark == nil)
        #expect(world.network.refreshes.count == 1)
        #expect(try await session.accessToken() == received)
    }

    @Test(
        "Takes another process's tokens where its own response came too late to be used, or was lost",
        .covers(116),
        arguments: [true, false]
    )
    func overtaken(isAnswered: Bool) async throws {
        let world = try self.world()
        let session = try await world.staleSession()
        let gate = Gate()
        let isFirst = Sent<Bool>()
        world.tokenEndpoint { _ in
            guard isFirst.value == nil else { return nil }
            isFirst.value = true
            await gate.pass()
            guard isAnswered else { throw TransportError(.connectionLost) }
            return .json(#"{"error": "invalid_grant"}"#, status: .badRequest)
        }
        async let token = session.accessToken()
        await gate.arrival()
        self.suspension.expire()
        let other = try #require(try await world.sibling().signIn.restore())
        let theirs = try await other.accessToken()
        gate.open()
        #expect(try await token == theirs)
        #expect(session.ended == nil)
        #expect(session.record == other.record)
    }

    @Test("Brings a session back that another process ended because this refresh had used its token", .covers(95, 116))
    func revived() async throws {
        let world = try self.world()
        let session = try await world.staleSession()
        let gate = Gate()
        let isFirst = Sent<Bool>()
        world.tokenEndpoint { _ in
            guard isFirst.value == nil else { return .json(#"{"error": "invalid_grant"}"#, status: .badRequest) }
            isFirst.value = true
            await gate.pass()
            return nil
        }
        async let token = session.accessToken()
        await gate.arrival()
        self.suspension.expire()
        let other = try #require(try await world.sibling().signIn.restore())
        await #expect(throws: SessionEndedError.self) { try await other.accessToken() }
        gate.open()
        let received = try await token
        #expect(try await world.store.load(session.account)?.tokens?.accessToken == received.secret)
        #expect(session.ended == nil)
    }

    @Test("Keeps the mark and the session when the connection is lost in suspension, and refreshes at the next call")
    func connectionLost() async throws {
        let world = try self.world()
        let session = try await world.staleSession()
        let gate = Gate()
        world.tokenEndpoint { _ in
            await gate.pass()
            throw TransportError(.connectionLost)
        }
        let token = Task { try await session.accessToken() }
        await gate.arrival()
        self.suspension.expire()
        gate.open()
        await #expect(throws: TransportError.self) { try await token.value }
        #expect(try await world.store.load(session.account)?.refreshMark != nil)
        #expect(session.ended == nil)
        world.tokenEndpoint(nil)
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count == 2)
    }

    @Test("Is not sent when the system allows an app in the background no activity, and the session lives on")
    func refused() async throws {
        let world = try self.world()
        let session = try await world.staleSession()
        self.suspension.enterBackground()
        self.suspension.refuseActivities()
        let updates = world.store.count(.update)
        await #expect(throws: RefreshPostponedError.self) { try await session.accessToken() }
        #expect(world.network.refreshes.isEmpty)
        #expect(world.store.count(.update) == updates)
        self.suspension.refuseActivities(false)
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count == 1)
    }

    @Test("Goes on in the foreground where there are no activities at all")
    func foreground() async throws {
        let world = try self.world()
        let session = try await world.staleSession()
        self.suspension.refuseActivities()
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count == 1)
    }

    @Test("Is not begun ahead of need while the app is in the background")
    func aheadOfNeed() async throws {
        let world = try self.world()
        let session = try await world.session()
        let token = try await session.accessToken()
        world.network.clock.advance(by: .seconds(3_545))
        self.suspension.enterBackground()
        #expect(try await session.accessToken() == token)
        await session.settle()
        #expect(world.network.refreshes.isEmpty)
        self.suspension.enterForeground()
        #expect(try await session.accessToken() == token)
        await session.settle()
        #expect(world.network.refreshes.count == 1)
    }
}
