// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Signing out")
struct SignOutTests {
    @Test("Removes the record and ends the session; the provider is not told")
    func signOut() async throws {
        let world = try World()
        let session = try await world.session()
        try await session.signOut()
        await #expect(throws: SessionEndedError(.signedOut)) { try await session.accessToken() }
        #expect(try await world.signIn.restore() == nil)
        #expect(try await world.signIn.accounts().isEmpty)
        #expect(world.network.requests("/revoke").isEmpty)
        #expect(world.network.refreshes.isEmpty)
        try await session.signOut()
    }

    @Test("Waits for a refresh on the wire, whose tokens are neither given out nor kept", .covers(115))
    func duringRefresh() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let gate = world.holdTokenEndpoint()
        let caller = Task { try await session.accessToken() }
        await gate.arrival()
        let isSignedOut = Sent<Bool>()
        let removal = Gate()
        world.store.before(.update) { removal.open() }
        let signOut = Task {
            try await session.signOut()
            isSignedOut.value = true
        }
        await removal.pass()
        #expect(session.ended?.code == .signedOut)
        #expect(isSignedOut.value == nil)
        gate.open()
        try await signOut.value
        await #expect(throws: SessionEndedError(.signedOut)) { try await caller.value }
        #expect(try await world.store.load(session.account) == nil)
        await #expect(throws: SessionEndedError(.signedOut)) { try await session.accessToken() }
        #expect(world.network.refreshes.count == 1)
    }

    @Test(
        "Leaves the record of a consent that takes effect while the sign-out waits for the account's lock",
        arguments: Removal.allCases
    )
    func consentDuringRemoval(_ removal: Removal) async throws {
        let world = try World()
        let account = try await world.session().account
        let session = removal == .allWithoutSession ? nil : try await world.signIn.restore()
        let saving = Gate()
        world.store.before(.save) { await saving.pass() }
        let consent = Task { try await world.session() }
        await saving.arrival()
        let waiting = Gate()
        for operation in [WatchedStore.Operation.update, .remove] {
            world.store.before(operation) { waiting.open() }
        }
        let signOut = Task {
            if removal == .session { try await session?.signOut() } else { try await world.signIn.signOutAll() }
        }
        await waiting.pass()
        saving.open()
        let revived = try await consent.value
        try await signOut.value
        #expect(revived.ended == nil)
        #expect(try await world.store.load(account) == revived.record)
        world.expire()
        _ = try await revived.accessToken()
    }

    @Test("Leaves the record of a consent that revives another session object of the account")
    func consentAfterRestoration() async throws {
        let world = try World()
        let session = try await world.session()
        let saving = Gate()
        world.store.before(.save) { await saving.pass() }
        let consent = Task { try await world.session() }
        await saving.arrival()
        let waiting = Gate()
        world.store.before(.update) { waiting.open() }
        let signOut = Task { try await session.signOut() }
        await waiting.pass()
        let restored = try #require(try await world.signIn.restore())
        #expect(restored !== session)
        saving.open()
        let revived = try await consent.value
        try await signOut.value
        #expect(revived === restored)
        #expect(session.ended?.code == .signedOut)
        #expect(try await world.store.load(session.account) == revived.record)
        world.expire()
        _ = try await revived.accessToken()
    }

    /// What removes a record.
    enum Removal: CaseIterable, Sendable {
        case session, all, allWithoutSession
    }

    @Test(
        "Removes the record where the store cannot begin an update, but not after waiting in vain",
        arguments: [
            (StoreError.Code.full, true), (.busy, false),
        ]
    )
    func unavailableUpdate(_ code: StoreError.Code, isRemoved: Bool) async throws {
        let world = try World()
        let session = try await world.session()
        world.store.fail(.update, code)
        if isRemoved {
            try await session.signOut()
        } else {
            await #expect(throws: StoreError(code, place: "test")) { try await session.signOut() }
        }
        #expect(try await world.signIn.accounts().isEmpty == isRemoved)
    }

    @Test("A removal that fails is told, the session is over here all the same, and it may be tried again")
    func failedRemoval() async throws {
        let world = try World()
        let session = try await world.session()
        world.store.fail(.remove, .permissionDenied)
        await #expect(throws: StoreError.self) { try await session.signOut() }
        #expect(session.ended?.code == .signedOut)
        world.store.before(.remove, nil)
        try await session.signOut()
        #expect(try await world.signIn.accounts().isEmpty)
    }

    @Test("Disconnecting revokes the newest refresh token, that of a refresh on the wire too", .covers(122))
    func disconnect() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let gate = world.holdTokenEndpoint()
        let caller = Task { try await session.accessToken() }
        await gate.arrival()
        let disconnect = Task { try await session.disconnect() }
        gate.open()
        _ = try? await caller.value
        try await disconnect.value
        let revocation = try #require(world.network.requests("/revoke").first)
        #expect(world.network.requests("/revoke").count == 1)
        #expect(revocation.formValue("token_type_hint") == "refresh_token")
        // A code, two access tokens, and this is the second refresh token.
        #expect(revocation.formValue("token") == "secret-refresh-5")
        #expect(try await world.store.load(session.account) == nil)
    }

    @Test("Disconnecting revokes tokens that could not be saved", .covers(115, 122))
    func disconnectUnsaved() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let old = session.refreshTokenText
        world.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        try await session.disconnect()
        let revoked = try #require(world.network.requests("/revoke").first?.formValue("token"))
        #expect(revoked != old)
        #expect(revoked.hasPrefix("secret-refresh-"))
    }

    @Test("Without a refresh token the access token is revoked")
    func disconnectWithoutRefreshToken() async throws {
        var options = ScriptedProvider.Options()
        options.givesRefreshTokens = false
        let world = try World(options)
        let session = try await world.session()
        let token = try await session.accessToken().text
        try await session.disconnect()
        #expect(world.network.requests("/revoke").map { $0.formValue("token") } == [token])
    }

    @Test(
        "A revocation that fails is told, and the session is forgotten here all the same",
        .covers(122),
        arguments: [
            { _ in .status(.serviceUnavailable) }, { _ in throw TransportError(.cannotConnect) },
        ] as [ScriptedProvider.Script]
    )
    func failedRevocation(script: @escaping ScriptedProvider.Script) async throws {
        let world = try World()
        let session = try await world.session()
        world.network.intercept("/revoke", script)
        await #expect {
            try await session.disconnect()
        } throws: { error in
            (error as? any ErrorGuidance)?.isRetryable == true
        }
        #expect(session.ended?.code == .signedOut)
        #expect(try await world.store.load(session.account) == nil)
    }

    @Test("Without a revocation endpoint nothing is done", .covers(10))
    func noEndpoint() async throws {
        var options = ScriptedProvider.Options()
        options.missingMetadata = ["revocation_endpoint"]
        let world = try World(options)
        let session = try await world.session()
        await #expect { try await session.disconnect() } throws: { ProtocolViolationError.Rule.missingMetadata ~= $0 }
        #expect(session.ended == nil)
        _ = try await session.accessToken()
        #expect(try await world.signIn.restore() === session)
    }

    @Test("Signing in again after an end brings the same session back to life, with events")
    func revival() async throws {
        let world = try World()
        let session = try await world.session()
        try await session.signOut()
        var finished = session.events().makeAsyncIterator()
        #expect(await finished.next() == nil)
        let again = try await world.session()
        #expect(again === session)
        #expect(session.ended == nil)
        let token = try await session.accessToken()
        var events = session.events().makeAsyncIterator()
        world.expire()
        #expect(try await session.accessToken() != token)
        guard case .refreshed = await events.next() else {
            Issue.record("no event")
            return
        }
    }

    @Test(
        "A refresh that is refused while the person signs in again does not end the new session",
        .covers(114),
        arguments: 0..<20
    )
    func refusalBesideSignIn(_ round: Int) async throws {
        let world = try World()
        let session = try await world.staleSession()
        world.network.revokeEverything()
        async let refused = Crowd.results(5) { try await session.accessToken().text }
        async let again = world.session()
        _ = await refused
        #expect(try await again === session)
        #expect(session.ended == nil)
        _ = try await session.accessToken()
        #expect(try await world.store.load(session.account) == session.record)
    }
}
