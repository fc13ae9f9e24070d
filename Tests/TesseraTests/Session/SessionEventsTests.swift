// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Session events")
struct SessionEventsTests {
    @Test("Provides each listener with its own stream, which ends with the session")
    func listeners() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let first = session.events()
        try await session.refresh()
        let second = session.events()
        environment.tokenEndpoint { _ in throw TransportError(.timedOut) }
        await #expect(throws: TransportError.self) { try await session.refresh() }
        try await session.signOut()
        try await session.signOut()
        #expect(await Self.names(first) == ["refreshed", "refreshFailed", "ended"])
        #expect(await Self.names(second) == ["refreshFailed", "ended"])
        #expect(await Self.names(session.events()) == [])
    }

    @Test("Buffers the latest 16 events for an idle listener, including the end")
    func bounded() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let idle = session.events()
        for _ in 0..<100 { try await session.refresh() }
        try await session.signOut()
        let names = await Self.names(idle)
        #expect(names.count == 16)
        #expect(names.last == "ended")
    }

    @Test("Emits the end once, as the last event")
    func once() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let streams = (0..<5).map { _ in session.events() }
        environment.network.revokeEverything()
        async let rejected = ConcurrentTasks.results(20) { try await session.accessToken().text }
        async let signedOut: [Result<String, any Error>] = ConcurrentTasks.results(5) {
            try await session.signOut()
            return ""
        }
        _ = await (rejected, signedOut)
        for stream in streams {
            let names = await Self.names(stream)
            #expect(names.filter { $0 == "ended" }.count == 1)
            #expect(names.last == "ended")
        }
    }

    private static func names(_ events: AsyncStream<SessionEvent>) async -> [String] {
        var names: [String] = []
        for await event in events {
            switch event {
            case .refreshed: names.append("refreshed")
            case .adopted: names.append("adopted")
            case .scopesChanged: names.append("grantChanged")
            case .refreshFailed: names.append("refreshFailed")
            case .ended: names.append("ended")
            }
        }
        return names
    }
}
