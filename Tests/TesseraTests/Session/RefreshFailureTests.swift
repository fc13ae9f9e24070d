// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Refresh failures")
struct RefreshFailureTests {
    static let transientFailures: [(String, ScriptedProvider.Script)] = [
        ("offline", { _ in throw TransportError(.cannotConnect) }),
        ("no name", { _ in throw TransportError(.nameResolution) }),
        ("lost", { _ in throw TransportError(.connectionLost) }),
        ("500", { _ in .status(.internalServerError) }),
        ("503", { _ in .json(#"{"error": "temporarily_unavailable"}"#, status: .serviceUnavailable) }),
        ("429 with invalid_grant", { _ in .json(#"{"error": "invalid_grant"}"#, status: .tooManyRequests) }),
        ("502 HTML", { _ in .json("<html>", status: .badGateway) }),
        ("302", { _ in .status(.found, headerFields: [.location: "https://evil.example/"]) }),
        ("200 HTML", { _ in .json("<html>") }),
        ("200 and no token", { _ in .json("{}") }),
        ("400 HTML", { _ in .json("<html>", status: .badRequest) }),
        ("invalid_client", { _ in .json(#"{"error": "invalid_client"}"#, status: .unauthorized) }),
        ("strange error", { _ in throw CancellationError() }),
    ]

    @Test(
        "Keeps the session after a transient failure, and retries at the next call",
        .covers(73, 114),
        arguments: transientFailures
    )
    func trouble(_ name: String, _ script: @escaping ScriptedProvider.Script) async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.tokenEndpoint(script)
        await #expect(throws: (any Error).self) { try await session.accessToken() }
        await #expect(throws: (any Error).self) { try await session.accessToken() }
        #expect(session.ended == nil)
        #expect(environment.store.count(.save) == 1)
        #expect(environment.network.requests.allSatisfy { $0.head.authority == "id.example" })
        environment.tokenEndpoint(nil)
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 3)
    }

    @Test("Times out a silent provider after a minute, and keeps the session", .covers(15, 114))
    func silence() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.tokenEndpoint { _ in
            try await environment.network.clock.sleep(for: .seconds(1_000_000))
            return nil
        }
        let task = Task { try await session.accessToken() }
        await environment.network.clock.sleeperCount(reaches: 2)
        environment.network.clock.advance(by: .seconds(60))
        await #expect { try await task.value } throws: { TransportError.Code.timedOut ~= $0 }
        #expect(session.ended == nil)
        environment.tokenEndpoint(nil)
        _ = try await session.accessToken()
    }

    @Test("Ends the session on invalid_grant with one event and one saved reason", .covers(114))
    func refusal() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let events = session.events()
        environment.network.revokeEverything()
        let results = await ConcurrentTasks.results(50) { try await session.accessToken().text }
        for result in results {
            #expect { try result.get() } throws: { SessionEndedError.Code.refused ~= $0 }
        }
        #expect(environment.network.refreshes.count == 1)
        #expect(environment.store.count(.save) == 2)
        var seen: [SessionEvent] = []
        for await event in events { seen.append(event) }
        #expect(seen.count == 1)
        guard case .ended(let end)? = seen.first else {
            Issue.record("no ended event")
            return
        }
        #expect(end.code == .refused)
        #expect(end.cause?.code == .invalidGrant)
        let record = try #require(try await environment.store.load(session.account))
        #expect(record.tokens == nil)
        #expect(record.history.endReason == "refused")
        #expect(record.history.endedAt != nil)
        #expect(try await environment.signIn.restore() == nil)
        await #expect(throws: SessionEndedError.self) { try await session.accessToken() }
        await #expect(throws: SessionEndedError.self) { try await session.refresh() }
        await #expect(throws: SessionEndedError.self) {
            try await environment.signIn.addScopes([TestEnvironment.drive], to: session)
        }
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Ends the session even if the store cannot save the reason", .covers(114))
    func refusalOnFullDisk() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.network.revokeEverything()
        environment.store.fail(.save, .full)
        await #expect(throws: SessionEndedError.self) { try await session.accessToken() }
        await #expect(throws: SessionEndedError.self) { try await session.accessToken() }
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Keeps the session if another process takes the lease before a rejection is saved", .covers(114, 116))
    func refusalWithoutLease() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.network.revokeEverything()
        environment.store.fail(.save, .leaseLost)
        await #expect(throws: StoreError(.leaseLost, location: "test")) { try await session.accessToken() }
        #expect(session.ended == nil)
        environment.store.before(.save, nil)
        let newer = try await environment.sibling().session()
        #expect(try await session.accessToken() == newer.accessToken())
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Saves new tokens before any caller receives them", .covers(115))
    func savedFirst() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let old = session.record
        let gate = Gate()
        environment.store.before(.save) { await gate.pass() }
        let isDone = SharedValue<Bool>()
        let task = Task {
            let token = try await session.accessToken()
            isDone.value = true
            return token
        }
        await gate.waitForArrival()
        #expect(session.record == old)
        #expect(isDone.value == nil)
        gate.open()
        let token = try await task.value
        #expect(try await environment.store.load(session.account)?.tokens?.accessToken == token.secret)
    }

    @Test(
        "Saves pending tokens at the next call, without sending the old refresh token again",
        .covers(115)
    )
    func failedSave() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let old = try #require(session.refreshTokenText)
        environment.store.fail(.save, .full)
        let results = await ConcurrentTasks.results(20) { try await session.accessToken().text }
        for result in results { #expect { try result.get() } throws: { StoreError.Code.full ~= $0 } }
        #expect(environment.network.refreshes.count == 1)
        #expect(session.refreshTokenText == old)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        #expect(environment.network.refreshes.count == 1)
        environment.store.before(.save, nil)
        let token = try await session.accessToken()
        #expect(environment.network.refreshes.count == 1)
        #expect(try await environment.store.load(session.account)?.tokens?.accessToken == token.secret)
        environment.expire()
        _ = try await session.accessToken()
        #expect(
            environment.network.refreshes.compactMap { $0.formValue("refresh_token") }.filter { $0 == old }.count == 1
        )
    }

    @Test("Saves pending tokens even if the program has released the session", .covers(115))
    func releasedSession() async throws {
        let environment = try TestEnvironment()
        let (account, old) = try await {
            let session = try await environment.staleSession()
            environment.store.fail(.save, .full)
            await #expect(throws: StoreError.self) { try await session.accessToken() }
            return (session.account, try #require(session.refreshTokenText))
        }()
        environment.store.before(.save, nil)
        let session = try #require(try await environment.signIn.restore(account))
        let token = try await session.accessToken()
        #expect(environment.network.refreshes.count == 1)
        #expect(session.refreshTokenText != old)
        #expect(try await environment.store.load(account)?.tokens?.accessToken == token.secret)
    }

    @Test("Releases a session although its tokens could not be saved", .covers(115))
    func sessionIsReleased() async throws {
        let environment = try TestEnvironment()
        weak var released: OAuthSession?
        try await {
            let session = try await environment.staleSession()
            environment.store.fail(.save, .full)
            await #expect(throws: StoreError.self) { try await session.accessToken() }
            released = session
        }()
        #expect(released == nil)
    }

    @Test("settle() saves pending tokens before the process exits", .covers(115), arguments: [false, true])
    func settleSavesPendingTokens(isReleased: Bool) async throws {
        let environment = try TestEnvironment()
        var session: OAuthSession? = try await environment.staleSession()
        let account = try #require(session?.account)
        let old = try #require(session?.refreshTokenText)
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session?.accessToken() }
        environment.store.before(.save, nil)
        if isReleased { session = nil }
        await environment.signIn.settle()
        let stored = try #require(try await environment.store.load(account)?.tokens?.refreshToken)
        #expect(stored != Secret(old))
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Does not extend pending tokens when the wall clock is set back", .covers(115, 118))
    func unsavedTokenExpires() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        environment.store.before(.save, nil)
        let clock = environment.network.clock
        clock.advance(by: .seconds(3_700))
        clock.setWallClock(to: clock.date - 3_700)
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 2)
    }

    @Test("Does not extend tokens whose save took effect but failed", .covers(115, 118))
    func savedTokenExpires() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        // With an ID token, the tokens would be saved twice.
        environment.network.options.idTokens = { _, _ in nil }
        environment.store.afterNext(.save) { throw StoreError(.full, location: "test") }
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        let clock = environment.network.clock
        clock.advance(by: .seconds(3_700))
        clock.setWallClock(to: clock.date - 3_700)
        environment.store.fail(.mark, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        environment.store.before(.mark, nil)
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 2)
    }

    @Test("Pending tokens with an invalid ID token do not replace a token in use", .covers(115))
    func pendingInvalidTokens() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let token = try await session.accessToken()
        environment.network.options.idTokens = { [network = environment.network] claims, _ in
            try network.sign(claims.filter { $0.name != "exp" })
        }
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.refresh() }
        environment.store.before(.save, nil)
        environment.tokenEndpoint { _ in throw TransportError(.connectionLost) }
        await #expect(throws: TransportError.self) { try await session.refresh() }
        #expect(try await environment.store.load(session.account)?.tokens?.lifetime == 0)
        #expect(try await session.accessToken() == token)
    }

    @Test("Does not save pending tokens of a session that another process signed out", .covers(115))
    func unsavedAfterSignOut() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        let other = try environment.sibling()
        try await #require(try await other.signIn.restore()).signOut()
        environment.store.before(.save, nil)
        await #expect(throws: SessionEndedError(.signedOut)) { try await session.accessToken() }
        #expect(try await environment.store.load(session.account) == nil)
    }

    @Test(
        "Saves pending tokens over a rejected session, but not over a newer consent",
        .covers(115)
    )
    func unsavedAfterOthers() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        // Another process sends the replaced refresh token. The provider rejects it, and the process closes the record.
        let other = try environment.sibling()
        other.tokenEndpoint { _ in .json(#"{"error": "invalid_grant"}"#, status: .badRequest) }
        await #expect(throws: SessionEndedError.self) { try await other.signIn.restore()?.accessToken() }
        other.tokenEndpoint(nil)
        environment.store.before(.save, nil)
        let token = try await session.accessToken()
        #expect(try await environment.store.load(session.account)?.tokens?.accessToken == token.secret)

        environment.expire()
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        environment.store.before(.save, nil)
        let newer = try await other.session([.openID, TestEnvironment.drive])
        #expect(try await session.accessToken() == newer.accessToken())
        #expect(session.grantedScopes.contains(TestEnvironment.drive))
    }

    @Test("Preserves a concurrent account selection when it saves pending tokens", .covers(115))
    func unsavedAfterSelection() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        try await environment.sibling().signIn.select(session.account)
        let selectedAt = try #require(try await environment.store.load(session.account)?.history.selectedAt)
        environment.store.before(.save, nil)
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 1)
        #expect(try await environment.store.load(session.account)?.history.selectedAt == selectedAt)
    }

    @Test("Marks a refresh before the request, and sends nothing if the disk is full", .covers(115))
    func mark() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.store.before(.mark) { #expect(environment.network.refreshes.isEmpty) }
        environment.store.fail(.mark, .full)
        await #expect(throws: StoreError(.full, location: "test")) { try await session.accessToken() }
        #expect(environment.network.refreshes.isEmpty)
        #expect(session.ended == nil)
        environment.store.before(.mark) { #expect(environment.network.refreshes.isEmpty) }
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 1)
        #expect(try await environment.store.load(session.account)?.refreshMark == nil)
    }

    @Test("Reports an interruption if the provider rejects a token after an unanswered refresh", .covers(114))
    func interrupted() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.tokenEndpoint { _ in throw TransportError(.connectionLost) }
        await #expect(throws: TransportError.self) { try await session.accessToken() }
        #expect(try await environment.store.load(session.account)?.refreshMark != nil)
        environment.tokenEndpoint(nil)
        environment.network.revokeEverything()
        let later = try environment.sibling()
        await #expect { try await later.signIn.restore()?.accessToken() } throws: {
            SessionEndedError.Code.interrupted ~= $0
        }
        #expect(try await environment.store.load(session.account)?.history.endReason == "interrupted")
    }

    @Test("Removes the refresh mark when the provider responds with an error", .covers(114))
    func unmarked() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.tokenEndpoint { _ in .json(#"{"error": "temporarily_unavailable"}"#, status: .serviceUnavailable) }
        await #expect(throws: OAuthError.self) { try await session.accessToken() }
        #expect(try await environment.store.load(session.account)?.refreshMark == nil)
        environment.tokenEndpoint(nil)
        environment.network.revokeEverything()
        await #expect { try await session.accessToken() } throws: { SessionEndedError.Code.refused ~= $0 }
    }

    @Test(
        "Keeps the mark of an earlier refresh when a later one fails",
        .covers(114),
        arguments: [
            { _ in throw TransportError(.cannotConnect) },
            { _ in .json(#"{"error": "temporarily_unavailable"}"#, status: .serviceUnavailable) },
        ] as [ScriptedProvider.Script]
    )
    func marked(_ trouble: @escaping ScriptedProvider.Script) async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.tokenEndpoint { _ in throw TransportError(.connectionLost) }
        await #expect(throws: TransportError.self) { try await session.accessToken() }
        let mark = try await environment.store.load(session.account)?.refreshMark
        environment.tokenEndpoint(trouble)
        let later = try #require(try await environment.sibling().signIn.restore())
        await #expect(throws: (any Error).self) { try await later.accessToken() }
        #expect(try await environment.store.load(session.account)?.refreshMark == mark)
        environment.tokenEndpoint(nil)
        environment.network.revokeEverything()
        await #expect { try await later.accessToken() } throws: { SessionEndedError.Code.interrupted ~= $0 }
    }

    @Test("Fails with a store error and keeps the session if the record is unreadable", .covers(119))
    func unreadable() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        environment.store.fail(.entryLoad, .corrupt)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        #expect(environment.network.refreshes.isEmpty)
        #expect(session.ended == nil)
    }
}
