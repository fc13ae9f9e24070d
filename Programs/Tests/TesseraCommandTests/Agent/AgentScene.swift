// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraStores
internal import Synchronization
internal import Tessera
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TestPrograms

/// A scene with a signed-in user and a running `tessera agent`.
final class AgentScene: Sendable {
    let scene: Scene
    private let running: Mutex<ChildProgram?>
    private let output = Mutex("")

    /// Runs a test in a new scene, and expects that neither output nor audit log of the agents contains a secret.
    static func play(
        _ options: LocalProviderOptions = LocalProviderOptions(),
        _ body: (AgentScene) async throws -> Void
    ) async throws {
        try await Scene.play(options) { scene in
            try FileManager.default.createDirectory(
                atPath: scene.home + "/run",
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            let login = try await scene.login()
            #expect(login.status == 0, "\(login.errors)")
            let agent = try await AgentScene(scene)
            do { try await body(agent) } catch {
                _ = await agent.end()
                throw error
            }
            #expect(await agent.end() == 0)
            let written = agent.output.withLock { $0 } + ((try? agent.audit()) ?? "")
            for secret in ["ya29.", "1//", scene.provider.clientSecret] { #expect(!written.contains(secret)) }
        }
    }

    private init(_ scene: Scene) async throws {
        self.scene = scene
        self.running = Mutex(try await Self.start(scene))
    }

    private static func start(_ scene: Scene) async throws -> ChildProgram {
        let words = ["agent", "start", "--audit", scene.home + "/audit"]
        let child = try scene.start(words, environment: Self.environment(scene))
        let line = await child.output.line()
        try #require(line?.hasPrefix("The agent is listening at ") == true, "\(line ?? "nothing")")
        return child
    }

    /// The environment of programs that use the agent.
    private static func environment(_ scene: Scene) -> [String: String] {
        ["XDG_RUNTIME_DIR": scene.home + "/run"]
    }

    var environment: [String: String] { Self.environment(self.scene).merging([self.variable: self.socket]) { $1 } }
    var variable: String { "TESSERA_AGENT_SOCK" }
    var socket: String { self.scene.home + "/run/tessera/agent.sock" }
    var provider: LocalProvider { self.scene.provider }

    /// Starts a new agent after the previous one has exited.
    func startAgain() async throws {
        let child = try await Self.start(self.scene)
        self.running.withLock { $0 = child }
    }

    /// Ends the agent and returns its exit status, or 0 if it has already ended.
    func end(_ ending: (ChildProgram) async -> Void = { await $0.terminate() }) async -> Int32 {
        let agent = self.running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let agent else { return 0 }
        await ending(agent)
        let text = String(decoding: await agent.output.rest() + agent.errors.rest(), as: UTF8.self)
        self.output.withLock { $0 += text }
        return await agent.exitStatus
    }

    /// Runs `tessera` in an environment with the agent.
    func run(_ arguments: String..., environment: [String: String]? = nil) async throws -> CommandOutput {
        let output = try await self.scene.run(arguments, environment: environment ?? self.environment)
        #expect(!output.text.contains("1//"), "a refresh token")
        return output
    }

    /// Runs a program to completion and returns its output and exit status.
    func program(_ words: [String]) async throws -> (text: String, status: Int32) {
        let own = ProcessInfo.processInfo.environment.filter { ["PATH", "LD_LIBRARY_PATH"].contains($0.key) }
        let (output, status) = try await ChildProgram.run(words, environment: own.merging(self.environment) { $1 })
        let text = String(decoding: output, as: UTF8.self)
        #expect(!text.contains("1//"), "a refresh token")
        return (text, status)
    }

    /// Makes the stored access tokens two hours older, so that they have expired.
    func age() async throws {
        let keys = self.scene.home + "/config/tessera/keys"
        let store = EncryptedFileStore(directory: self.scene.store, keyDirectory: keys)
        for account in try await store.list() {
            try await store.update(account) { entry in
                guard var record = try await entry.load(), var tokens = record.tokens else { return }
                tokens.obtainedAt -= 7_200
                record.tokens = tokens
                try await entry.save(record)
            }
        }
    }

    /// Returns the contents of the audit log.
    func audit() throws -> String { try String(contentsOfFile: self.scene.home + "/audit", encoding: .utf8) }

    func lines() throws -> [JSONValue] {
        try self.audit().split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    }

    /// Delays all responses to token requests until `open` is called, and reports each request in `arrived`.
    func holdTokens() -> (arrived: AsyncStream<Void>, open: @Sendable () -> Void) {
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        self.provider.change { behavior in
            behavior.beforeResponse = { path in
                guard path.hasSuffix("/token") else { return }
                arrived.yield()
                for await _ in gate { break }
            }
        }
        return (arrivals, { opening.finish() })
    }
}

/// Clients of the agent in other languages, written like a user would write them.
enum AgentClients {
    /// A Python client that uses only the standard library and prints the token.
    static let python = """
        import http.client, json, os, socket, sys

        class Agent(http.client.HTTPConnection):
            def connect(self):
                self.sock = socket.socket(socket.AF_UNIX)
                self.sock.connect(os.environ["TESSERA_AGENT_SOCK"])

        agent = Agent("localhost")
        agent.request("POST", "/v1/token", json.dumps({"scope": "openid"}), {"Content-Type": "application/json"})
        response = json.load(agent.getresponse())
        print(response["access_token"])
        assert response["token_type"] == "Bearer" and response["expires_in"] > 0 and "refresh_token" not in response
        """

    /// A Perl client that uses only the standard library and prints the token.
    static let perl = #"""
        use IO::Socket::UNIX; use JSON::PP;
        my $agent = IO::Socket::UNIX->new(Peer => $ENV{TESSERA_AGENT_SOCK}) or die;
        print $agent "POST /v1/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
        my ($head, $body) = split /\r\n\r\n/, join("", <$agent>), 2;
        print decode_json($body)->{access_token}, "\n";
        """#
}
