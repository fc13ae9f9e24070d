// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Refreshes and process suspension", .timeLimit(.minutes(1)))
struct SuspensionTests {
    private let suspension = ScriptedSuspension()

    private func environment() throws -> TestEnvironment { try TestEnvironment(suspension: self.suspension.value) }

    @Test("Holds a background activity from before the lock until after the save")
    func activity() async throws {
        let environment = try self.environment()
        let session = try await environment.staleSession()
        let before = self.suspension.begunCount
        for operation in [WatchedStore.Operation.update, .mark, .save] {
            environment.store.before(operation) { #expect(self.suspension.activityCount == 1, "\(operation)") }
        }
        _ = try await session.accessToken()
        #expect(self.suspension.begunCount == before + 1)
        #expect(self.suspension.activityCount == 0)
    }

    @Test("Holds a background activity during sign-in, sign-out, selection and store checks")
    func otherUpdates() async throws {
        let environment = try self.environment()
        for operation in [WatchedStore.Operation.probe, .update, .remove] {
            environment.store.before(operation) { #expect(self.suspension.activityCount == 1, "\(operation)") }
        }
        let session = try await environment.session()
        try await environment.signIn.select(session.account)
        try await session.disconnect()
        try await environment.session().signOut()
        _ = try await environment.sibling().session()
        try await environment.signIn.signOutAll()
        #expect(environment.store.count(.probe) == 2)
        #expect(environment.store.count(.update) == 6)
        #expect(environment.store.count(.remove) == 3)
        #expect(self.suspension.activityCount == 0)
    }

    @Test(
        "Releases the lock when the activity expires, keeps the mark, and saves a late response",
        .covers(112, 115)
    )
    func expiry() async throws {
        let environment = try self.environment()
        let session = try await environment.staleSession()
        let gate = environment.holdTokenEndpoint()
        async let token = session.accessToken()
        await gate.waitForArrival()
        self.suspension.expire()
        // Another process can take the lock while the response is pending.
        let stored = try await environment.store.update(session.account) { try await $0.load() }
        #expect(stored?.refreshMark != nil)
        await self.suspension.idle()
        gate.open()
        let received = try await token
        let record = try #require(try await environment.store.load(session.account))
        #expect(record.tokens?.accessToken == received.secret)
        #expect(record.refreshMark == nil)
        #expect(environment.network.refreshes.count == 1)
        #expect(try await session.accessToken() == received)
    }

    @Test(
        "Sends no refresh token while the response to another refresh with it is pending",
        .covers(112),
        arguments: [true, false]
    )
    func pending(isNarrowedFirst: Bool) async throws {
        let environment = try self.environment()
        let session = try await environment.staleSession()
        let gate = Gate()
        environment.tokenEndpoint { _ in
            // A second request would not wait for the first one.
            if environment.network.refreshes.count > 1 { gate.open() }
            await gate.pass()
            return nil
        }
        let refreshes: [@Sendable () async throws -> Void] = [
            { _ = try await session.accessToken() }, { _ = try await session.narrowed(to: [.email]) },
        ]
        async let first: Void = refreshes[isNarrowedFirst ? 1 : 0]()
        await gate.waitForArrival()
        self.suspension.expire()
        await self.suspension.idle()
        let update = Gate()
        environment.store.before(.update) { await update.pass() }
        async let second: Void = refreshes[isNarrowedFirst ? 0 : 1]()
        await update.waitForArrival()
        update.open()
        await self.suspension.idle()
        gate.open()
        try await first
        try await second
        let sent = environment.network.refreshes.map { $0.formValue("refresh_token") }
        #expect(sent.count == 2)
        #expect(Set(sent).count == 2)
        #expect(session.ended == nil)
    }

    @Test("Sends nothing and removes the mark if the time runs out after the mark was saved", .covers(112))
    func expiryBeforeSending() async throws {
        let environment = try self.environment()
        let session = try await environment.staleSession()
        environment.store.before(.mark) { self.suspension.expire() }
        await #expect(throws: RefreshPostponedError.self) { try await session.accessToken() }
        #expect(environment.network.refreshes.isEmpty)
        #expect(try await environment.store.load(session.account)?.refreshMark == nil)
        environment.store.before(.mark, nil)
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Keeps the refresh token of a late response for the next call if the system denies an activity to save it")
    func postponedSave() async throws {
        let environment = try self.environment()
        let session = try await environment.staleSession()
        let gate = environment.holdTokenEndpoint()
        let call = Task { try await session.accessToken() }
        await gate.waitForArrival()
        self.suspension.expire()
        await self.suspension.idle()
        self.suspension.enterBackground()
        self.suspension.refuseActivities()
        gate.open()
        await #expect(throws: RefreshPostponedError.self) { try await call.value }
        #expect(try await environment.store.load(session.account)?.refreshMark != nil)
        self.suspension.refuseActivities(false)
        // The ID token of the late response has not been validated, so its access token is not used.
        let token = try await session.accessToken()
        let record = try #require(try await environment.store.load(session.account))
        #expect(record.tokens?.accessToken == token.secret)
        #expect(record.refreshMark == nil)
        let sent = environment.network.refreshes.map { $0.formValue("refresh_token") }
        #expect(sent.count == 2)
        #expect(Set(sent).count == 2)
    }

    @Test("Waits for the late response to a refresh that follows another late response", .covers(112, 116))
    func lateTwice() async throws {
        let environment = try self.environment()
        let session = try await environment.staleSession()
        let (first, second) = (Gate(), Gate())
        environment.tokenEndpoint { _ in
            switch environment.network.refreshes.count {
            case 1:
                await first.pass()
                return .json(#"{"error": "invalid_grant"}"#, status: .badRequest)
            case 2: break
            case 3: await second.pass()
            // This request should have waited for the one before it.
            default: second.open()
            }
            return nil
        }
        async let token = session.accessToken()
        await first.waitForArrival()
        self.suspension.expire()
        await self.suspension.idle()
        let other = try #require(try await environment.sibling().signIn.restore())
        _ = try await other.accessToken()
        // The other process's token has expired when the response arrives, so another refresh follows.
        environment.expire()
        first.open()
        await second.waitForArrival()
        self.suspension.expire()
        await self.suspension.idle()
        let update = Gate()
        environment.store.before(.update) { await update.pass() }
        async let narrowed = session.narrowed(to: [.email])
        await update.waitForArrival()
        update.open()
        await self.suspension.idle()
        second.open()
        _ = try await token
        _ = try await narrowed
        let sent = environment.network.refreshes.map { $0.formValue("refresh_token") }
        #expect(sent.count == 4)
        #expect(Set(sent).count == 3)
        #expect(session.ended == nil)
    }

    @Test("Revokes the refresh token of a late response with a narrowed token", .covers(122))
    func disconnection() async throws {
        let environment = try self.environment()
        let session = try await environment.session()
        let gate = environment.holdTokenEndpoint()
        async let narrowed = session.narrowed(to: [.email])
        await gate.waitForArrival()
        self.suspension.expire()
        await self.suspension.idle()
        let events = session.events()
        async let isRevoked = session.disconnect()
        // The session has ended, so the disconnection has begun.
        for await _ in events {}
        gate.open()
        _ = try? await narrowed
        #expect(try await isRevoked)
        let revoked = try #require(environment.network.requests("/revoke").first?.formValue("token"))
        #expect(revoked != environment.network.refreshes[0].formValue("refresh_token"))
    }

    @Test("Waits for a late response before the process exits", arguments: [true, false])
    func settling(isNarrowed: Bool) async throws {
        let environment = try self.environment()
        let session = try await environment.staleSession()
        let gate = environment.holdTokenEndpoint()
        async let token: AccessToken? =
            isNarrowed ? session.narrowed(to: [.email])?.token.token : session.accessToken()
        await gate.waitForArrival()
        self.suspension.expire()
        await self.suspension.idle()
        let used = try await environment.store.load(session.account)?.tokens?.refreshToken
        async let settled: Void = environment.signIn.settle()
        gate.open()
        await settled
        #expect(try await environment.store.load(session.account)?.tokens?.refreshToken != used)
        _ = try await token
    }

    @Test(
        "Adopts another process's tokens if its own response was rejected or lost",
        .covers(116),
        arguments: [true, false]
    )
    func overtaken(isAnswered: Bool) async throws {
        let environment = try self.environment()
        let session = try await environment.staleSession()
        let gate = Gate()
        let isFirst = SharedValue<Bool>()
        environment.tokenEndpoint { _ in
            guard isFirst.value == nil else { return nil }
            isFirst.value = true
            await gate.pass()
            guard isAnswered else { throw TransportError(.connectionLost) }
            return .json(#"{"error": "invalid_grant"}"#, status: .badRequest)
        }
        async let token = session.accessToken()
        await gate.waitForArrival()
        self.suspension.expire()
        let other = try #require(try await environment.sibling().signIn.restore())
        let theirs = try await other.accessToken()
        gate.open()
        #expect(try await token == theirs)
        #expect(session.ended == nil)
        #expect(session.record == other.record)
    }

    @Test("Revives a session that another process ended while its own refresh was pending", .covers(95, 116))
    func revived() async throws {
        let environment = try self.environment()
        let session = try await environment.staleSession()
        let gate = Gate()
        let isFirst = SharedValue<Bool>()
        environment.tokenEndpoint { _ in
            guard isFirst.value == nil else { return .json(#"{"error": "invalid_grant"}"#, status: .badRequest) }
            isFirst.value = true
            await gate.pass()
            return nil
        }
        async let token = session.accessToken()
        await gate.waitForArrival()
        self.suspension.expire()
        let other = try #require(try await environment.sibling().signIn.restore())
        await #expect(throws: SessionEndedError.self) { try await other.accessToken() }
        gate.open()
        let received = try await token
        #expect(try await environment.store.load(session.account)?.tokens?.accessToken == received.secret)
        #expect(session.ended == nil)
    }

    /// Responses to a refresh request that arrive after another process has marked a refresh with the same token.
    enum LateResponse: CaseIterable {
        case refused, declined, tokens, tokensThatCannotBeSaved

        var response: ScriptedResponse {
            switch self {
            case .refused: .json(#"{"error": "invalid_grant"}"#, status: .badRequest)
            case .declined: .json(#"{"error": "unauthorized_client"}"#, status: .badRequest)
            // The refresh token remains in use.
            case .tokens, .tokensThatCannotBeSaved:
                .json(#"{"access_token": "late", "token_type": "Bearer", "expires_in": 3600}"#)
            }
        }
    }

    @Test(
        "Keeps the mark of another process that died during a refresh with the same token",
        .covers(95, 116),
        arguments: LateResponse.allCases
    )
    func markOfOther(late: LateResponse) async throws {
        let environment = try self.environment()
        let session = try await environment.staleSession()
        let gate = Gate()
        environment.tokenEndpoint { _ in
            await gate.pass()
            return late.response
        }
        let call = Task { try await session.accessToken() }
        await gate.waitForArrival()
        self.suspension.expire()
        let mark = RefreshMark(begunAt: environment.network.clock.date + 1, generation: session.record.generation)
        if late == .tokensThatCannotBeSaved {
            environment.store.fail(.save, .leaseLost)
        } else {
            try await environment.store.update(session.account) { try await $0.mark(mark) }
        }
        gate.open()
        switch late {
        case .refused:
            let end = await #expect(throws: SessionEndedError.self) { try await call.value }
            #expect(end?.code == .interrupted)
            return
        case .declined: await #expect(throws: OAuthError.self) { try await call.value }
        case .tokens: #expect(try await call.value.text == "late")
        case .tokensThatCannotBeSaved:
            await #expect(throws: StoreError.self) { try await call.value }
            environment.store.before(.save, nil)
            try await environment.store.update(session.account) { try await $0.mark(mark) }
            #expect(try await session.accessToken().text == "late")
        }
        #expect(try await environment.store.load(session.account)?.refreshMark == mark)
    }

    @Test("Keeps the mark and the session if the connection is lost, and refreshes at the next call")
    func connectionLost() async throws {
        let environment = try self.environment()
        let session = try await environment.staleSession()
        let gate = Gate()
        environment.tokenEndpoint { _ in
            await gate.pass()
            throw TransportError(.connectionLost)
        }
        let token = Task { try await session.accessToken() }
        await gate.waitForArrival()
        self.suspension.expire()
        gate.open()
        await #expect(throws: TransportError.self) { try await token.value }
        #expect(try await environment.store.load(session.account)?.refreshMark != nil)
        #expect(session.ended == nil)
        environment.tokenEndpoint(nil)
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 2)
    }

    @Test("Postpones a refresh in the background if the system denies an activity")
    func refused() async throws {
        let environment = try self.environment()
        let session = try await environment.staleSession()
        self.suspension.enterBackground()
        self.suspension.refuseActivities()
        let updates = environment.store.count(.update)
        await #expect(throws: RefreshPostponedError.self) { try await session.accessToken() }
        #expect(environment.network.refreshes.isEmpty)
        #expect(environment.store.count(.update) == updates)
        self.suspension.refuseActivities(false)
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Refreshes in the foreground even if the system denies an activity")
    func foreground() async throws {
        let environment = try self.environment()
        let session = try await environment.staleSession()
        self.suspension.refuseActivities()
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Does not refresh early while the app is in the background")
    func aheadOfNeed() async throws {
        let environment = try self.environment()
        let session = try await environment.session()
        let token = try await session.accessToken()
        environment.network.clock.advance(by: .seconds(3_545))
        self.suspension.enterBackground()
        #expect(try await session.accessToken() == token)
        await session.settle()
        #expect(environment.network.refreshes.isEmpty)
        self.suspension.enterForeground()
        #expect(try await session.accessToken() == token)
        await session.settle()
        #expect(environment.network.refreshes.count == 1)
    }
}
