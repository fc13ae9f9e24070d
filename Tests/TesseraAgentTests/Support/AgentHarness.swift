// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import Tessera
internal import TesseraAgent
internal import TesseraJSON
internal import TesseraTesting

/// A scripted provider, a store and an agent that uses both, in a temporary directory.
final class AgentHarness: AgentAccounts {
    let network: ScriptedProvider
    let store = FullStore()
    let signIn: SignIn
    let root: String
    private let auditLines = Mutex<[String]>([])
    private let recordGate = Mutex<Gate?>(nil)

    private init(_ options: ScriptedProvider.Options, dpop: DPoPPolicy?) throws {
        self.network = try ScriptedProvider(options: options)
        var provider = try self.network.provider
        if let dpop { provider.dpop = dpop }
        self.signIn = SignIn(
            provider,
            runtime: self.network.runtime,
            store: self.store,
            userAgent: self.network.userAgent()
        )
        // A socket's path must not exceed 107 bytes.
        self.root = "/tmp/tessera-agent-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        try FileManager.default.createDirectory(atPath: self.root, withIntermediateDirectories: true)
    }

    /// Creates a harness, passes it to `body` and removes its directory.
    static func with(
        _ options: ScriptedProvider.Options = ScriptedProvider.Options(),
        dpop: DPoPPolicy? = nil,
        _ body: (AgentHarness) async throws -> Void
    ) async throws {
        let harness = try AgentHarness(options, dpop: dpop)
        defer { try? FileManager.default.removeItem(atPath: harness.root) }
        try await body(harness)
    }

    /// Runs `body` with a signed-in user and a running agent, and stops the agent afterwards.
    static func withAgent(
        _ options: ScriptedProvider.Options = ScriptedProvider.Options(),
        dpop: DPoPPolicy? = nil,
        scopes: [Scope] = [.openID, .email],
        _ body: (AgentHarness, AgentClient) async throws -> Void
    ) async throws {
        try await Self.with(options, dpop: dpop) { harness in
            _ = try await harness.signIn.signIn(scopes: scopes)
            let agent = try await harness.start()
            do { try await body(harness, harness.client) } catch {
                await agent.stop()
                throw error
            }
            await agent.stop()
        }
    }

    var directory: String { self.root + "/run" }
    var location: AgentLocation { AgentLocation(socket: self.directory + "/agent.sock") }
    var client: AgentClient { AgentClient(self.location, timeout: .seconds(30)) }

    func start(audit: AgentAudit? = nil) async throws -> TokenAgent {
        try await TokenAgent.start(
            at: self.location,
            accounts: self,
            audit: audit ?? self.audit,
            now: self.network.clock.wallClock
        )
    }

    /// Starts an agent that listens at an inherited socket.
    func start(on socket: InheritedSocket) async throws -> TokenAgent {
        try await TokenAgent.start(on: socket, accounts: self, audit: self.audit, now: self.network.clock.wallClock)
    }

    private var audit: AgentAudit {
        AgentAudit { line in
            self.auditLines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
    }

    /// The audit lines so far.
    var lines: [String] { self.auditLines.withLock { $0 } }

    /// The last audit line, parsed.
    var line: JSONValue? { self.lines.last.flatMap { try? JSONValue(parsing: $0) } }

    /// Delays the store's responses, as a passphrase prompt does.
    func holdRecords(at gate: Gate) { self.recordGate.withLock { $0 = gate } }

    /// Advances the clock until every access token has expired.
    func expire() { self.network.clock.advance(by: .seconds(3_600)) }

    /// Creates a sign-in in another program that uses the same store.
    func sibling() throws -> SignIn {
        SignIn(
            try self.network.provider,
            runtime: self.network.runtime,
            store: self.store,
            userAgent: self.network.userAgent()
        )
    }

    func records() async throws -> [SessionRecord] {
        var records: [SessionRecord] = []
        for account in try await self.store.list() {
            if let record = try await self.store.load(account) { records.append(record) }
        }
        return records
    }

    func record(named name: String?) async throws -> SessionRecord {
        await self.recordGate.withLock { $0 }?.pass()
        let records = try await self.records()
        let found = records.filter { record in
            let account = record.account
            return name.map { $0 == account.subject || $0.hasPrefix("\(account.subject)@\(account.clientID)@") } ?? true
        }
        guard let first = found.first else { throw AgentError(.loginRequired, detail: "not signed in") }
        guard found.count == 1 else { throw AgentError(.accountSelectionRequired) }
        return first
    }

    // Always creates a new sign-in so that the agent reads the store and not the session of a previous request.
    func signIn(for record: SessionRecord) -> SignIn {
        SignIn(
            record.provider,
            runtime: self.network.runtime,
            store: self.store,
            userAgent: self.network.userAgent()
        )
    }
}

extension Secret {
    /// The plain text, for comparisons in tests.
    var text: String { self.withUnredacted { $0 } }
}
