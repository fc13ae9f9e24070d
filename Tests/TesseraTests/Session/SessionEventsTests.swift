// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Events")
struct SessionEventsTests {
    @Test("Each listener has a stream of its own, which begins when it asks and ends with the session")
    func listeners() async throws {
        let world = try World()
        let session = try await world.session()
        let first = session.events()
        try await session.refresh()
        let second = session.events()
        world.tokenEndpoint { _ in throw TransportError(.timedOut) }
        await #expect(throws: TransportError.self) { try await session.refresh() }
        try await session.signOut()
        try await session.signOut()
        #expect(await Self.names(first) == ["refreshed", "refreshFailed", "ended"])
        #expect(await Self.names(second) == ["refreshFailed", "ended"])
        #expect(await Self.names(session.events()) == [])
    }

    @Test("A listener that does not listen keeps the newest sixteen, the end among them")
    func bounded() async throws {
        let world = try World()
        let session = try await world.session()
        let idle = session.events()
        for _ in 0..<100 { try await session.refresh() }
        try await session.signOut()
        let names = await Self.names(idle)
        #expect(names.count == 16)
        #expect(names.last == "ended")
    }

    @Test("Nothing follows the end, and it comes once, however many say so")
    func once() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let streams = (0..<5).map { _ in session.events() }
        world.network.revokeEverything()
        async let refused = Crowd.results(20) { try await session.accessToken().text }
        async let signedOut: [Result<String, any Error>] = Crowd.results(5) {
            try await session.signOut()
            return ""
        }
        _ = await (refused, signedOut)
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
            case .grantChanged: names.append("grantChanged")
            case .refreshFailed: names.append("refreshFailed")
            case .ended: names.append("ended")
            }
        }
        return names
    }
}
