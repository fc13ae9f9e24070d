// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import Tessera
internal import TesseraAgent
internal import TesseraJSON
internal import TesseraTesting

/// A scripted provider, a store, and an agent over them in a directory of its own.
final class AgentWorld: AgentAccounts {
    let network: ScriptedProvider
    let store = InMemoryStore()
    let signIn: SignIn
    let root: String
    private let audited = Mutex<[String]>([])
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
        // A socket's path may have 107 bytes.
        self.root = "/tmp/tessera-agent-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        try FileManager.default.createDirectory(atPath: self.root, withIntermediateDirectories: true)
    }

    /// Makes a world, runs `body` in it, and clears it away.
    static func with(
        _ options: ScriptedProvider.Options = ScriptedProvider.Options(),
        dpop: DPoPPolicy? = nil,
        _ body: (AgentWorld) async throws -> Void
    ) async throws {
        let world = try AgentWorld(options, dpop: dpop)
        defer { try? FileManager.default.removeItem(atPath: world.root) }
        try await body(world)
    }

    /// A world in which somebody is signed in and an agent runs; the agent is stopped afterwards.
    static func withAgent(
        _ options: ScriptedProvider.Options = ScriptedProvider.Options(),
        dpop: DPoPPolicy? = nil,
        scopes: [Scope] = [.openID, .email],
        _ body: (AgentWorld, AgentClient) async throws -> Void
    ) async throws {
        try await Self.with(options, dpop: dpop) { world in
            _ = try await world.signIn.signIn(scopes: scopes)
            let agent = try await world.start()
            do { try await body(world, world.client) } catch {
                await agent.stop()
                throw error
            }
            await agent.stop()
        }
    }

    var directory: String { self.root + "/run" }
    var place: AgentPlace { AgentPlace(socket: self.directory + "/agent.sock") }
    var client: AgentClient { AgentClient(self.place, timeout: .seconds(30)) }

    func start(audit: AgentAudit? = nil) async throws -> TokenAgent {
        try await TokenAgent.start(
            at: self.place,
            accounts: self,
            audit: audit
                ?? AgentAudit { line in
                    self.audited.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
                },
            now: self.network.clock.wallClock
        )
    }

    /// The lines of the audit so far.
    var lines: [String] { self.audited.withLock { $0 } }

    /// The last one, read.
    var line: JSONValue? { self.lines.last.flatMap { try? JSONValue(parsing: $0) } }

    /// Lets the store's answers wait, as a passphrase prompt does.
    func holdRecords(at gate: Gate) { self.recordGate.withLock { $0 = gate } }

    /// Goes on in time until no access token of before is valid.
    func expire() { self.network.clock.advance(by: .seconds(3_600)) }

    /// Another program that signs people in, with the same store.
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
        guard let first = found.first else { throw AgentError(.loginRequired, detail: "nobody") }
        guard found.count == 1 else { throw AgentError(.accountSelectionRequired) }
        return first
    }

    // Where a session was held before, the agent has to see what the store says, and not the other's memory.
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
    /// The text, for comparisons in tests.
    var text: String { self.withUnredacted { $0 } }
}
