// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraAgent
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Token source backed by the agent", .timeLimit(.minutes(1)))
struct AgentTokenSourceTests {
    @Test("Caches a fresh token and asks the agent once for a new one when it expires")
    func freshness() async throws {
        try await AgentHarness.withAgent { harness, client in
            let source = try await Self.source(harness, client)
            let first = try await source.accessToken()
            for _ in 0..<10 { #expect(try await source.accessToken() == first) }
            #expect(harness.lines.count == 1)
            harness.network.clock.advance(by: .seconds(3_500))
            #expect(try await source.accessToken() == first)
            #expect(harness.lines.count == 1)
            harness.expire()
            let tokens = try await withThrowingTaskGroup(of: AccessToken.self) { group in
                for _ in 0..<20 { group.addTask { try await source.accessToken() } }
                return try await group.reduce(into: Set<AccessToken>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(!tokens.contains(first))
            #expect(harness.network.refreshes.count == 1)
        }
    }

    @Test("Repeats an authorized call with the agent's renewed token after the API rejects the first one")
    func fetcher() async throws {
        try await AgentHarness.withAgent { harness, client in
            let source = try await Self.source(harness, client)
            let fetcher = AuthorizedFetcher(source, transport: harness.network)
            let request = try HTTPRequest(url: ScriptedProvider.api + "/things")
            #expect(try await fetcher.send(request, body: nil).0.status == .ok)
            harness.network.clock.advance(by: .seconds(60))
            harness.network.invalidateAccessTokens()
            #expect(try await fetcher.send(request, body: nil).0.status == .ok)
            #expect(harness.network.refreshes.count == 1)
            let elsewhere = try HTTPRequest(url: "https://elsewhere.example/")
            await #expect(throws: UnauthorizedOriginError.self) { try await fetcher.send(elsewhere, body: nil) }
        }
    }

    @Test("Keeps using the account it started with")
    func pinned() async throws {
        try await AgentHarness.withAgent { harness, client in
            let source = try await Self.source(harness, client)
            let record = try #require(try await harness.records().first)
            try await harness.store.remove(record.account)
            var other = record
            other.account = Account(issuer: record.account.issuer, clientID: record.account.clientID, subject: "other")
            try await harness.store.update(other.account) { [other] entry in try await entry.save(other) }
            harness.expire()
            await #expect { try await source.accessToken() } throws: { AgentError.Code.loginRequired ~= $0 }
            #expect(try await client.token().account.account.subject == "other")
        }
    }

    @Test("A canceled caller does not cancel the request for other callers")
    func cancellation() async throws {
        try await AgentHarness.withAgent { harness, client in
            let source = try await Self.source(harness, client)
            harness.expire()
            let gate = Gate()
            harness.network.intercept("/token") { _ in
                await gate.pass()
                return nil
            }
            let canceled = Task { try await source.accessToken() }
            await gate.waitForArrival()
            canceled.cancel()
            await #expect(throws: CancellationError.self) { try await canceled.value }
            let remaining = Task { try await source.accessToken() }
            gate.open()
            _ = try await remaining.value
            #expect(harness.network.refreshes.count == 1)
        }
    }

    private static func source(_ harness: AgentHarness, _ client: AgentClient) async throws -> AgentTokenSource {
        try await AgentTokenSource.connect(
            AgentTokenRequest(),
            client: client,
            uptime: harness.network.clock.uptime
        )
    }
}
