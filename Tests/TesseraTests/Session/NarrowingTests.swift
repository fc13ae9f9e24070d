// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Access tokens with narrowed scopes")
struct NarrowingTests {
    @Test(
        "Saves the new refresh token first, and does not save the narrowed access token",
        .covers(115)
    )
    func saved() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let before = session.record
        let narrowed = try #require(try await session.narrowed(to: [.email]))
        let stored = try #require(try await environment.store.load(session.account))
        #expect(stored == session.record)
        #expect(stored.tokens?.accessToken == before.tokens?.accessToken)
        #expect(stored.tokens?.accessToken != narrowed.token.token.secret)
        #expect(stored.tokens?.refreshToken != before.tokens?.refreshToken)
        #expect(stored.tokens?.expiresAt == before.tokens?.expiresAt)
        #expect(stored.generation == before.generation + 1)
        #expect(stored.refreshMark == nil)
        #expect(environment.network.refreshes.map { $0.formValue("scope") } == ["email"])
    }

    @Test("Returns no narrowed token if saving fails, and saves the refresh token at the next call", .covers(115))
    func unsaved() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.narrowed(to: [.email]) }
        environment.store.before(.save, nil)
        environment.expire()
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.count == 2)
        #expect(session.ended == nil)
    }

    @Test("Leaves the refresh mark if the response with a narrowed token is lost", .covers(114))
    func interrupted() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        environment.tokenEndpoint { _ in throw TransportError(.connectionLost) }
        await #expect(throws: TransportError.self) { try await session.narrowed(to: [.email]) }
        #expect(try await environment.store.load(session.account)?.refreshMark != nil)
        environment.tokenEndpoint(nil)
        environment.network.revokeEverything()
        environment.expire()
        await #expect { try await session.accessToken() } throws: { SessionEndedError.Code.interrupted ~= $0 }
    }

    @Test(
        "Keeps the session and removes the refresh mark if the provider rejects narrowed scopes",
        .covers(114),
        arguments: ["invalid_scope", "invalid_grant"]
    )
    func refused(_ code: String) async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        environment.tokenEndpoint { _ in .json("{\"error\": \"\(code)\"}", status: .badRequest) }
        let narrowed = try await session.narrowed(to: [.email])
        #expect(narrowed == nil)
        #expect(try await environment.store.load(session.account)?.refreshMark == nil)
        environment.tokenEndpoint(nil)
        environment.expire()
        _ = try await session.accessToken()
    }

    @Test("Returns no narrowed token for a session that was signed out elsewhere")
    func signedOut() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        try await environment.store.remove(session.account)
        await #expect { try await session.narrowed(to: [.email]) } throws: { SessionEndedError.Code.signedOut ~= $0 }
        #expect(session.ended != nil)
        #expect(environment.network.refreshes.isEmpty)
    }
}
