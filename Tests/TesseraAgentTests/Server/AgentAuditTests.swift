// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraAgent
internal import TesseraJSON
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("The agent's audit", .shows(claims: 29), .timeLimit(.minutes(1)))
struct AgentAuditTests {
    @Test("Each token is one line: when, who, whose, what was asked and given, until when, and whether it was renewed")
    func grant() async throws {
        try await AgentWorld.withAgent { world, client in
            _ = try await client.token(AgentTokenRequest(scopes: [.email]))
            let line = try #require(world.line)
            try #require(world.lines.count == 1)
            #expect(world.lines[0].hasSuffix("}\n"))
            #expect(line["time"]?.string == "2023-11-14T22:13:20Z")
            #expect(line["event"]?.string == "grant")
            let (process, user) = (try line["pid"]?.integer(Int32.self), try line["uid"]?.integer(UInt32.self))
            #expect(process == ProcessInfo.processInfo.processIdentifier)
            #expect(line["program"]?.string?.contains("/") == true)
            #expect(user == geteuid())
            #expect(line["account"]?.string?.hasSuffix("@test-client@https://id.example") == true)
            #expect(line["asked"]?.string == "email")
            #expect(line["given"]?.string == "openid email")
            #expect(line["expires_at"]?.string == "2023-11-14T23:13:20Z")
            #expect(line["refreshed"]?.bool == false)
        }
    }

    @Test("What another program wrote cannot end a line, nor speak to a terminal")
    func hostileText() async throws {
        try await AgentWorld.withAgent { world, client in
            let name = "ada\n{\"event\": \"grant\"}\u{1B}[2J\u{202E}\u{9B}"
            _ = try? await client.token(AgentTokenRequest(account: name, scopes: [.email]))
            #expect(world.lines.count == 1)
            let line = try #require(world.lines.first)
            #expect(
                line.unicodeScalars.dropLast()
                    .allSatisfy { $0.value >= 0x20 && $0.properties.generalCategory != .control }
            )
            #expect(!line.unicodeScalars.contains("\u{202E}"))
            #expect(world.line?["account"]?.string?.hasPrefix("ada\\u{a}") == true)
        }
    }

    @Test("A token whose line cannot be written is not given")
    func unwritable() async throws {
        try await AgentWorld.with { world in
            _ = try await world.signIn.signIn(scopes: [.openID])
            let path = world.root + "/audit"
            let agent = try await world.start(audit: .file(path))
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            await #expect { try await world.client.token() } throws: { AgentError.Code.serverError ~= $0 }
            #expect(try await world.client.status().grants == 0)
            await agent.stop()
        }
    }

    @Test("An agent whose audit cannot be written does not start, and says so", .covers(138))
    func unwritableAtStart() async throws {
        try await AgentWorld.with { world in
            for path in [world.root, "/proc/tessera/audit", "/dev/null"] {
                await #expect { try await world.start(audit: .file(path)) } throws: { error in
                    let error = error as? AgentError
                    return error?.code == .unwritableAudit && error?.detail?.contains(path.prefix(5)) == true
                }
            }
            #expect(!FileManager.default.fileExists(atPath: world.place.socket))
        }
    }

    @Test("The directory of the audit is created where it is missing, also while the agent runs", .covers(138))
    func missingDirectory() async throws {
        try await AgentWorld.with { world in
            _ = try await world.signIn.signIn(scopes: [.openID])
            let directory = world.root + "/data/tessera"
            let agent = try await world.start(audit: .file(directory + "/agent.audit"))
            for _ in 1...2 {
                _ = try await world.client.token()
                let text = try String(contentsOfFile: directory + "/agent.audit", encoding: .utf8)
                #expect(text.split(separator: "\n").count == 1)
                for (path, mode) in [("", 0o700), ("/agent.audit", 0o600)] {
                    let attributes = try FileManager.default.attributesOfItem(atPath: directory + path)
                    #expect(attributes[.posixPermissions] as? Int == mode)
                }
                try FileManager.default.removeItem(atPath: world.root + "/data")
            }
            await agent.stop()
        }
    }

    @Test("Agents that have the same audit lose no line of each other", .covers(165))
    func shared() async throws {
        try await AgentWorld.with { world in
            let path = world.root + "/audit"
            try await withThrowingTaskGroup { group in
                for agent in 0..<4 {
                    let executor = BlockingExecutor()
                    group.addTask {
                        try await executor.run {
                            for line in 0..<250 { try FileSystem.append(Array("\(agent) \(line)\n".utf8), to: path) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 1_000)
            #expect(Set(lines).count == 1_000)
        }
    }

    @Test("A line that was cut off is not continued by the next", .covers(165))
    func cut() async throws {
        try await AgentWorld.with { world in
            let path = world.root + "/audit"
            try Data("{\"time\"".utf8).write(to: URL(filePath: path))
            for _ in 1...2 { try FileSystem.append(Array("{}\n".utf8), to: path) }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "{\"time\"\n{}\n{}\n")
        }
    }

    @Test("The file is this user's alone, and grows; a link is not followed")
    func file() async throws {
        try await AgentWorld.with { world in
            _ = try await world.signIn.signIn(scopes: [.openID])
            let path = world.root + "/audit"
            try Data("{}\n".utf8).write(to: URL(filePath: path))
            for count in 2...3 {
                let agent = try await world.start(audit: .file(path))
                _ = try await world.client.token()
                await agent.stop()
                #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count == count)
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let link = world.root + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            await #expect { try await world.start(audit: .file(link)) } throws: {
                AgentError.Code.unwritableAudit ~= $0
            }
        }
    }
}
