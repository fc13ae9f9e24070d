// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TestPrograms

@Suite("tessera agent", .timeLimit(.minutes(2)))
struct AgentProcessTests {
    @Test(
        "Serves eight concurrent clients in three languages with one refresh",
        .enabled(if: ChildProgram.missing(["python3", "perl", "curl"]) == nil)
    )
    func languages() async throws {
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = true
        try await AgentScene.play(options) { agent in
            try await agent.age()
            let probe = ChildProgram.built("AgentProbe")
            let curl = ["curl", "--silent", "--unix-socket", agent.socket, "--data", "{}", "http://localhost/v1/token"]
            let (arrived, open) = agent.holdTokens()
            let programs: [[String]] = [
                [probe, "5"], [probe, "1"], [probe, "1"], ["python3", "-c", AgentClients.python],
                ["python3", "-c", AgentClients.python], ["perl", "-e", AgentClients.perl], curl, curl,
            ]
            let tokens = try await withThrowingTaskGroup(of: [String].self) { group in
                for program in programs {
                    group.addTask {
                        let (text, status) = try await agent.program(program)
                        #expect(status == 0, "\(program[0])")
                        if program[0] != "curl" { return text.split(separator: "\n").map(String.init) }
                        return [try JSONValue(parsing: text)["access_token"]?.string ?? text]
                    }
                }
                for await _ in arrived { break }
                open()
                return try await group.reduce(into: [String]()) { $0 += $1 }
            }
            #expect(tokens.count == 12)
            #expect(tokens.allSatisfy { $0.hasPrefix("ya29.") })
            let lines = try agent.lines()
            #expect(lines.allSatisfy { $0["event"]?.string == "grant" })
            #expect(agent.provider.refreshRequestCount == 1)
            #expect(Set(tokens).count == 1)
            for program in ["AgentProbe", "python3", "perl", "curl"] {
                #expect(lines.contains { $0["program"]?.string?.contains(program) == true }, "\(program)")
            }
        }
    }

    @Test(
        "Issues a token with fewer scopes and keeps the session with a rotating refresh token",
        .enabled(if: ChildProgram.missing(["curl"]) == nil)
    )
    func narrowed() async throws {
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = true
        try await AgentScene.play(options) { agent in
            let whole = try await agent.run("token").line
            let ask = #"{"scope": "openid", "narrow": true}"#
            let words = ["curl", "--silent", "--unix-socket", agent.socket, "--data", ask, "http://localhost/v1/token"]
            let response = try JSONValue(parsing: try await agent.program(words).text)
            let token = try #require(response["access_token"]?.string)
            #expect(token.hasPrefix("ya29."))
            #expect(token != whole)
            #expect(response["scope"]?.string == "openid")
            #expect(try JSONValue(parsing: try await agent.program(words).text)["access_token"]?.string == token)
            let last = try #require(try agent.lines().last)
            #expect(last["asked"]?.string == "openid")
            #expect(last["given"]?.string == "openid")
            #expect(last["narrowed"]?.bool == true)
            #expect(agent.provider.refreshRequestCount == 1)
            #expect(try await agent.run("token").line == whole)
            #expect(try await agent.run("token", "--min-validity", "2h").status == 0)
            #expect(agent.provider.refreshRequestCount == 2)
        }
    }

