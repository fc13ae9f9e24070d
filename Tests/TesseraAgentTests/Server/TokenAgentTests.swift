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

@Suite("Token agent", .timeLimit(.minutes(1)))
struct TokenAgentTests {
    @Test("Issues a valid access token with expiration, scopes and account, and no refresh token")
    func token() async throws {
        try await AgentHarness.withAgent { harness, client in
            let token = try await client.token(AgentTokenRequest(scopes: [.email]))
            let record = try #require(try await harness.records().first)
            #expect(token.accessToken == record.tokens?.accessToken)
            #expect(token.expiresIn == 3_600)
            #expect(Set(token.scopes) == [.openID, .email])
            #expect(token.account.account == record.account)
            #expect(token.account.isSignedIn)
            #expect(token.account.authorizedOrigins == record.authorizedOrigins)
            #expect(harness.network.refreshes.isEmpty)
        }
    }

    @Test("Sends one refresh for concurrent requests with an expired token")
    func oneRefresh() async throws {
        try await AgentHarness.withAgent { harness, client in
            let stale = try await client.token().accessToken
            harness.expire()
            let gate = Gate()
            harness.network.intercept("/token") { _ in
                await gate.pass()
                return nil
            }
            let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
                for _ in 0..<32 { group.addTask { try await harness.client.token().accessToken } }
                await gate.waitForArrival()
                gate.open()
                return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(!tokens.contains(stale))
            #expect(harness.network.refreshes.count == 1)
            // Requests that arrived after the refresh received the new token without another refresh.
            #expect(harness.lines.contains { $0.contains(#""refreshed":true"#) })
        }
    }

    @Test("Retains tokens that could not be saved, also when it lists the accounts, until they are saved")
    func unsavedTokens() async throws {
        try await AgentHarness.withAgent { harness, client in
            let stale = try await client.token().accessToken
            harness.expire()
            harness.store.isFull = true
            await #expect(throws: AgentError.self) { try await client.token() }
            #expect(try await client.accounts().count == 1)
            harness.store.isFull = false
            let token = try await client.token().accessToken
            #expect(token != stale)
            #expect(try await harness.records().first?.tokens?.accessToken == token)
            // The provider has replaced the refresh token in the store, so another refresh would fail.
            #expect(harness.network.refreshes.count == 1)
        }
    }

    @Test("A client's request does not wait for another that is refreshing a token")
    func concurrent() async throws {
        try await AgentHarness.withAgent { harness, client in
            harness.expire()
            let gate = Gate()
            harness.network.intercept("/token") { _ in
                await gate.pass()
                return nil
            }
            async let token = client.token()
            await gate.waitForArrival()
            #expect(try await client.accounts().count == 1)
            gate.open()
            _ = try await token
        }
    }

