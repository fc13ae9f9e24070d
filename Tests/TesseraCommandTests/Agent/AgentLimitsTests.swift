// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && CommandLine
internal import Foundation
internal import Testing
internal import TestPrograms

@Suite(
    "tessera agent and programs that behave badly",
    .timeLimit(.minutes(2)),
    .enabled(if: ChildProgram.missing(["python3"]) == nil)
)
struct AgentLimitsTests {
    @Test("Programs that connect and say little or nothing keep no other from its token")
    func slow() async throws {
        try await AgentScene.play { agent in
            let script = """
                import os, socket, sys
                connections = []
                for number in range(200):
                    connection = socket.socket(socket.AF_UNIX)
                    connection.connect(os.environ["TESSERA_AGENT_SOCK"])
                    connection.sendall([b"", b"POST /v1/tok", b"POST /v1/token HTTP/1.1\\r\\nHost: x\\r\\n"][number % 3])
                    connections.append(connection)
                print("ready", flush=True)
                sys.stdin.read()
                """
            let crowd = try ChildProgram(
                ["python3", "-c", script],
                environment: ProcessInfo.processInfo.environment.merging(agent.environment) { $1 }
            )
            #expect(await crowd.output.line() == "ready")
            #expect(try await agent.run("token").line.hasPrefix("ya29."))
            crowd.closeInput()
            _ = await crowd.exitStatus
        }
    }

    @Test("What is too long, or no request at all, gets an error or nothing, and the agent lives on")
    func garbage() async throws {
        try await AgentScene.play { agent in
            let script = """
                import os, socket
                for data in [b"\\0" * 100000, b"GET / HTTP/9\\r\\n\\r\\n", b"POST /v1/token HTTP/1.1\\r\\nHost: x\\r\\n"
                             b"Content-Length: 99999999\\r\\n\\r\\n", b"X: " + b"y" * 100000]:
                    connection = socket.socket(socket.AF_UNIX)
                    connection.connect(os.environ["TESSERA_AGENT_SOCK"])
                    try:
                        connection.sendall(data)
                        connection.shutdown(socket.SHUT_WR)
                    except OSError:
                        pass
                    try:
                        print(connection.recv(12).decode())
                    except OSError:
                        print("closed")
                """
            let (text, status) = try await agent.program(["python3", "-c", script])
            #expect(status == 0)
            let answers = text.split(separator: "\n")
            #expect(answers.count == 4)
            #expect(answers.allSatisfy { $0.hasPrefix("HTTP/1.1 4") || $0 == "closed" }, "\(answers)")
            #expect(try await agent.run("token").status == 0)
            #expect(try agent.lines().count == 1)
        }
    }
}
#endif