    @Test("Reports a store error for an unreadable record", .covers(141))
    func damagedRecord() async throws {
        try await AgentScene.play { agent in
            let store = agent.scene.store
            let names = try FileManager.default.contentsOfDirectory(atPath: store)
            let file = URL(filePath: store + "/" + (try #require(names.first { $0.hasSuffix(".session") })))
            var bytes = try Data(contentsOf: file)
            bytes[bytes.count - 1] ^= 1
            try bytes.write(to: file)
            for name in [[], ["--account", "ada@example.com"]] {
                let output = try await agent.scene.run(["token"] + name, environment: agent.environment)
                #expect(output.status == 7, "\(output.errors)")
                #expect(output.errors.contains("damaged"))
            }
            #expect(try agent.lines().last?["error"]?.string == "server_error")
        }
    }

    @Test("token and fetch use the agent only if requested")
    func commands() async throws {
        try await AgentScene.play { agent in
            let token = try await agent.run("token")
            #expect(token.status == 0)
            #expect(token.line.hasPrefix("ya29."))
            #expect(try await agent.run("token", "--agent", "--header").line == "Authorization: Bearer \(token.line)")
            let object = try await agent.run("token", "--agent", "--min-validity", "1m", "--json").json()
            #expect(object["token"]?.string == token.line)
            #expect(object["account"]?.string?.contains("@") == true)
            let files = try await agent.run("fetch", "--allow-loopback-http", agent.scene.drive + "/about")
            #expect(files.errors.contains("tessera scopes add") || files.status == 0)
            #expect(try agent.lines().count == 4)
            // These calls do not use the agent, so they add no line to the audit log.
            #expect(try await agent.run("token", environment: [:]).line == token.line)
            #expect(try await agent.run("token", "--store", "file:" + agent.scene.store).line == token.line)
            #expect(try await agent.run("token", "--id-token").status == 0)
            #expect(try agent.lines().count == 4)
            #expect(try await agent.run("token", "--agent", "--store", "file:/x").status == 2)
            #expect(try await agent.run("token", "--account", "nobody").status == 6)
            #expect(try agent.lines().count == 5, "a rejected request is sent once")
            #expect(try await agent.run("token", "--agent", "--refresh").status == 2)
        }
    }

    @Test(
        "status, start and stop report the state of the agent"
    )
    func lifecycle() async throws {
        try await AgentScene.play { agent in
            let status = try await agent.run("agent", "status", "--json").json()
            #expect(status["socket"]?.string == agent.socket)
            #expect(status["grants"].flatMap { try? $0.integer() } == 0)
            #expect(status["refusesDumps"]?.bool == true)
            #expect(status["accounts"]?.elements?.count == 1)
            #expect(try await agent.run("agent", "status").text.contains("Tokens issued"))
            let second = try await agent.run("agent", "start", "--json")
            #expect(second.status == 2)
            #expect(try second.json()["error"]?["code"]?.string == "already_running")
            #expect(try await agent.run("agent", "stop").status == 0)
            #expect(await agent.end { _ in } == 0)
            let none = try await agent.run("token", "--agent", "--json")
            #expect(none.status == 2)
            #expect(try none.json()["error"]?["code"]?.string == "not_running")
        }
    }

    @Test("--print-env starts an agent if none is running and prints its environment")
    func background() async throws {
        try await AgentScene.play { agent in
            _ = await agent.end()
            let shell = """
                eval "$('\(Scene.products)/tessera' agent --print-env)" && '\(Scene.products)/tessera' token && \
                '\(Scene.products)/tessera' agent --print-env && '\(Scene.products)/tessera' agent stop
                """
            let child = try agent.scene.start(
                ["-c", shell],
                program: "/bin/sh",
                environment: ["XDG_RUNTIME_DIR": agent.scene.home + "/run"]
            )
            child.closeInput()
            let lines = await child.output.lines()
            #expect(await child.exitStatus == 0)
            #expect(lines.first?.hasPrefix("Agent pid ") == true, "\(lines)")
            #expect(lines.contains { $0.hasPrefix("ya29.") })
            #expect(lines.contains("TESSERA_AGENT_SOCK='\(agent.socket)'; export TESSERA_AGENT_SOCK;"))
            #expect(lines.contains("echo \(lines.first ?? "");"))
            let audit = try String(contentsOfFile: agent.scene.home + "/data/tessera/agent.audit", encoding: .utf8)
            #expect(audit.split(separator: "\n").count == 1)
            // The background agent is not a child of this test. Wait until it removes its socket.
            while FileManager.default.fileExists(atPath: agent.socket) { await Task.yield() }
        }
    }

    @Test("Reports an agent that cannot start and leaves no process")
    func backgroundFailure() async throws {
        try await AgentScene.play { agent in
            let output = try await agent.run("agent", "--print-env", "--socket", "/proc/tessera/agent.sock")
            #expect(output.status == 2)
        }
    }

    @Test("Keeps the session when killed during a refresh", .covers(115))
    func killed() async throws {
        try await AgentScene.play { agent in
            let first = try await agent.run("token").line
            let (arrived, open) = agent.holdTokens()
            let waiting = Task { try await agent.run("token", "--agent", "--min-validity", "2h") }
            for await _ in arrived { break }
            #expect(await agent.end { await $0.kill() } == -SIGKILL)
            // The waiting client reports a missing response and never a partial one.
            #expect([2, 5].contains(try await waiting.value.status))
            agent.provider.change { $0.beforeResponse = nil }
            open()
            #expect(FileManager.default.fileExists(atPath: agent.socket), "a killed agent leaves its socket")
            try await agent.startAgain()
            #expect(try await agent.run("token").line == first)
            let second = try await agent.run("token", "--min-validity", "2h")
            #expect(second.status == 0, "\(second.errors)")
            #expect(second.line != first, "\(second.errors)")
        }
    }

    @Test(
        "Reports a lost refresh token after a crash, and recovers with a new sign-in",
        .covers(115)
    )
    func killedRotating() async throws {
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = true
        try await AgentScene.play(options) { agent in
            let first = try await agent.run("token").line
            agent.provider.change { $0.tokenFaults = [.delayedResponse] }
            let waiting = Task { try await agent.run("token", "--agent", "--min-validity", "2h") }
            while agent.provider.refreshRequestCount == 0 { await Task.yield() }
            #expect(await agent.end { await $0.kill() } == -SIGKILL)
            #expect([2, 5].contains(try await waiting.value.status))
            try await agent.startAgain()
            // Only the replaced refresh token is lost. The access token is still valid.
            #expect(try await agent.run("token").line == first)
            let doubtful = try DoctorOutput(try await agent.run("doctor", "--json"))
            #expect(doubtful.findings("account") == ["interruptedRefresh possible"])
            let lost = try await agent.run("token", "--min-validity", "2h")
            #expect(lost.status == 6)
            #expect(lost.errors.contains("a refresh was interrupted"), "\(lost.errors)")
            let ended = try DoctorOutput(try await agent.run("doctor", "--json"))
            #expect(ended.findings("account").first == "interruptedRefresh likely", "\(ended.findings("account"))")
            #expect(try await agent.scene.login().status == 0)
            #expect(try await agent.run("token").line.hasPrefix("ya29."))
            #expect(try await agent.run("token", "--min-validity", "2h").status == 0)
        }
    }

    @Test(
        "Saves a pending refresh and serves waiting clients after SIGTERM",
        .covers(115)
    )
    func terminated() async throws {
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = true
        try await AgentScene.play(options) { agent in
            let (arrived, open) = agent.holdTokens()
            let waiting = Task { try await agent.run("token", "--agent", "--min-validity", "2h") }
            for await _ in arrived { break }
            let ending = Task { await agent.end() }
            while FileManager.default.fileExists(atPath: agent.socket) { await Task.yield() }
            agent.provider.change { $0.beforeResponse = nil }
            open()
            let token = try await waiting.value
            #expect(token.status == 0)
            #expect(token.line.hasPrefix("ya29."))
            #expect(await ending.value == 0)
            try await agent.startAgain()
            #expect(try await agent.run("token").line == token.line)
            #expect(agent.provider.refreshRequestCount == 1)
            // With rotation, a lost response would end the session here.
            #expect(try await agent.run("token", "--min-validity", "2h").status == 0)
        }
    }
}
