// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Sign-out")
struct SignOutTests {
    @Test("Removes the record and ends the session without notifying the provider")
    func signOut() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        try await session.signOut()
        await #expect(throws: SessionEndedError(.signedOut)) { try await session.accessToken() }
        #expect(try await environment.signIn.restore() == nil)
        #expect(try await environment.signIn.accounts().isEmpty)
        #expect(environment.network.requests("/revoke").isEmpty)
        #expect(environment.network.refreshes.isEmpty)
        try await session.signOut()
    }

    @Test("Waits for a running refresh and discards its tokens", .covers(115))
    func duringRefresh() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let gate = environment.holdTokenEndpoint()
        let caller = Task { try await session.accessToken() }
        await gate.waitForArrival()
        let isSignedOut = SharedValue<Bool>()
        let removal = Gate()
        environment.store.before(.update) { removal.open() }
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
        #expect(try await environment.store.load(session.account) == nil)
        await #expect(throws: SessionEndedError(.signedOut)) { try await session.accessToken() }
        #expect(environment.network.refreshes.count == 1)
    }

    @Test(
        "Keeps the record of a new consent that completes while a sign-out waits for the lock",
        arguments: Removal.allCases
    )
    func consentDuringRemoval(_ removal: Removal) async throws {
        let environment = try TestEnvironment()
        let account = try await environment.session().account
        let session = removal == .allWithoutSession ? nil : try await environment.signIn.restore()
        let saving = Gate()
        environment.store.before(.save) { await saving.pass() }
        let consent = Task { try await environment.session() }
        await saving.waitForArrival()
        let waiting = Gate()
        for operation in [WatchedStore.Operation.update, .remove] {
            environment.store.before(operation) { waiting.open() }
        }
        let signOut = Task { try await removal.run(session, environment.signIn) }
        await waiting.pass()
        saving.open()
        let revived = try await consent.value
        try await signOut.value
        #expect(revived.ended == nil)
        #expect(try await environment.store.load(account) == revived.record)
        #expect(environment.network.requests("/revoke").isEmpty)
        environment.expire()
        _ = try await revived.accessToken()
    }

    @Test(
        "Does not revive a session whose sign-out waits for the lock behind additional scopes",
        arguments: [false, true]
    )
    func scopesDuringRemoval(isDisconnection: Bool) async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let (isHeld, release) = (Gate(), Gate())
        let holder = Task {
            try await environment.store.update(session.account) { _ in
                isHeld.open()
                await release.pass()
            }
        }
        await isHeld.pass()
        let waiting = SharedValue<Int>()
        let (adds, signsOut) = (Gate(), Gate())
        environment.store.before(.update) {
            waiting.value = (waiting.value ?? 0) + 1
            (waiting.value == 1 ? adds : signsOut).open()
        }
        let consent = Task { try await environment.signIn.addScopes([TestEnvironment.drive], to: session) }
        await adds.pass()
        let signOut = Task {
            if isDisconnection { _ = try await session.disconnect() } else { try await session.signOut() }
        }
        await signsOut.pass()
        release.open()
        try await holder.value
        await #expect(throws: SessionEndedError(.signedOut)) { try await consent.value }
        try await signOut.value
        #expect(session.ended?.code == .signedOut)
        #expect(try await environment.store.load(session.account) == nil)
    }

    @Test(
        "Keeps the record of another process's consent that completes while a sign-out waits for the lock",
        arguments: Removal.allCases
    )
    func consentElsewhereDuringRemoval(_ removal: Removal) async throws {
        let environment = try TestEnvironment()
        let account = try await environment.session().account
        let session = removal == .allWithoutSession ? nil : try await environment.signIn.restore()
        let other = try environment.sibling()
        let theirs = SharedValue<SessionRecord>()
        environment.store.before(.update) {
            environment.network.clock.advance(by: .seconds(1))
            theirs.value = try await other.session().record
        }
        try await removal.run(session, environment.signIn)
        environment.store.before(.update, nil)
        let newer = try #require(theirs.value)
        #expect(environment.network.requests("/revoke").isEmpty)
        #expect(try await environment.store.load(account) == newer)
        let restored = try #require(try await environment.signIn.restore())
        environment.expire()
        _ = try await restored.accessToken()
        try await restored.signOut()
        #expect(try await environment.store.load(account) == nil)
    }

    @Test(
        "Keeps the record of a new consent that revives another session object of the account",
        arguments: [Removal.session, .disconnection]
    )
    func consentAfterRestoration(_ removal: Removal) async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let saving = Gate()
        environment.store.before(.save) { await saving.pass() }
        let consent = Task { try await environment.session() }
        await saving.waitForArrival()
        let waiting = Gate()
        environment.store.before(.update) { waiting.open() }
        let signOut = Task { try await removal.run(session, environment.signIn) }
        await waiting.pass()
        #expect(try await environment.signIn.restore() == nil)
        let record = try #require(try await environment.store.load(session.account))
        let restored = environment.signIn.session(for: record)
        #expect(restored !== session)
        saving.open()
        let revived = try await consent.value
        try await signOut.value
        #expect(revived === restored)
        #expect(session.ended?.code == .signedOut)
        #expect(try await environment.store.load(session.account) == revived.record)
        environment.expire()
        _ = try await revived.accessToken()
    }

    /// The operation that removes a record.
    enum Removal: CaseIterable, Sendable {
        case session, disconnection, all, allWithoutSession

        func run(_ session: OAuthSession?, _ signIn: SignIn) async throws {
            switch self {
            case .session: try await session?.signOut()
            case .disconnection: #expect(try await session?.disconnect() == false)
            case .all, .allWithoutSession: try await signIn.signOutAll()
            }
        }
    }

    @Test(
        "Removes the record if the store has no space to begin an update, but not after other errors",
        arguments: [
            (StoreError.Code.full, true), (.busy, false), (.unreachable, false),
        ]
    )
    func unavailableUpdate(_ code: StoreError.Code, isRemoved: Bool) async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        environment.store.fail(.update, code)
        if isRemoved {
            try await session.signOut()
        } else {
            await #expect(throws: StoreError(code, location: "test")) { try await session.signOut() }
        }
        #expect(try await environment.signIn.accounts().isEmpty == isRemoved)
    }

    @Test("Removes a record that the store had lost and that another process's refresh saves again", .covers(115))
    func lostRecord() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let store = environment.store
        try await store.remove(session.account)
        store.before(.update) {
            store.before(.update, nil)
            try await store.update(session.account) { try await $0.save(session.record) }
        }
        try await session.signOut()
        #expect(try await environment.signIn.accounts().isEmpty)
    }

    @Test("Reports a failed removal, ends the session, and allows another attempt")
    func failedRemoval() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        environment.store.fail(.remove, .permissionDenied)
        await #expect(throws: StoreError.self) { try await session.signOut() }
        #expect(session.ended?.code == .signedOut)
        environment.store.before(.remove, nil)
        try await session.signOut()
        #expect(try await environment.signIn.accounts().isEmpty)
    }

    @Test("Revokes the newest refresh token, even that of a running refresh", .covers(122))
    func disconnect() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let gate = environment.holdTokenEndpoint()
        let caller = Task { try await session.accessToken() }
        await gate.waitForArrival()
        let disconnect = Task { try await session.disconnect() }
        gate.open()
        _ = try? await caller.value
        #expect(try await disconnect.value)
        let revocation = try #require(environment.network.requests("/revoke").first)
        #expect(environment.network.requests("/revoke").count == 1)
        #expect(revocation.formValue("token_type_hint") == "refresh_token")
        // The provider numbers its secrets: one code, two access tokens and two refresh tokens.
        #expect(revocation.formValue("token") == "secret-refresh-5")
        #expect(try await environment.store.load(session.account) == nil)
    }

    @Test(
        "Does not restore a session while it is being disconnected or signed out",
        .covers(122),
        arguments: [false, true]
    )
    func restoredMeanwhile(disconnects: Bool) async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let gate = disconnects ? environment.hold("/revoke") : Gate()
        if !disconnects { environment.store.before(.remove) { await gate.pass() } }
        let end = Task { if disconnects { try await session.disconnect() } else { try await session.signOut() } }
        await gate.waitForArrival()
        #expect(try await environment.store.load(session.account)?.tokens != nil)
        #expect(try await environment.signIn.restore(session.account) == nil)
        gate.open()
        try await end.value
        #expect(try await environment.signIn.restore(session.account) == nil)
    }

    @Test("Restores a session that could not be removed", .covers(122))
    func restoredAfterFailedRemoval() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        environment.store.fail(.remove, .full)
        await #expect(throws: StoreError.self) { try await session.signOut() }
        #expect(try await environment.signIn.restore(session.account) != nil)
    }

    @Test("Uses tokens that could not be saved in a session that is restored after a failed sign-out", .covers(115))
    func restoredWithUnsavedTokens() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        environment.store.before(.save, nil)
        environment.store.fail(.remove, .full)
        await #expect(throws: StoreError.self) { try await session.signOut() }
        let restored = try #require(try await environment.signIn.restore(session.account))
        #expect(restored !== session)
        _ = try await restored.accessToken()
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Revokes tokens that could not be saved", .covers(115, 122))
    func disconnectUnsaved() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let old = session.refreshTokenText
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        try await session.disconnect()
        let revoked = try #require(environment.network.requests("/revoke").first?.formValue("token"))
        #expect(revoked != old)
        #expect(revoked.hasPrefix("secret-refresh-"))
    }

    @Test("Reports that no token was revoked if the session had ended or was removed elsewhere", .covers(122))
    func nothingToRevoke() async throws {
        let environment = try TestEnvironment()
        let ended = try await environment.staleSession()
        environment.network.revokeEverything()
        await #expect(throws: SessionEndedError.self) { try await ended.accessToken() }
        #expect(try await ended.disconnect() == false)
        #expect(try await environment.store.load(ended.account) == nil)
        let removed = try await environment.session()
        try await environment.store.remove(removed.account)
        #expect(try await removed.disconnect() == false)
        #expect(environment.network.requests("/revoke").isEmpty)
    }

    @Test("Revokes the access token if there is no refresh token")
    func disconnectWithoutRefreshToken() async throws {
        var options = ScriptedProvider.Options()
        options.issuesRefreshTokens = false
        let environment = try TestEnvironment(options)
        let session = try await environment.session()
        let token = try await session.accessToken().text
        try await session.disconnect()
        #expect(environment.network.requests("/revoke").map { $0.formValue("token") } == [token])
    }

    @Test(
        "Reports a failed revocation, and still removes the session",
        .covers(122),
        arguments: [
            { _ in .status(.serviceUnavailable) }, { _ in throw TransportError(.cannotConnect) },
        ] as [ScriptedProvider.Script]
    )
    func failedRevocation(script: @escaping ScriptedProvider.Script) async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        environment.network.intercept("/revoke", script)
        await #expect {
            try await session.disconnect()
        } throws: { error in
            (error as? any ErrorGuidance)?.isRetryable == true
        }
        #expect(session.ended?.code == .signedOut)
        #expect(try await environment.store.load(session.account) == nil)
    }

    @Test("Keeps the session if the provider has no revocation endpoint", .covers(10))
    func noEndpoint() async throws {
        var options = ScriptedProvider.Options()
        options.missingMetadata = ["revocation_endpoint"]
        let environment = try TestEnvironment(options)
        let session = try await environment.session()
        await #expect { try await session.disconnect() } throws: { ProtocolViolationError.Rule.missingMetadata ~= $0 }
        #expect(session.ended == nil)
        _ = try await session.accessToken()
        #expect(try await environment.signIn.restore() === session)
    }

    @Test("Revives the session object when the user signs in again")
    func revival() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        try await session.signOut()
        var finished = session.events().makeAsyncIterator()
        #expect(await finished.next() == nil)
        let again = try await environment.session()
        #expect(again === session)
        #expect(session.ended == nil)
        let token = try await session.accessToken()
        var events = session.events().makeAsyncIterator()
        environment.expire()
        #expect(try await session.accessToken() != token)
        guard case .refreshed = await events.next() else {
            Issue.record("no refreshed event")
            return
        }
    }

    @Test(
        "Keeps the new session if a refresh is rejected during the sign-in",
        .covers(114),
        arguments: 0..<20
    )
    func rejectionDuringSignIn(_ round: Int) async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.network.revokeEverything()
        async let rejected = ConcurrentTasks.results(5) { try await session.accessToken().text }
        async let again = environment.session()
        _ = await rejected
        #expect(try await again === session)
        #expect(session.ended == nil)
        _ = try await session.accessToken()
        #expect(try await environment.store.load(session.account) == session.record)
    }
}
