// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraAgent
internal import TesseraJSON
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
            #expect(world.lines.count == 1 && world.lines[0].hasSuffix("}\n"))
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
            _ = try? await client.token(AgentTokenRequest(account: name, scopes: ["a\u{7}b"]))
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
            let agent = try await world.start(audit: .file(world.root))
            await #expect { try await world.client.token() } throws: { AgentError.Code.serverError ~= $0 }
            #expect(try await world.client.status().grants == 0)
            await agent.stop()
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
            let agent = try await world.start(audit: .file(link))
            await #expect { try await world.client.token() } throws: { AgentError.Code.serverError ~= $0 }
            await agent.stop()
        }
    }
}
