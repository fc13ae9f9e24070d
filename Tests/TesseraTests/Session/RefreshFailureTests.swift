// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Refreshes that fail")
struct RefreshFailureTests {
    static let passing: [(String, ScriptedProvider.Script)] = [
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
        "Neither network nor provider in trouble ends a session; the next call tries again",
        .covers(73, 114),
        arguments: passing
    )
    func trouble(_ name: String, _ script: @escaping ScriptedProvider.Script) async throws {
        let world = try World()
        let session = try await world.staleSession()
        world.tokenEndpoint(script)
        await #expect(throws: (any Error).self) { try await session.accessToken() }
        await #expect(throws: (any Error).self) { try await session.accessToken() }
        #expect(session.ended == nil)
        #expect(world.store.count(.save) == 1)
        #expect(world.network.requests.allSatisfy { $0.head.authority == "id.example" })
        world.tokenEndpoint(nil)
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count == 3)
    }

    @Test("A provider that never answers is given up after a minute, and the session stays", .covers(15, 114))
    func silence() async throws {
        let world = try World()
        let session = try await world.staleSession()
        world.tokenEndpoint { _ in
            try await world.network.clock.sleep(for: .seconds(1_000_000))
            return nil
        }
        let task = Task { try await session.accessToken() }
        await world.network.clock.sleeperCount(reaches: 2)
        world.network.clock.advance(by: .seconds(60))
        await #expect { try await task.value } throws: { TransportError.Code.timedOut ~= $0 }
        #expect(session.ended == nil)
        world.tokenEndpoint(nil)
        _ = try await session.accessToken()
    }

    @Test("invalid_grant ends the session once, says why once, and closes the record once", .covers(114))
    func refusal() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let events = session.events()
        world.network.revokeEverything()
        let results = await Crowd.results(50) { try await session.accessToken().text }
        for result in results {
            #expect { try result.get() } throws: { SessionEndedError.Code.refused ~= $0 }
        }
        #expect(world.network.refreshes.count == 1)
        #expect(world.store.count(.save) == 2)
        var seen: [SessionEvent] = []
        for await event in events { seen.append(event) }
        #expect(seen.count == 1)
        guard case .ended(let end)? = seen.first else {
            Issue.record("no end")
            return
        }
        #expect(end.code == .refused)
        #expect(end.cause?.code == .invalidGrant)
        let record = try #require(try await world.store.load(session.account))
        #expect(record.tokens == nil)
        #expect(record.history.endReason == "refused")
        #expect(record.history.endedAt != nil)
        #expect(try await world.signIn.restore() == nil)
        await #expect(throws: SessionEndedError.self) { try await session.accessToken() }
        await #expect(throws: SessionEndedError.self) { try await session.refresh() }
        await #expect(throws: SessionEndedError.self) { try await world.signIn.addScopes([World.drive], to: session) }
        #expect(world.network.refreshes.count == 1)
    }

    @Test("The end is final even when the store cannot write it down", .covers(114))
    func refusalOnFullDisk() async throws {
        let world = try World()
        let session = try await world.staleSession()
        world.network.revokeEverything()
        world.store.fail(.save, .full)
        await #expect(throws: SessionEndedError.self) { try await session.accessToken() }
        await #expect(throws: SessionEndedError.self) { try await session.accessToken() }
        #expect(world.network.refreshes.count == 1)
    }

    @Test("New tokens are saved before any caller sees them", .covers(115))
    func savedFirst() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let old = session.record
        let gate = Gate()
        world.store.before(.save) { await gate.pass() }
        let isDone = Sent<Bool>()
        let task = Task {
            let token = try await session.accessToken()
            isDone.value = true
            return token
        }
        await gate.arrival()
        #expect(session.record == old)
        #expect(isDone.value == nil)
        gate.open()
        let token = try await task.value
        #expect(try await world.store.load(session.account)?.tokens?.accessToken == token.secret)
    }

    @Test(
        "A save that fails gives callers the store's error; the next call saves first, and the old refresh token rests",
        .covers(115)
    )
    func failedSave() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let old = try #require(session.refreshTokenText)
        world.store.fail(.save, .full)
        let results = await Crowd.results(20) { try await session.accessToken().text }
        for result in results { #expect { try result.get() } throws: { StoreError.Code.full ~= $0 } }
        #expect(world.network.refreshes.count == 1)
        #expect(session.refreshTokenText == old)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        #expect(world.network.refreshes.count == 1)
        world.store.before(.save, nil)
        let token = try await session.accessToken()
        #expect(world.network.refreshes.count == 1)
        #expect(try await world.store.load(session.account)?.tokens?.accessToken == token.secret)
        world.expire()
        _ = try await session.accessToken()
        #expect(world.network.refreshes.compactMap { $0.formValue("refresh_token") }.filter { $0 == old }.count == 1)
    }

    @Test("Tokens that could not be saved do not bring back a session that another process signed out", .covers(115))
    func unsavedAfterSignOut() async throws {
        let world = try World()
        let session = try await world.staleSession()
        world.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        let other = try world.sibling()
        try await #require(try await other.signIn.restore()).signOut()
        world.store.before(.save, nil)
        await #expect(throws: SessionEndedError(.signedOut)) { try await session.accessToken() }
        #expect(try await world.store.load(session.account) == nil)
    }

    @Test(
        "Tokens that could not be saved do not replace a newer consent, and come back after a refusal of the old ones",
        .covers(115)
    )
    func unsavedAfterOthers() async throws {
        let world = try World()
        let session = try await world.staleSession()
        world.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        // Another process sends the replaced refresh token, is refused, and closes the record.
        let other = try world.sibling()
        other.tokenEndpoint { _ in .json(#"{"error": "invalid_grant"}"#, status: .badRequest) }
        await #expect(throws: SessionEndedError.self) { try await other.signIn.restore()?.accessToken() }
        other.tokenEndpoint(nil)
        world.store.before(.save, nil)
        let token = try await session.accessToken()
        #expect(try await world.store.load(session.account)?.tokens?.accessToken == token.secret)

        world.expire()
        world.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        world.store.before(.save, nil)
        let newer = try await other.session([.openID, World.drive])
        #expect(try await session.accessToken() == newer.accessToken())
        #expect(session.grant.contains(World.drive))
    }

    @Test("Tokens that could not be saved do not undo that the account was selected meanwhile", .covers(115))
    func unsavedAfterSelection() async throws {
        let world = try World()
        let session = try await world.staleSession()
        world.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        try await world.sibling().signIn.select(session.account)
        let selectedAt = try #require(try await world.store.load(session.account)?.history.selectedAt)
        world.store.before(.save, nil)
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count == 1)
        #expect(try await world.store.load(session.account)?.history.selectedAt == selectedAt)
    }

    @Test("The mark is made before the request; on a full disk nothing is sent", .covers(115))
    func mark() async throws {
        let world = try World()
        let session = try await world.staleSession()
        world.store.before(.mark) { #expect(world.network.refreshes.isEmpty) }
        world.store.fail(.mark, .full)
        await #expect(throws: StoreError(.full, place: "test")) { try await session.accessToken() }
        #expect(world.network.refreshes.isEmpty)
        #expect(session.ended == nil)
        world.store.before(.mark) { #expect(world.network.refreshes.isEmpty) }
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count == 1)
        #expect(try await world.store.load(session.account)?.refreshMark == nil)
    }

    @Test("A refusal after a refresh whose answer never came says that it was interrupted", .covers(114))
    func interrupted() async throws {
        let world = try World()
        let session = try await world.staleSession()
        world.tokenEndpoint { _ in throw TransportError(.connectionLost) }
        await #expect(throws: TransportError.self) { try await session.accessToken() }
        #expect(try await world.store.load(session.account)?.refreshMark != nil)
        world.tokenEndpoint(nil)
        world.network.revokeEverything()
        let later = try world.sibling()
        await #expect { try await later.signIn.restore()?.accessToken() } throws: {
            SessionEndedError.Code.interrupted ~= $0
        }
        #expect(try await world.store.load(session.account)?.history.endReason == "interrupted")
    }

    @Test("A provider's own word takes the mark back", .covers(114))
    func unmarked() async throws {
        let world = try World()
        let session = try await world.staleSession()
        world.tokenEndpoint { _ in .json(#"{"error": "temporarily_unavailable"}"#, status: .serviceUnavailable) }
        await #expect(throws: OAuthError.self) { try await session.accessToken() }
        #expect(try await world.store.load(session.account)?.refreshMark == nil)
        world.tokenEndpoint(nil)
        world.network.revokeEverything()
        await #expect { try await session.accessToken() } throws: { SessionEndedError.Code.refused ~= $0 }
    }

    @Test(
        "What a later failure says takes no mark of an earlier refresh back: nobody has heard of that one yet",
        .covers(114),
        arguments: [
            { _ in throw TransportError(.cannotConnect) },
            { _ in .json(#"{"error": "temporarily_unavailable"}"#, status: .serviceUnavailable) },
        ] as [ScriptedProvider.Script]
    )
    func marked(_ trouble: @escaping ScriptedProvider.Script) async throws {
        let world = try World()
        let session = try await world.staleSession()
        world.tokenEndpoint { _ in throw TransportError(.connectionLost) }
        await #expect(throws: TransportError.self) { try await session.accessToken() }
        let mark = try await world.store.load(session.account)?.refreshMark
        world.tokenEndpoint(trouble)
        let later = try #require(try await world.sibling().signIn.restore())
        await #expect(throws: (any Error).self) { try await later.accessToken() }
        #expect(try await world.store.load(session.account)?.refreshMark == mark)
        world.tokenEndpoint(nil)
        world.network.revokeEverything()
        await #expect { try await later.accessToken() } throws: { SessionEndedError.Code.interrupted ~= $0 }
    }

    @Test("A record that cannot be read is an error of the store and keeps the session", .covers(119))
    func unreadable() async throws {
        let world = try World()
        let session = try await world.staleSession()
        world.store.fail(.entryLoad, .corrupt)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        #expect(world.network.refreshes.isEmpty)
        #expect(session.ended == nil)
    }
}
