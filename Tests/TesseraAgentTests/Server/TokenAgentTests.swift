// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraAgent
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("The token agent", .timeLimit(.minutes(1)))
struct TokenAgentTests {
    @Test("A program gets a token that is valid now, with its end, its scopes and whose it is; no refresh token comes")
    func token() async throws {
        try await AgentWorld.withAgent { world, client in
            let token = try await client.token(AgentTokenRequest(scopes: [.email]))
            let record = try #require(try await world.records().first)
            #expect(token.accessToken == record.tokens?.accessToken)
            #expect(token.expiresIn == 3_600)
            #expect(Set(token.scopes) == [.openID, .email])
            #expect(token.account.account == record.account)
            #expect(token.account.isSignedIn)
            #expect(token.account.authorizedOrigins == record.authorizedOrigins)
            #expect(world.network.refreshes.isEmpty)
        }
    }

    @Test("However many ask at once for a token that has expired, one refresh is sent, and all get what it brings")
    func oneRefresh() async throws {
        try await AgentWorld.withAgent { world, client in
            let stale = try await client.token().accessToken
            world.expire()
            let gate = Gate()
            world.network.intercept("/token") { _ in
                await gate.pass()
                return nil
            }
            let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
                for _ in 0..<32 { group.addTask { try await world.client.token().accessToken } }
                await gate.arrival()
                gate.open()
                return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(!tokens.contains(stale))
            #expect(world.network.refreshes.count == 1)
            // Who asked after it was there was given it without one.
            #expect(world.lines.contains { $0.contains(#""refreshed":true"#) })
        }
    }

