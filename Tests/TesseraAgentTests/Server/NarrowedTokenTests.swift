// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraAgent
internal import TesseraJSON
internal import TesseraTesting
internal import Testing

@Suite("Tokens for some of the scopes", .timeLimit(.minutes(1)))
struct NarrowedTokenTests {
    private static let narrow = AgentTokenRequest(scopes: [.email], isNarrow: true)

    private static var options: ScriptedProvider.Options {
        var options = ScriptedProvider.Options()
        options.narrowsTokens = true
        return options
    }

    @Test(
        "It is asked for once however many want it, the audit says it, and the session keeps its own token and goes on"
    )
    func narrowed() async throws {
        try await AgentWorld.withAgent(Self.options) { world, client in
            let whole = try await client.token()
            #expect(world.line?["narrowed"]?.bool == false)
            let tokens = try await withThrowingTaskGroup(of: AgentToken.self) { group in
                for _ in 0..<16 { group.addTask { try await world.client.token(Self.narrow) } }
                return try await group.reduce(into: Set<AgentToken>()) { $0.insert($1) }
            }
            let token = try #require(tokens.first)
            #expect(tokens.count == 1)
            #expect(token.accessToken != whole.accessToken)
            #expect(token.scopes == [.email])
            #expect(Set(token.account.grantedScopes) == [.openID, .email])
            #expect(world.network.refreshes.map { $0.formValue("scope") } == ["email"])
            #expect(world.line?["narrowed"]?.bool == true)
            #expect(world.line?["given"]?.string == "email")
            #expect(try await client.token().accessToken == whole.accessToken)
            // The provider replaced the refresh token: with the old one the session would end here.
            world.expire()
            #expect(Set(try await client.token().scopes) == [.openID, .email])
            let next = try await client.token(Self.narrow)
            #expect(next.accessToken != token.accessToken)
            #expect(next.scopes == [.email])
            #expect(world.network.refreshes.map { $0.formValue("scope") } == ["email", nil, "email"])
        }
    }

    @Test("Each choice of scopes has its token; all of them is the session's own")
    func choices() async throws {
        try await AgentWorld.withAgent(Self.options) { world, client in
            let email = try await client.token(Self.narrow)
            let openID = try await client.token(AgentTokenRequest(scopes: [.openID], isNarrow: true))
            let all = try await client.token(AgentTokenRequest(scopes: [.email, .openID], isNarrow: true))
            #expect(Set([email, openID, all].map(\.accessToken)).count == 3)
            #expect(openID.scopes == [.openID])
            #expect(world.network.refreshes.count == 2)
            #expect(try await client.token().accessToken == all.accessToken)
        }
    }

    @Test(
        "Where the provider passes the wish over, or does not say what it gave, no token counts as narrowed",
        arguments: [true, false]
    )
    func ignored(tellsScopes: Bool) async throws {
        var options = ScriptedProvider.Options()
        options.tellsScopes = tellsScopes
        try await AgentWorld.withAgent(options) { world, client in
            let token = try await client.token(Self.narrow)
            #expect(Set(token.scopes) == [.openID, .email])
            #expect(world.line?["narrowed"]?.bool == false)
            #expect(try await client.token(Self.narrow) == token)
            #expect(world.network.refreshes.count == 1)
        }
    }

    @Test(
        "Where the provider refuses it, the token is the session's own, and it is not asked again",
        arguments: ["invalid_scope", "invalid_grant"]
    )
    func refusedByProvider(code: String) async throws {
        try await AgentWorld.withAgent { world, client in
            let whole = try await client.token()
            world.network.intercept("/token") { request in
                request.formValue("scope").map { _ in .json("{\"error\": \"\(code)\"}", status: .badRequest) }
            }
            for _ in 0..<3 {
                let token = try await client.token(Self.narrow)
                #expect(token.accessToken == whole.accessToken)
                #expect(Set(token.scopes) == [.openID, .email])
                #expect(world.line?["narrowed"]?.bool == false)
            }
            #expect(world.network.refreshes.count == 1)
            world.expire()
            #expect(try await client.token().accessToken != whole.accessToken)
        }
    }

    @Test("One that an API refuses is replaced, once; a provider that is down is no end of the session")
    func refusedByAPI() async throws {
        try await AgentWorld.withAgent(Self.options) { world, client in
            let first = try await client.token(Self.narrow).accessToken
            var refusal = Self.narrow
            refusal.refusedToken = first
            world.network.clock.advance(by: .seconds(60))
            let second = try await client.token(refusal).accessToken
            #expect(second != first)
            #expect(try await client.token(refusal).accessToken == second)
            refusal.refusedToken = second
            #expect(try await client.token(refusal).accessToken == second)
            #expect(world.network.refreshes.count == 2)
            world.expire()
            world.network.intercept("/token") { _ in .status(.serviceUnavailable) }
            await #expect { try await client.token(Self.narrow) } throws: {
                AgentError.Code.temporarilyUnavailable ~= $0
            }
        }
    }

    @Test("After a new consent the tokens of before serve nobody")
    func newConsent() async throws {
        try await AgentWorld.withAgent(Self.options) { world, client in
            let first = try await client.token(Self.narrow).accessToken
            world.network.clock.advance(by: .seconds(5))
            _ = try await world.sibling().signIn(scopes: [.openID, .email])
            #expect(try await client.token(Self.narrow).accessToken != first)
        }
    }

    @Test("A source of a program that wants no more than it needs gets no more")
    func source() async throws {
        try await AgentWorld.withAgent(Self.options) { world, client in
            let source = try await AgentTokenSource.connect(scopes: [.email], isNarrow: true, client: client)
            _ = try await source.accessToken()
            #expect(world.lines.count == 1)
            #expect(world.line?["given"]?.string == "email")
            await #expect { try await client.token(AgentTokenRequest(isNarrow: true)) } throws: {
                AgentError.Code.invalidRequest ~= $0
            }
        }
    }
}
