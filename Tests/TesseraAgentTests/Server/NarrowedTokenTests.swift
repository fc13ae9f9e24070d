// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraAgent
internal import TesseraJSON
internal import TesseraTesting
internal import Testing

@Suite("Tokens with a subset of the scopes", .timeLimit(.minutes(1)))
struct NarrowedTokenTests {
    private static let narrow = AgentTokenRequest(scopes: [.email], isNarrow: true)

    private static var options: ScriptedProvider.Options {
        var options = ScriptedProvider.Options()
        options.narrowsScopesOnRefresh = true
        return options
    }

    @Test(
        "Requests a narrowed token once for all callers, logs it and keeps the session's own token"
    )
    func narrowed() async throws {
        try await AgentHarness.withAgent(Self.options) { harness, client in
            let full = try await client.token()
            #expect(harness.line?["narrowed"]?.bool == false)
            let tokens = try await withThrowingTaskGroup(of: AgentToken.self) { group in
                for _ in 0..<16 { group.addTask { try await harness.client.token(Self.narrow) } }
                return try await group.reduce(into: Set<AgentToken>()) { $0.insert($1) }
            }
            let token = try #require(tokens.first)
            #expect(tokens.count == 1)
            #expect(token.accessToken != full.accessToken)
            #expect(token.scopes == [.email])
            #expect(Set(token.account.grantedScopes) == [.openID, .email])
            #expect(harness.network.refreshes.map { $0.formValue("scope") } == ["email"])
            #expect(harness.line?["narrowed"]?.bool == true)
            #expect(harness.line?["given"]?.string == "email")
            #expect(try await client.token().accessToken == full.accessToken)
            // The provider replaced the refresh token. With the old one, the session would end here.
            harness.expire()
            #expect(Set(try await client.token().scopes) == [.openID, .email])
            let next = try await client.token(Self.narrow)
            #expect(next.accessToken != token.accessToken)
            #expect(next.scopes == [.email])
            #expect(harness.network.refreshes.map { $0.formValue("scope") } == ["email", nil, "email"])
        }
    }

    @Test("Caches a token per scope selection and uses the session's own token for all scopes")
    func choices() async throws {
        try await AgentHarness.withAgent(Self.options) { harness, client in
            let email = try await client.token(Self.narrow)
            let openID = try await client.token(AgentTokenRequest(scopes: [.openID], isNarrow: true))
            let all = try await client.token(AgentTokenRequest(scopes: [.email, .openID], isNarrow: true))
            #expect(Set([email, openID, all].map(\.accessToken)).count == 3)
            #expect(openID.scopes == [.openID])
            #expect(harness.network.refreshes.count == 2)
            #expect(try await client.token().accessToken == all.accessToken)
        }
    }

    @Test(
        "Does not treat a token as narrowed if the provider ignores the scopes or does not report them",
        arguments: [true, false]
    )
    func ignored(includesScopes: Bool) async throws {
        var options = ScriptedProvider.Options()
        options.includesScopes = includesScopes
        try await AgentHarness.withAgent(options) { harness, client in
            let token = try await client.token(Self.narrow)
            #expect(Set(token.scopes) == [.openID, .email])
            #expect(harness.line?["narrowed"]?.bool == false)
            #expect(try await client.token(Self.narrow) == token)
            #expect(harness.network.refreshes.count == 1)
        }
    }

    @Test(
        "Uses the session's own token if the provider rejects narrowing, and does not try again",
        arguments: ["invalid_scope", "invalid_grant"]
    )
    func refusedByProvider(code: String) async throws {
        try await AgentHarness.withAgent { harness, client in
            let full = try await client.token()
            harness.network.intercept("/token") { request in
                request.formValue("scope").map { _ in .json("{\"error\": \"\(code)\"}", status: .badRequest) }
            }
            for _ in 0..<3 {
                let token = try await client.token(Self.narrow)
                #expect(token.accessToken == full.accessToken)
                #expect(Set(token.scopes) == [.openID, .email])
                #expect(harness.line?["narrowed"]?.bool == false)
            }
            #expect(harness.network.refreshes.count == 1)
            harness.expire()
            #expect(try await client.token().accessToken != full.accessToken)
        }
    }

    @Test("Replaces a rejected narrowed token once and keeps the session if the provider is unavailable")
    func refusedByAPI() async throws {
        try await AgentHarness.withAgent(Self.options) { harness, client in
            let first = try await client.token(Self.narrow).accessToken
            var refusal = Self.narrow
            refusal.refusedToken = first
            harness.network.clock.advance(by: .seconds(60))
            let second = try await client.token(refusal).accessToken
            #expect(second != first)
            #expect(try await client.token(refusal).accessToken == second)
            refusal.refusedToken = second
            #expect(try await client.token(refusal).accessToken == second)
            #expect(harness.network.refreshes.count == 2)
            harness.expire()
            harness.network.intercept("/token") { _ in .status(.serviceUnavailable) }
            await #expect { try await client.token(Self.narrow) } throws: {
                AgentError.Code.temporarilyUnavailable ~= $0
            }
        }
    }

    @Test("Discards narrowed tokens after a new consent")
    func newConsent() async throws {
        try await AgentHarness.withAgent(Self.options) { harness, client in
            let first = try await client.token(Self.narrow).accessToken
            harness.network.clock.advance(by: .seconds(5))
            _ = try await harness.sibling().signIn(scopes: [.openID, .email])
            #expect(try await client.token(Self.narrow).accessToken != first)
        }
    }

    @Test("A token source with narrowed scopes gets only those scopes")
    func source() async throws {
        try await AgentHarness.withAgent(Self.options) { harness, client in
            let source = try await AgentTokenSource.connect(scopes: [.email], isNarrow: true, client: client)
            _ = try await source.accessToken()
            #expect(harness.lines.count == 1)
            #expect(harness.line?["given"]?.string == "email")
            await #expect { try await client.token(AgentTokenRequest(isNarrow: true)) } throws: {
                AgentError.Code.invalidRequest ~= $0
            }
        }
    }
}