    @Test("A scope that was not granted is refused by its name, and no consent begins; with a token of before neither")
    func missingScope() async throws {
        try await AgentWorld.withAgent { world, client in
            let before = world.network.requests.count
            let drive: Scope = "https://api.example/drive"
            await #expect(throws: AgentError(.insufficientScope, detail: AgentWorld.noScope, scopes: [drive])) {
                try await client.token(AgentTokenRequest(scopes: [.email, drive]))
            }
            #expect(world.network.requests.count == before)
            #expect(world.line?["event"]?.string == "refusal")
            #expect(world.line?["asked"]?.string == "email https://api.example/drive")
            #expect(world.line?["error"]?.string == "insufficient_scope")
        }
    }

    @Test("Scopes that another program obtained count at once")
    func newConsent() async throws {
        try await AgentWorld.withAgent { world, client in
            let first = try await client.token().accessToken
            let drive: Scope = "https://api.example/drive"
            world.network.clock.advance(by: .seconds(5))
            _ = try await world.sibling().signIn(scopes: [.openID, .email, drive])
            let token = try await client.token(AgentTokenRequest(scopes: [drive]))
            #expect(token.scopes.contains(drive))
            #expect(token.accessToken != first)
        }
    }

    @Test("Who signs out elsewhere gets nothing from the agent either, though its token was fresh")
    func signedOut() async throws {
        try await AgentWorld.withAgent { world, client in
            _ = try await client.token()
            let account = try #require(try await world.records().first?.account)
            try await world.store.remove(account)
            await #expect { try await client.token() } throws: { AgentError.Code.loginRequired ~= $0 }
            #expect(try await client.accounts().isEmpty)
        }
    }

    @Test("A token that an API refused is renewed once, however many tell of it")
    func refused() async throws {
        try await AgentWorld.withAgent { world, client in
            let first = try await client.token().accessToken
            world.network.clock.advance(by: .seconds(60))
            let request = AgentTokenRequest(refusedToken: first)
            let second = try await client.token(request).accessToken
            #expect(second != first)
            #expect(try await client.token(request).accessToken == second)
            #expect(world.network.refreshes.count == 1)
        }
    }

    @Test("A token that ends too soon for what it is wanted is renewed first")
    func validity() async throws {
        try await AgentWorld.withAgent { world, client in
            world.network.clock.advance(by: .seconds(3_000))
            let first = try await client.token(AgentTokenRequest(minimumValidity: 500))
            #expect(first.expiresIn == 600)
            let second = try await client.token(AgentTokenRequest(minimumValidity: 900))
            #expect(second.expiresIn == 3_600)
        }
    }

    @Test("Tokens that are bound to a key stay with it")
    func senderConstrained() async throws {
        var options = ScriptedProvider.Options()
        options.supportsDPoP = true
        try await AgentWorld.withAgent(options, dpop: .required) { world, client in
            await #expect { try await client.token() } throws: { AgentError.Code.unsupportedTokenType ~= $0 }
            let accounts = try await client.accounts()
            #expect(accounts.map(\.tokenType) == [.dpop])
            await #expect { try await AgentTokenSource.connect(client: client) } throws: {
                AgentError.Code.unsupportedTokenType ~= $0
            }
        }
    }

    @Test("A provider that is down is no end of the session; one that refuses the refresh is")
    func failures() async throws {
        try await AgentWorld.withAgent { world, client in
            world.expire()
            world.network.intercept("/token") { _ in .status(.serviceUnavailable) }
            await #expect { try await client.token() } throws: { error in
                let error = error as? AgentError
                return error?.code == .temporarilyUnavailable && error?.isRetryable == true
                    && error?.endsSession == false
            }
            world.network.intercept("/token", nil)
            world.network.revokeEverything()
            for _ in 0..<2 {
                await #expect { try await client.token() } throws: { error in
                    AgentError.Code.loginRequired ~= error && (error as? AgentError)?.endsSession == true
                }
            }
            _ = try await world.sibling().signIn(scopes: [.openID, .email])
            #expect(try await client.token().expiresIn == 3_600)
        }
    }

    @Test("Where several accounts are signed in, one has to be named")
    func several() async throws {
        try await AgentWorld.withAgent { world, client in
            var record = try #require(try await world.records().first)
            let account = Account(issuer: record.account.issuer, clientID: record.account.clientID, subject: "other")
            record.account = account
            try await world.store.update(account) { [record] entry in try await entry.save(record) }
            await #expect { try await client.token() } throws: { AgentError.Code.accountSelectionRequired ~= $0 }
            let token = try await client.token(AgentTokenRequest(account: "other"))
            #expect(token.account.account == account)
            #expect(try await client.accounts().count == 2)
        }
    }

    @Test("Who asks the agent to stop while a refresh is under way: it is saved, and whoever waits gets its token")
    func stop() async throws {
        try await AgentWorld.with { world in
            _ = try await world.signIn.signIn(scopes: [.openID, .email])
            let agent = try await world.start()
            world.expire()
            let gate = Gate()
            world.network.intercept("/token") { _ in
                await gate.pass()
                return nil
            }
            let waiting = Task { try await world.client.token().accessToken }
            await gate.arrival()
            try await world.client.stop()
            await agent.waitForEnd()
            let stopping = Task { await agent.stop() }
            while FileManager.default.fileExists(atPath: world.place.socket) { await Task.yield() }
            await #expect { try await world.client.token() } throws: { AgentError.Code.notRunning ~= $0 }
            gate.open()
            let token = try await waiting.value
            await stopping.value
            #expect(try await world.records().first?.tokens?.accessToken == token)
            #expect(world.network.refreshes.count == 1)
            let next = try await world.start()
            #expect(try await world.client.token().accessToken == token)
            await next.stop()
        }
    }

    @Test("A request that waits for its store while the agent ends begins no refresh any more", .covers(166))
    func stopBeforeRefresh() async throws {
        try await AgentWorld.with { world in
            _ = try await world.signIn.signIn(scopes: [.openID])
            let agent = try await world.start()
            world.expire()
            let gate = Gate()
            world.holdRecords(at: gate)
            let waiting = Task { try await world.client.token() }
            await gate.arrival()
            await agent.stop()
            await #expect { try await waiting.value } throws: { AgentError.Code.noAnswer ~= $0 }
            gate.open()
            while world.lines.isEmpty { await Task.yield() }
            #expect(world.line?["error"]?.string == "temporarily_unavailable")
            #expect(world.network.refreshes.isEmpty)
        }
    }

    @Test("It says how it stands, and how many tokens it gave")
    func status() async throws {
        try await AgentWorld.withAgent { world, client in
            _ = try await client.token()
            _ = try? await client.token(AgentTokenRequest(scopes: ["unknown"]))
            let status = try await client.status()
            #expect(status.grants == 1)
            #expect(status.process == ProcessInfo.processInfo.processIdentifier)
            #expect(status.memory == MemoryProtection())
        }
    }
}

extension AgentWorld {
    /// What stands in the answer where a scope is missing.
    static let noScope = "The grant does not have these scopes"
}
