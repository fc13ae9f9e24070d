// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Tokens for some of a session's scopes")
struct NarrowingTests {
    @Test(
        "The refresh token that came with one is saved before anybody sees it, and no token of it is in the record",
        .covers(115)
    )
    func saved() async throws {
        let world = try World()
        let session = try await world.session()
        let before = session.record
        let narrowed = try #require(try await session.narrowed(to: [.email]))
        let stored = try #require(try await world.store.load(session.account))
        #expect(stored == session.record)
        #expect(stored.tokens?.accessToken == before.tokens?.accessToken)
        #expect(stored.tokens?.accessToken != narrowed.token.token.secret)
        #expect(stored.tokens?.refreshToken != before.tokens?.refreshToken)
        #expect(stored.tokens?.expiresAt == before.tokens?.expiresAt)
        #expect(stored.generation == before.generation + 1)
        #expect(stored.refreshMark == nil)
        #expect(world.network.refreshes.map { $0.formValue("scope") } == ["email"])
    }

    @Test("A store that fails then gives no token, and what came is saved first by the next call", .covers(115))
    func unsaved() async throws {
        let world = try World()
        let session = try await world.session()
        world.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.narrowed(to: [.email]) }
        world.store.before(.save, nil)
        world.expire()
        _ = try await session.accessToken()
        #expect(world.network.refreshes.count == 2)
        #expect(session.ended == nil)
    }

    @Test("An answer that never came leaves its mark", .covers(114))
    func interrupted() async throws {
        let world = try World()
        let session = try await world.session()
        world.tokenEndpoint { _ in throw TransportError(.connectionLost) }
        await #expect(throws: TransportError.self) { try await session.narrowed(to: [.email]) }
        #expect(try await world.store.load(session.account)?.refreshMark != nil)
        world.tokenEndpoint(nil)
        world.network.revokeEverything()
        world.expire()
        await #expect { try await session.accessToken() } throws: { SessionEndedError.Code.interrupted ~= $0 }
    }

    @Test(
        "A provider that refuses ends nothing, and takes the mark back",
        .covers(114),
        arguments: ["invalid_scope", "invalid_grant"]
    )
    func refused(_ code: String) async throws {
        let world = try World()
        let session = try await world.session()
        world.tokenEndpoint { _ in .json("{\"error\": \"\(code)\"}", status: .badRequest) }
        let narrowed = try await session.narrowed(to: [.email])
        #expect(narrowed == nil)
        #expect(try await world.store.load(session.account)?.refreshMark == nil)
        world.tokenEndpoint(nil)
        world.expire()
        _ = try await session.accessToken()
    }

    @Test("Who signed out elsewhere gets none")
    func signedOut() async throws {
        let world = try World()
        let session = try await world.session()
        try await world.store.remove(session.account)
        await #expect { try await session.narrowed(to: [.email]) } throws: { SessionEndedError.Code.signedOut ~= $0 }
        #expect(session.ended != nil)
        #expect(world.network.refreshes.isEmpty)
    }
}
