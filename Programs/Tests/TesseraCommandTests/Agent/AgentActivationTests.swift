// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import Testing

@Suite("Socket activation of tessera agent", .timeLimit(.minutes(2)))
struct AgentActivationTests {
    @Test("Serves clients that connected before it started, and leaves the socket for the next agent")
    func service() async throws {
        try await Scene.play { scene in
            #expect(try await scene.login().status == 0)
            let socket = try ListeningSocket(at: scene.home + "/run/agent.sock")
            let environment = ["TESSERA_AGENT_SOCK": socket.path]
            for _ in 0..<2 {
                let waiting = Task { try await scene.run("token", "--agent", environment: environment) }
                let agent = try Self.start(scene, socket)
                #expect(await agent.output.line() == "The agent is listening at \(socket.path)")
                let token = try await waiting.value
                #expect(token.status == 0, "\(token.errors)")
                #expect(token.line.hasPrefix("ya29."))
                #expect(try await scene.run("agent", "stop", environment: environment).status == 0)
                #expect(await agent.exitStatus == 0)
                #expect(FileManager.default.fileExists(atPath: socket.path))
            }
        }
    }

    @Test("Creates its own socket if the variables belong to another process")
    func otherProcess() async throws {
        try await Scene.play { scene in
            let path = scene.home + "/own/agent.sock"
            let variables = ["LISTEN_PID": "1", "LISTEN_FDS": "1"]
            let agent = try scene.start(["agent", "start", "--socket", path], environment: variables)
            #expect(await agent.output.line() == "The agent is listening at \(path)")
            await agent.terminate()
            #expect(await agent.exitStatus == 0)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test(
        "Reports a usage error unless it gets exactly one listening Unix socket",
        arguments: [
            ("2", true, "LISTEN_FDS is 2"), ("x", true, "LISTEN_FDS is not a number"),
            ("1", false, "descriptor 3 is not a listening socket"),
        ]
    )
    func unusable(_ call: (count: String, listens: Bool, words: String)) async throws {
        try await Scene.play { scene in
            let socket = try ListeningSocket(at: scene.home + "/run/agent.sock", listens: call.listens)
            let agent = try Self.start(scene, socket, count: call.count, ["--json"])
            let (output, status) = await agent.finish()
            #expect(status == 2)
            #expect(String(decoding: output, as: UTF8.self).contains("unusable_socket"))
            let errors = String(decoding: await agent.errors.rest(), as: UTF8.self)
            #expect(errors.contains(call.words), "\(errors)")
            #expect(FileManager.default.fileExists(atPath: socket.path))
        }
    }

    @Test("Reports a usage error if --socket names another path")
    func otherPath() async throws {
        try await Scene.play { scene in
            let socket = try ListeningSocket(at: scene.home + "/run/agent.sock")
            let agent = try Self.start(scene, socket, ["--socket", scene.home + "/run/other.sock"])
            #expect(await agent.exitStatus == 2)
            let errors = String(decoding: await agent.errors.rest(), as: UTF8.self)
            #expect(errors.contains("the inherited socket is \(socket.path)"), "\(errors)")
            #expect(!FileManager.default.fileExists(atPath: scene.home + "/run/other.sock"))
        }
    }

    /// Starts an agent that inherits a socket, with the variables that systemd sets.
    private static func start(
        _ scene: Scene,
        _ socket: ListeningSocket,
        count: String = "1",
        _ options: [String] = []
    ) throws -> ChildProgram {
        // The shell's process ID remains that of the program that replaces it.
        let shell = "export LISTEN_PID=$$ LISTEN_FDS=\(count) LISTEN_FDNAMES=agent; exec \"$0\" \"$@\""
        return try scene.start(
            ["-c", shell, Scene.products + "/tessera", "agent", "start"] + options,
            program: "/bin/sh",
            inheriting: socket.descriptor
        )
    }
}
