// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import LoopbackHTTP
internal import Tessera
internal import TesseraAgent
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Agent socket location", .timeLimit(.minutes(1)))
struct AgentLocationTests {
    @Test("Only this user can access the directory and the socket, which is removed with the agent")
    func modes() async throws {
        try await AgentHarness.with { harness in
            let agent = try await harness.start()
            #expect(try Self.mode(of: harness.directory) == 0o700)
            #expect(try Self.mode(of: harness.location.socket) == 0o600)
            await agent.stop()
            #expect(!FileManager.default.fileExists(atPath: harness.location.socket))
            await #expect { try await harness.client.status() } throws: { AgentError.Code.notRunning ~= $0 }
        }
    }

    @Test("Reports that no agent is running if none has ever run")
    func noAgent() async throws {
        try await AgentHarness.with { harness in
            await #expect { try await harness.client.token() } throws: { AgentError.Code.notRunning ~= $0 }
        }
    }

    @Test("Agent and client reject a directory that other users can read or write", arguments: [0o755, 0o710, 0o777])
    func openDirectory(mode: Int) async throws {
        try await AgentHarness.with { harness in
            let agent = try await harness.start()
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: harness.directory)
            await #expect { try await harness.client.status() } throws: { AgentError.Code.unsafeLocation ~= $0 }
            await agent.stop()
            await #expect { _ = try await harness.start() } throws: { AgentError.Code.unsafeLocation ~= $0 }
        }
    }

    @Test("Agent and client reject a directory that is a symbolic link")
    func link() async throws {
        try await AgentHarness.with { harness in
            let agent = try await harness.start()
            let link = harness.root + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: harness.directory)
            let location = AgentLocation(socket: link + "/agent.sock")
            await #expect { try await AgentClient(location).status() } throws: { AgentError.Code.unsafeLocation ~= $0 }
            await agent.stop()
            await #expect {
                _ = try await TokenAgent.start(at: location, accounts: harness, audit: AgentAudit { _ in })
            } throws: { AgentError.Code.unsafeLocation ~= $0 }
        }
    }

    @Test("Agent and client reject another user's directory", .shows(claims: 15), .enabled(if: geteuid() == 0))
    func otherOwner() async throws {
        try await AgentHarness.with { harness in
            try FileManager.default.createDirectory(atPath: harness.directory, withIntermediateDirectories: true)
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700, .ownerAccountID: 65_534]
            try FileManager.default.setAttributes(attributes, ofItemAtPath: harness.directory)
            await #expect { try await harness.client.status() } throws: { AgentError.Code.unsafeLocation ~= $0 }
            await #expect { _ = try await harness.start() } throws: { AgentError.Code.unsafeLocation ~= $0 }
        }
    }

    @Test("A second agent does not start, and the running one continues")
    func second() async throws {
        try await AgentHarness.withAgent { harness, client in
            await #expect { _ = try await harness.start() } throws: { AgentError.Code.alreadyRunning ~= $0 }
            let status = try await client.status()
            #expect(status.grants == 0)
        }
    }

    @Test("Replaces a dead agent's socket")
    func dead() async throws {
        try await AgentHarness.with { harness in
            await (try await harness.start()).stop()
            // A killed agent leaves its socket and the temporary socket with a tilde, and no process listens on them.
            for path in [harness.location.socket, harness.location.socket + "~"] {
                let server = try LoopbackServer.start(at: path) { _ in .text(status: 200, "") }
                server.stop()
                await server.stopped()
                #expect(FileManager.default.fileExists(atPath: path))
            }
            await #expect { try await harness.client.status() } throws: { AgentError.Code.notRunning ~= $0 }
            let agent = try await harness.start()
            #expect(try await harness.client.status().grants == 0)
            await agent.stop()
        }
    }

    @Test("Rejects a path that is too long for a socket, names it and creates nothing", .covers(142))
    func long() async throws {
        try await AgentHarness.with { harness in
            for count in [90, 120] {
                let location = AgentLocation(socket: harness.directory + "/" + String(repeating: "a", count: count))
                let message = try await Self.startError(at: location, of: harness)
                #expect(message.contains(location.socket))
                #expect(message.contains("longer than"))
            }
            #expect(!FileManager.default.fileExists(atPath: harness.directory))
        }
    }

    @Test("Rejects a path with a control character", .covers(142))
    func controlCharacter() async throws {
        try await AgentHarness.with { harness in
            let message = try await Self.startError(
                at: AgentLocation(socket: harness.directory + "/a\u{1B}[2J\nb"),
                of: harness
            )
            #expect(message.contains(#"a\u{1b}[2J\u{a}b"#))
            #expect(!FileManager.default.fileExists(atPath: harness.directory))
        }
    }

    @Test("Creates missing directories with access for this user only", .covers(142))
    func missingParents() async throws {
        try await AgentHarness.with { harness in
            let location = AgentLocation(socket: harness.directory + "/a/b/agent.sock")
            let agent = try await TokenAgent.start(at: location, accounts: harness, audit: AgentAudit { _ in })
            for path in ["", "/a", "/a/b"] { #expect(try Self.mode(of: harness.directory + path) == 0o700) }
            #expect(try await AgentClient(location).status().grants == 0)
            await agent.stop()
        }
    }

    @Test(
        "Leaves any file at the path unchanged unless it is a dead agent's socket",
        .covers(142),
        arguments: [
            "mkdir agent.sock", "echo precious > agent.sock", "ln -s /etc/hostname agent.sock",
            "ln -s /nonexistent agent.sock", "mkfifo agent.sock", "echo precious > agent.sock~",
        ]
    )
    func obstacle(_ command: String) async throws {
        try await AgentHarness.with { harness in
            let directory = harness.directory
            let change = "umask 077 && mkdir \(directory) && cd \(directory) && \(command)"
            let before = try Self.shell(change + " && ls -lid agent.sock*")
            let message = try await Self.startError(at: harness.location, of: harness)
            #expect(
                message.contains(
                    "\(harness.location.socket): a file at this path, or at this path with a tilde, is not"
                )
            )
            #expect(try Self.shell("cd \(directory) && ls -lid agent.sock agent.sock~ 2>/dev/null; true") == before)
            await #expect { try await harness.client.status() } throws: { AgentError.Code.notRunning ~= $0 }
        }
    }

    @Test("Does not replace the socket of another program that is listening", .covers(142))
    func foreignSocket() async throws {
        try await AgentHarness.with { harness in
            _ = try Self.shell("umask 077 && mkdir \(harness.directory)")
            let server = try LoopbackServer.start(at: harness.location.socket) { _ in .text(status: 404, "mine") }
            #expect(
                try await Self.startError(at: harness.location, of: harness)
                    .contains("another program is listening there")
            )
            await #expect { try await harness.client.status() } throws: { AgentError.Code.noResponse ~= $0 }
            server.stop()
            await server.stopped()
        }
    }

    @Test("Does not replace another user's socket, and names its owner", .covers(142), .enabled(if: geteuid() == 0))
    func otherOwnersSocket() async throws {
        try await AgentHarness.with { harness in
            await (try await harness.start()).stop()
            let server = try LoopbackServer.start(at: harness.location.socket) { _ in .text(status: 200, "") }
            server.stop()
            await server.stopped()
            _ = try Self.shell("chown 65534 \(harness.location.socket)")
            #expect(try await Self.startError(at: harness.location, of: harness).contains("the socket belongs to"))
            #expect(FileManager.default.fileExists(atPath: harness.location.socket))
        }
    }

    @Test(
        "The error explains why the agent cannot start and does not mention the session store",
        .covers(142),
        arguments: [
            ("mkdir run && chmod 755 run", "other users can access it (mode 0755)"),
            ("mkdir run && chmod 1777 run", "other users can access it (mode 01777)"),
            ("echo > run", "it is a link, or not a directory"),
            ("mkdir other && chmod 700 other && ln -s other run", "it is a link, or not a directory"),
            ("mkdir run && chmod 700 run && mkdir run/agent.sock.lock", "run/agent.sock.lock: "),
        ]
    )
    func reason(_ command: String, _ words: String) async throws {
        try await AgentHarness.with { harness in
            _ = try Self.shell("cd \(harness.root) && \(command)")
            let message = try await Self.startError(at: harness.location, of: harness)
            #expect(message.contains(words))
            #expect(!message.contains("session"))
        }
    }

    @Test("An agent whose lock was removed does not remove the socket of the next agent")
    func removedLock() async throws {
        try await AgentHarness.with { harness in
            let first = try await harness.start()
            _ = try Self.shell("rm -r \(harness.directory)")
            let second = try await harness.start()
            await first.stop()
            #expect(try await harness.client.status().grants == 0)
            await second.stop()
            #expect(!FileManager.default.fileExists(atPath: harness.location.socket))
        }
    }

    @Test("Rejects a malformed response from another program at the socket")
    func impostor() async throws {
        try await AgentHarness.with { harness in
            try FileManager.default.createDirectory(
                atPath: harness.directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            for body in ["", "[]", "{}", #"{"access_token": ""}"#, #"{"access_token": "a", "token_type": "DPoP"}"#] {
                let server = try LoopbackServer.start(at: harness.location.socket) { _ in .text(status: 200, body) }
                await #expect { try await harness.client.token() } throws: { AgentError.Code.noResponse ~= $0 }
                server.stop()
                await server.stopped()
            }
        }
    }

    /// Returns the error message of an agent that cannot start at a location.
    private static func startError(at location: AgentLocation, of harness: AgentHarness) async throws -> String {
        do {
            let agent = try await TokenAgent.start(at: location, accounts: harness, audit: AgentAudit { _ in })
            await agent.stop()
            return "it started"
        } catch let error as AgentError {
            #expect(error.code == .unsafeLocation)
            return error.description
        }
    }

    /// Returns the output of a shell command.
    private static func shell(_ command: String) throws -> String {
        let pipe = try #require(popen(command, "r"))
        defer { #expect(pclose(pipe) == 0) }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&buffer, 1, buffer.count, pipe)
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    private static func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