    @Test("Rejects a scope that was not granted, names it and starts no consent")
    func missingScope() async throws {
        try await AgentHarness.withAgent { harness, client in
            let before = harness.network.requests.count
            let drive: Scope = "https://api.example/drive"
            await #expect(throws: AgentError(.insufficientScope, detail: AgentHarness.noScope, scopes: [drive])) {
                try await client.token(AgentTokenRequest(scopes: [.email, drive]))
            }
            #expect(harness.network.requests.count == before)
            #expect(harness.line?["event"]?.string == "refusal")
            #expect(harness.line?["asked"]?.string == "email https://api.example/drive")
            #expect(harness.line?["error"]?.string == "insufficient_scope")
        }
    }

    @Test("Uses scopes that another program obtained immediately")
    func newConsent() async throws {
        try await AgentHarness.withAgent { harness, client in
            let first = try await client.token().accessToken
            let drive: Scope = "https://api.example/drive"
            harness.network.clock.advance(by: .seconds(5))
            _ = try await harness.sibling().signIn(scopes: [.openID, .email, drive])
            let token = try await client.token(AgentTokenRequest(scopes: [drive]))
            #expect(token.scopes.contains(drive))
            #expect(token.accessToken != first)
        }
    }

    @Test("Issues no token after another program signs out, even if its token was fresh")
    func signedOut() async throws {
        try await AgentHarness.withAgent { harness, client in
            _ = try await client.token()
            let account = try #require(try await harness.records().first?.account)
            try await harness.store.remove(account)
            await #expect { try await client.token() } throws: { AgentError.Code.loginRequired ~= $0 }
            #expect(try await client.accounts().isEmpty)
        }
    }

    @Test("Refreshes a token that an API rejected once, however often it is reported")
    func refused() async throws {
        try await AgentHarness.withAgent { harness, client in
            let first = try await client.token().accessToken
            harness.network.clock.advance(by: .seconds(60))
            let request = AgentTokenRequest(refusedToken: first)
            let second = try await client.token(request).accessToken
            #expect(second != first)
            #expect(try await client.token(request).accessToken == second)
            #expect(harness.network.refreshes.count == 1)
        }
    }

    @Test("Refreshes a token that expires before the requested minimum validity")
    func validity() async throws {
        try await AgentHarness.withAgent { harness, client in
            harness.network.clock.advance(by: .seconds(3_000))
            let first = try await client.token(AgentTokenRequest(minimumValidity: 500))
            #expect(first.expiresIn == 600)
            let second = try await client.token(AgentTokenRequest(minimumValidity: 900))
            #expect(second.expiresIn == 3_600)
        }
    }

    @Test("Does not issue tokens that are bound to a key")
    func senderConstrained() async throws {
        var options = ScriptedProvider.Options()
        options.supportsDPoP = true
        try await AgentHarness.withAgent(options, dpop: .required) { harness, client in
            await #expect { try await client.token() } throws: { AgentError.Code.unsupportedTokenType ~= $0 }
            let accounts = try await client.accounts()
            #expect(accounts.map(\.tokenType) == [.dpop])
            await #expect { try await AgentTokenSource.connect(client: client) } throws: {
                AgentError.Code.unsupportedTokenType ~= $0
            }
        }
    }

    @Test("Keeps the session if the provider is unavailable and ends it if the refresh is rejected")
    func failures() async throws {
        try await AgentHarness.withAgent { harness, client in
            harness.expire()
            harness.network.intercept("/token") { _ in .status(.serviceUnavailable) }
            await #expect { try await client.token() } throws: { error in
                let error = error as? AgentError
                return error?.code == .temporarilyUnavailable && error?.isRetryable == true
                    && error?.endsSession == false
            }
            harness.network.intercept("/token", nil)
            harness.network.revokeEverything()
            for _ in 0..<2 {
                await #expect { try await client.token() } throws: { error in
                    AgentError.Code.loginRequired ~= error && (error as? AgentError)?.endsSession == true
                }
            }
            _ = try await harness.sibling().signIn(scopes: [.openID, .email])
            #expect(try await client.token().expiresIn == 3_600)
        }
    }

    @Test("Requires an account name if several accounts are signed in")
    func several() async throws {
        try await AgentHarness.withAgent { harness, client in
            var record = try #require(try await harness.records().first)
            let account = Account(issuer: record.account.issuer, clientID: record.account.clientID, subject: "other")
            record.account = account
            try await harness.store.update(account) { [record] entry in try await entry.save(record) }
            await #expect { try await client.token() } throws: { AgentError.Code.accountSelectionRequired ~= $0 }
            let token = try await client.token(AgentTokenRequest(account: "other"))
            #expect(token.account.account == account)
            #expect(try await client.accounts().count == 2)
        }
    }

    @Test("Finishes a refresh in progress before it stops, and responds to the waiting client")
    func stop() async throws {
        try await AgentHarness.with { harness in
            _ = try await harness.signIn.signIn(scopes: [.openID, .email])
            let agent = try await harness.start()
            harness.expire()
            let gate = Gate()
            harness.network.intercept("/token") { _ in
                await gate.pass()
                return nil
            }
            let waiting = Task { try await harness.client.token().accessToken }
            await gate.waitForArrival()
            try await harness.client.stop()
            await agent.waitForEnd()
            let stopping = Task { await agent.stop() }
            while FileManager.default.fileExists(atPath: harness.location.socket) { await Task.yield() }
            await #expect { try await harness.client.token() } throws: { AgentError.Code.notRunning ~= $0 }
            gate.open()
            let token = try await waiting.value
            await stopping.value
            #expect(try await harness.records().first?.tokens?.accessToken == token)
            #expect(harness.network.refreshes.count == 1)
            let next = try await harness.start()
            #expect(try await harness.client.token().accessToken == token)
            await next.stop()
        }
    }

    @Test("Starts no refresh for a request that waits for the store when the agent stops", .covers(166))
    func stopBeforeRefresh() async throws {
        try await AgentHarness.with { harness in
            _ = try await harness.signIn.signIn(scopes: [.openID])
            let agent = try await harness.start()
            harness.expire()
            let gate = Gate()
            harness.holdRecords(at: gate)
            let waiting = Task { try await harness.client.token() }
            await gate.waitForArrival()
            await agent.stop()
            await #expect { try await waiting.value } throws: { AgentError.Code.noResponse ~= $0 }
            gate.open()
            while harness.lines.isEmpty { await Task.yield() }
            #expect(harness.line?["error"]?.string == "temporarily_unavailable")
            #expect(harness.network.refreshes.isEmpty)
        }
    }

    @Test("Reports its status and the number of issued tokens")
    func status() async throws {
        try await AgentHarness.withAgent { harness, client in
            _ = try await client.token()
            _ = try? await client.token(AgentTokenRequest(scopes: ["unknown"]))
            let status = try await client.status()
            #expect(status.grants == 1)
            #expect(status.process == ProcessInfo.processInfo.processIdentifier)
            #expect(status.memory == MemoryProtection())
        }
    }
}

extension AgentHarness {
    /// The error detail for a missing scope.
    static let noScope = "The user has not granted these scopes"
}
