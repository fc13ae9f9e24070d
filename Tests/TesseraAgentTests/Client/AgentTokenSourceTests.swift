// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraAgent
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Tokens from the agent in a program", .timeLimit(.minutes(1)))
struct AgentTokenSourceTests {
    @Test("A fresh token is given without a question; one that is about to end is asked for anew")
    func freshness() async throws {
        try await AgentWorld.withAgent { world, client in
            let source = try await Self.source(world, client)
            let first = try await source.accessToken()
            for _ in 0..<10 { #expect(try await source.accessToken() == first) }
            #expect(world.lines.count == 1)
            world.network.clock.advance(by: .seconds(3_500))
            #expect(try await source.accessToken() == first)
            #expect(world.lines.count == 1)
            world.expire()
            let tokens = try await withThrowingTaskGroup(of: AccessToken.self) { group in
                for _ in 0..<20 { group.addTask { try await source.accessToken() } }
                return try await group.reduce(into: Set<AccessToken>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(!tokens.contains(first))
            #expect(world.network.refreshes.count == 1)
        }
    }

    @Test("An authorized call whose token the API refuses is made again with the one that the agent renewed")
    func fetcher() async throws {
        try await AgentWorld.withAgent { world, client in
            let source = try await Self.source(world, client)
            let fetcher = AuthorizedFetcher(source, transport: world.network)
            let request = try HTTPRequest(url: ScriptedProvider.api + "/things")
            #expect(try await fetcher.send(request, body: nil).0.status == .ok)
            world.network.clock.advance(by: .seconds(60))
            world.network.invalidateAccessTokens()
            #expect(try await fetcher.send(request, body: nil).0.status == .ok)
            #expect(world.network.refreshes.count == 1)
            let elsewhere = try HTTPRequest(url: "https://elsewhere.example/")
            await #expect(throws: UnauthorizedOriginError.self) { try await fetcher.send(elsewhere, body: nil) }
        }
    }

    @Test("It stays with the account that it began with")
    func pinned() async throws {
        try await AgentWorld.withAgent { world, client in
            let source = try await Self.source(world, client)
            let record = try #require(try await world.records().first)
            try await world.store.remove(record.account)
            var other = record
            other.account = Account(issuer: record.account.issuer, clientID: record.account.clientID, subject: "other")
            try await world.store.update(other.account) { [other] entry in try await entry.save(other) }
            world.expire()
            await #expect { try await source.accessToken() } throws: { AgentError.Code.loginRequired ~= $0 }
            #expect(try await client.token().account.account.subject == "other")
        }
    }

    @Test("Who leaves does not end the question for the others")
    func cancellation() async throws {
        try await AgentWorld.withAgent { world, client in
            let source = try await Self.source(world, client)
            world.expire()
            let gate = Gate()
            world.network.intercept("/token") { _ in
                await gate.pass()
                return nil
            }
            let leaving = Task { try await source.accessToken() }
            await gate.arrival()
            leaving.cancel()
            await #expect(throws: CancellationError.self) { try await leaving.value }
            let staying = Task { try await source.accessToken() }
            gate.open()
            _ = try await staying.value
            #expect(world.network.refreshes.count == 1)
        }
    }

    private static func source(_ world: AgentWorld, _ client: AgentClient) async throws -> AgentTokenSource {
        try await AgentTokenSource.connect(
            AgentTokenRequest(),
            client: client,
            uptime: world.network.clock.uptime
        )
    }
}
