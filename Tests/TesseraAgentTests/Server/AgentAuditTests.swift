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

@Suite("Audit log of the agent", .shows(claims: 29), .timeLimit(.minutes(1)))
struct AgentAuditTests {
    @Test("Logs time, process, user, account, scopes, expiration and refresh of each token on one line")
    func grant() async throws {
        try await AgentHarness.withAgent { harness, client in
            _ = try await client.token(AgentTokenRequest(scopes: [.email]))
            let line = try #require(harness.line)
            try #require(harness.lines.count == 1)
            #expect(harness.lines[0].hasSuffix("}\n"))
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

    @Test("Escapes line breaks and control characters in text from other programs")
    func hostileText() async throws {
        try await AgentHarness.withAgent { harness, client in
            let name = "ada\n{\"event\": \"grant\"}\u{1B}[2J\u{202E}\u{9B}"
            _ = try? await client.token(AgentTokenRequest(account: name, scopes: [.email]))
            #expect(harness.lines.count == 1)
            let line = try #require(harness.lines.first)
            #expect(
                line.unicodeScalars.dropLast()
                    .allSatisfy { $0.value >= 0x20 && $0.properties.generalCategory != .control }
            )
            #expect(!line.unicodeScalars.contains("\u{202E}"))
            #expect(harness.line?["account"]?.string?.hasPrefix("ada\\u{a}") == true)
        }
    }

    @Test("Issues no token if its audit line cannot be written")
    func unwritable() async throws {
        try await AgentHarness.with { harness in
            _ = try await harness.signIn.signIn(scopes: [.openID])
            let path = harness.root + "/audit"
            let agent = try await harness.start(audit: .file(path))
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            await #expect { try await harness.client.token() } throws: { AgentError.Code.serverError ~= $0 }
            #expect(try await harness.client.status().grants == 0)
            await agent.stop()
        }
    }

    @Test("Does not start if the audit log cannot be written, and reports the path", .covers(138))
    func unwritableAtStart() async throws {
        try await AgentHarness.with { harness in
            for path in [harness.root, "/proc/tessera/audit", "/dev/null"] {
                await #expect { try await harness.start(audit: .file(path)) } throws: { error in
                    let error = error as? AgentError
                    return error?.code == .unwritableAudit && error?.detail?.contains(path.prefix(5)) == true
                }
            }
            #expect(!FileManager.default.fileExists(atPath: harness.location.socket))
        }
    }

    @Test("Creates a missing audit directory, even while the agent is running", .covers(138))
    func missingDirectory() async throws {
        try await AgentHarness.with { harness in
            _ = try await harness.signIn.signIn(scopes: [.openID])
            let directory = harness.root + "/data/tessera"
            let agent = try await harness.start(audit: .file(directory + "/agent.audit"))
            for _ in 1...2 {
                _ = try await harness.client.token()
                let text = try String(contentsOfFile: directory + "/agent.audit", encoding: .utf8)
                #expect(text.split(separator: "\n").count == 1)
                for (path, mode) in [("", 0o700), ("/agent.audit", 0o600)] {
                    let attributes = try FileManager.default.attributesOfItem(atPath: directory + path)
                    #expect(attributes[.posixPermissions] as? Int == mode)
                }
                try FileManager.default.removeItem(atPath: harness.root + "/data")
            }
            await agent.stop()
        }
    }

    @Test("Agents that share an audit log lose no lines", .covers(165))
    func shared() async throws {
        try await AgentHarness.with { harness in
            let path = harness.root + "/audit"
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

    @Test("Starts a new line after a truncated one", .covers(165))
    func cut() async throws {
        try await AgentHarness.with { harness in
            let path = harness.root + "/audit"
            try Data("{\"time\"".utf8).write(to: URL(filePath: path))
            for _ in 1...2 { try FileSystem.append(Array("{}\n".utf8), to: path) }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "{\"time\"\n{}\n{}\n")
        }
    }

    @Test("Appends to a log that only this user can access and does not follow symbolic links")
    func file() async throws {
        try await AgentHarness.with { harness in
            _ = try await harness.signIn.signIn(scopes: [.openID])
            let path = harness.root + "/audit"
            try Data("{}\n".utf8).write(to: URL(filePath: path))
            for count in 2...3 {
                let agent = try await harness.start(audit: .file(path))
                _ = try await harness.client.token()
                await agent.stop()
                #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count == count)
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let link = harness.root + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            await #expect { try await harness.start(audit: .file(link)) } throws: {
                AgentError.Code.unwritableAudit ~= $0
            }
        }
    }
}
