// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import Testing
internal import TestPrograms

@Suite("Directories and socket of tessera agent", .timeLimit(.minutes(2)))
struct AgentDirectoryTests {
    @Test(
        "Creates its directories with any store",
        .covers(138),
        arguments: ["file:", "passphrase:", "sqlite:"],
        [false, true]
    )
    func missing(_ kind: String, _ inBackground: Bool) async throws {
        try await Scene.play { scene in
            let environment = [
                "TESSERA_STORE": kind + scene.home + "/store",
                "TESSERA_PASSPHRASE": "seven quiet herons cross the 41st bay",
            ]
            let login = ["login", "--client", scene.clientFile, "--allow-loopback-http", "--browser", Scene.walk()]
            let output = try await scene.run(login, environment: environment)
            #expect(output.status == 0, "\(output.errors)")
            let data = scene.home + "/data"
            try? FileManager.default.removeItem(atPath: data)
            if inBackground {
                let started = try await scene.run("agent", "--print-env", environment: environment)
                #expect(started.status == 0, "\(started.errors)")
            }
            let agent =
                try inBackground
                ? nil : scene.start(["agent", "start", "--audit", data + "/audit/file"], environment: environment)
            if let agent { #expect(await agent.output.line()?.hasPrefix("The agent is listening at ") == true) }
            let token = try await scene.run("token", "--agent", environment: environment)
            #expect(token.status == 0, "\(token.errors)")
            #expect(token.line.hasPrefix("ya29."))
            let audit = data + (inBackground ? "/tessera/agent.audit" : "/audit/file")
            #expect(try String(contentsOfFile: audit, encoding: .utf8).split(separator: "\n").count == 1)
            #expect(try await scene.run("agent", "stop", environment: environment).status == 0)
            if let agent { #expect(await agent.exitStatus == 0) }
            let socket = scene.home + "/config/tessera/run/agent.sock"
            while FileManager.default.fileExists(atPath: socket) { await Task.yield() }
        }
    }

    @Test(
        "Reports a usage error with the path if the agent cannot listen",
        .covers(142),
        arguments: [
            ("mkdir run/s", "run/s", "is not a socket"), ("echo precious > run/s", "run/s", "is not a socket"),
            ("ln -s nothing run/s", "run/s", "is not a socket"), ("mkfifo run/s", "run/s", "is not a socket"),
            ("chmod 777 run", "run/s", "other users can access it"),
            ("chmod 1777 run", "run/s", "other users can access it"),
            ("echo > run/file", "run/file/s", "it is a link, or not a directory"),
            ("true", "run/" + String(repeating: "s", count: 120), "longer than"),
            ("true", "/proc/none/s", "/proc/none"),
        ]
    )
    func obstacle(_ command: String, _ name: String, _ words: String) async throws {
        try await Scene.play { scene in
            let shell = "cd '\(scene.home)' && mkdir -m 700 run && \(command)"
            #expect(try await ChildProgram.run(["/bin/sh", "-c", shell]).status == 0)
            let path = name.hasPrefix("/") ? name : scene.home + "/" + name
            let started = try await scene.run("agent", "start", "--socket", path)
            #expect(started.status == 2, "\(started.errors)")
            #expect(started.errors.contains(words), "\(started.errors)")
            #expect(!started.errors.contains("session"), "\(started.errors)")
            let background = try await scene.run("agent", "--print-env", "--socket", path)
            #expect(background.status == 2, "\(background.errors)")
            #expect(background.text.isEmpty)
            let token = try await scene.run("token", "--agent", environment: ["TESSERA_AGENT_SOCK": path])
            #expect(token.status == 2, "\(token.errors)")
        }
    }

    @Test("Reports a usage error if the audit log cannot be written", .covers(138))
    func audit() async throws {
        try await Scene.play { scene in
            for words in [["agent", "start"], ["agent", "--print-env"]] {
                let output = try await scene.run(words + ["--audit", "/proc/none/audit"])
                #expect(output.status == 2, "\(output.errors)")
            }
        }
    }
}
