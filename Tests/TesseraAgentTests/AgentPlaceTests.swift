// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import LoopbackHTTP
internal import Tessera
internal import TesseraAgent
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Where an agent listens", .timeLimit(.minutes(1)))
struct AgentPlaceTests {
    @Test("The directory and the socket are this user's alone; the socket goes with the agent")
    func modes() async throws {
        try await AgentWorld.with { world in
            let agent = try await world.start()
            #expect(try Self.mode(of: world.directory) == 0o700)
            #expect(try Self.mode(of: world.place.socket) == 0o600)
            await agent.stop()
            #expect(!FileManager.default.fileExists(atPath: world.place.socket))
            await #expect { try await world.client.status() } throws: { AgentError.Code.notRunning ~= $0 }
        }
    }

    @Test("Where nobody ever was, no agent runs")
    func nobody() async throws {
        try await AgentWorld.with { world in
            await #expect { try await world.client.token() } throws: { AgentError.Code.notRunning ~= $0 }
        }
    }

    @Test("A directory in which others may look or write is used by neither side", arguments: [0o755, 0o710, 0o777])
    func openDirectory(mode: Int) async throws {
        try await AgentWorld.with { world in
            let agent = try await world.start()
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: world.directory)
            await #expect { try await world.client.status() } throws: { AgentError.Code.unsafePlace ~= $0 }
            await agent.stop()
            await #expect { _ = try await world.start() } throws: { AgentError.Code.unsafePlace ~= $0 }
        }
    }

    @Test("A directory that is a link is used by neither side")
    func link() async throws {
        try await AgentWorld.with { world in
            let agent = try await world.start()
            let link = world.root + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: world.directory)
            let place = AgentPlace(socket: link + "/agent.sock")
            await #expect { try await AgentClient(place).status() } throws: { AgentError.Code.unsafePlace ~= $0 }
            await agent.stop()
            await #expect {
                _ = try await TokenAgent.start(at: place, accounts: world, audit: AgentAudit { _ in })
            } throws: { AgentError.Code.unsafePlace ~= $0 }
        }
    }

    @Test("Another user's directory is used by neither side", .shows(claims: 15), .enabled(if: geteuid() == 0))
    func otherOwner() async throws {
        try await AgentWorld.with { world in
            try FileManager.default.createDirectory(atPath: world.directory, withIntermediateDirectories: true)
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700, .ownerAccountID: 65_534]
            try FileManager.default.setAttributes(attributes, ofItemAtPath: world.directory)
            await #expect { try await world.client.status() } throws: { AgentError.Code.unsafePlace ~= $0 }
            await #expect { _ = try await world.start() } throws: { AgentError.Code.unsafePlace ~= $0 }
        }
    }

    @Test("Beside an agent that lives none is started, and the one that lives goes on")
    func second() async throws {
        try await AgentWorld.withAgent { world, client in
            await #expect { _ = try await world.start() } throws: { AgentError.Code.alreadyRunning ~= $0 }
            let status = try await client.status()
            #expect(status.grants == 0)
        }
    }

    @Test("A dead agent's socket is replaced")
    func dead() async throws {
        try await AgentWorld.with { world in
            await (try await world.start()).stop()
            // As a killed one leaves it: the name is there, also the one before the last step, and nobody listens.
            for path in [world.place.socket, world.place.socket + "~"] {
                let server = try LoopbackServer.start(at: path) { _ in .text(status: 200, "") }
                server.stop()
                await server.stopped()
                #expect(FileManager.default.fileExists(atPath: path))
            }
            await #expect { try await world.client.status() } throws: { AgentError.Code.notRunning ~= $0 }
            let agent = try await world.start()
            #expect(try await world.client.status().grants == 0)
            await agent.stop()
        }
    }

    @Test("A path that is too long for a socket is named, and nothing is created for it", .covers(142))
    func long() async throws {
        try await AgentWorld.with { world in
            for count in [90, 120] {
                let place = AgentPlace(socket: world.directory + "/" + String(repeating: "a", count: count))
                let message = try await Self.refusal(at: place, of: world)
                #expect(message.contains(place.socket))
                #expect(message.contains("longer than"))
            }
            #expect(!FileManager.default.fileExists(atPath: world.directory))
        }
    }

    @Test("A path with a control character is refused: a shell would read another one", .covers(142))
    func controlCharacter() async throws {
        try await AgentWorld.with { world in
            let message = try await Self.refusal(at: AgentPlace(socket: world.directory + "/a\u{1B}[2J\nb"), of: world)
            #expect(message.contains(#"a\u{1b}[2J\u{a}b"#))
            #expect(!FileManager.default.fileExists(atPath: world.directory))
        }
    }

    @Test("Directories that are missing are created, each for this user alone", .covers(142))
    func missingParents() async throws {
        try await AgentWorld.with { world in
            let place = AgentPlace(socket: world.directory + "/a/b/agent.sock")
            let agent = try await TokenAgent.start(at: place, accounts: world, audit: AgentAudit { _ in })
            for path in ["", "/a", "/a/b"] { #expect(try Self.mode(of: world.directory + path) == 0o700) }
            #expect(try await AgentClient(place).status().grants == 0)
            await agent.stop()
        }
    }

    @Test(
        "Anything but a dead agent's socket at the path stays as it is",
        .covers(142),
        arguments: [
            "mkdir agent.sock", "echo precious > agent.sock", "ln -s /etc/hostname agent.sock",
            "ln -s /nonexistent agent.sock", "mkfifo agent.sock", "echo precious > agent.sock~",
        ]
    )
    func obstacle(_ command: String) async throws {
        try await AgentWorld.with { world in
            let directory = world.directory
            let change = "umask 077 && mkdir \(directory) && cd \(directory) && \(command)"
            let before = try Self.shell(change + " && ls -lid agent.sock*")
            let message = try await Self.refusal(at: world.place, of: world)
            #expect(message.contains("\(world.place.socket): it, or the same name with a tilde, is not a socket"))
            #expect(try Self.shell("cd \(directory) && ls -lid agent.sock agent.sock~ 2>/dev/null; true") == before)
            await #expect { try await world.client.status() } throws: { AgentError.Code.notRunning ~= $0 }
        }
    }

    @Test("The socket of another program that listens is not replaced", .covers(142))
    func foreignSocket() async throws {
        try await AgentWorld.with { world in
            _ = try Self.shell("umask 077 && mkdir \(world.directory)")
            let server = try LoopbackServer.start(at: world.place.socket) { _ in .text(status: 404, "mine") }
            #expect(try await Self.refusal(at: world.place, of: world).contains("another program listens there"))
            await #expect { try await world.client.status() } throws: { AgentError.Code.noAnswer ~= $0 }
            server.stop()
            await server.stopped()
        }
    }

    @Test("Another user's socket is not replaced, and its owner is named", .covers(142), .enabled(if: geteuid() == 0))
    func otherOwnersSocket() async throws {
        try await AgentWorld.with { world in
            await (try await world.start()).stop()
            let server = try LoopbackServer.start(at: world.place.socket) { _ in .text(status: 200, "") }
            server.stop()
            await server.stopped()
            _ = try Self.shell("chown 65534 \(world.place.socket)")
            #expect(try await Self.refusal(at: world.place, of: world).contains("the socket belongs to"))
            #expect(FileManager.default.fileExists(atPath: world.place.socket))
        }
    }

    @Test(
        "A refusal says why, and speaks of no session store",
        .covers(142),
        arguments: [
            ("mkdir run && chmod 755 run", "others may look or write there (mode 0755)"),
            ("mkdir run && chmod 1777 run", "others may look or write there (mode 01777)"),
            ("echo > run", "it is a link, or not a directory"),
            ("mkdir other && chmod 700 other && ln -s other run", "it is a link, or not a directory"),
            ("mkdir run && chmod 700 run && mkdir run/agent.sock.lock", "run/agent.sock.lock: "),
        ]
    )
    func reason(_ command: String, _ words: String) async throws {
        try await AgentWorld.with { world in
            _ = try Self.shell("cd \(world.root) && \(command)")
            let message = try await Self.refusal(at: world.place, of: world)
            #expect(message.contains(words))
            #expect(!message.contains("session"))
        }
    }

    @Test("An agent whose lock was removed leaves the socket of the next one alone")
    func removedLock() async throws {
        try await AgentWorld.with { world in
            let first = try await world.start()
            _ = try Self.shell("rm -r \(world.directory)")
            let second = try await world.start()
            await first.stop()
            #expect(try await world.client.status().grants == 0)
            await second.stop()
            #expect(!FileManager.default.fileExists(atPath: world.place.socket))
        }
    }

    @Test("What is no agent's answer gives no token")
    func impostor() async throws {
        try await AgentWorld.with { world in
            try FileManager.default.createDirectory(
                atPath: world.directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            for body in ["", "[]", "{}", #"{"access_token": ""}"#, #"{"access_token": "a", "token_type": "DPoP"}"#] {
                let server = try LoopbackServer.start(at: world.place.socket) { _ in .text(status: 200, body) }
                await #expect { try await world.client.token() } throws: { AgentError.Code.noAnswer ~= $0 }
                server.stop()
                await server.stopped()
            }
        }
    }

    /// Why no agent starts at a place.
    private static func refusal(at place: AgentPlace, of world: AgentWorld) async throws -> String {
        do {
            let agent = try await TokenAgent.start(at: place, accounts: world, audit: AgentAudit { _ in })
            await agent.stop()
            return "it started"
        } catch let error as AgentError {
            #expect(error.code == .unsafePlace)
            return error.description
        }
    }

    /// What a shell prints.
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
