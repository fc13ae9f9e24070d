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

    @Test("A path that is too long for a socket is named")
    func long() async throws {
        try await AgentWorld.with { world in
            let place = AgentPlace(socket: world.directory + "/" + String(repeating: "a", count: 120))
            await #expect {
                _ = try await TokenAgent.start(at: place, accounts: world, audit: AgentAudit { _ in })
            } throws: { AgentError.Code.unsafePlace ~= $0 }
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

    private static func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
