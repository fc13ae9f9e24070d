// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import Testing
internal import TestPrograms

@Suite(
    "tessera agent with misbehaving clients",
    .timeLimit(.minutes(2)),
    .enabled(if: ChildProgram.missing(["python3"]) == nil)
)
struct AgentLimitsTests {
    /// A Python program that opens `idle` connections and requests `each` tokens from each of `clients` threads.
    ///
    /// It prints the number of responses for each status line.
    private static let load = """
        import collections, os, socket, sys, threading
        path = os.environ["TESSERA_AGENT_SOCK"]
        idle, clients, each = map(int, sys.argv[1:])
        results = collections.Counter()
        lock = threading.Lock()
        start = threading.Barrier(clients)

        def connected():
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(path)
            return connection

        def ask():
            connection = connected()
            try:
                connection.sendall(b"POST /v1/token HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 2\\r\\n\\r\\n{}")
                response = b""
                while more := connection.recv(65536):
                    response += more
                return response.split(b"\\r\\n")[0].decode()
            except OSError as error:
                return str(error)
            finally:
                connection.close()

        def run():
            start.wait()
            for _ in range(each):
                result = ask()
                with lock:
                    results[result] += 1

        crowd = [connected() for _ in range(idle)]
        threads = [threading.Thread(target=run) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result, count in results.items():
            print(count, result)
        """

    @Test("Serves 2,000 requests from 200 clients while other clients are silent", .covers(139), arguments: [0, 100])
    func load(_ idle: Int) async throws {
        try await AgentScene.play { agent in
            let (text, status) = try await agent.program(["python3", "-c", Self.load, "\(idle)", "200", "10"])
            #expect(status == 0)
            #expect(text == "2000 HTTP/1.1 200 OK\n")
            #expect(try agent.lines().count == 2_000)
        }
    }

    @Test("Serves fewer clients at a time with few descriptors", .covers(139))
    func descriptors() async throws {
        try await Scene.play { scene in
            #expect(try await scene.login().status == 0)
            let socket = scene.home + "/run/agent.sock"
            // The event loops need three descriptors per processor.
            let limit = 48 + 3 * ProcessInfo.processInfo.processorCount
            let words = "ulimit -n \(limit) && exec '\(Scene.products)/tessera' agent start --socket '\(socket)'"
            let child = try scene.start(["-c", words], program: "/bin/sh")
            #expect(await child.output.line()?.hasPrefix("The agent is listening at ") == true)
            let own = ProcessInfo.processInfo.environment.merging(["TESSERA_AGENT_SOCK": socket]) { $1 }
            let load = ["python3", "-c", Self.load, "40", "50", "4"]
            let (output, status) = try await ChildProgram.run(load, environment: own)
            #expect(status == 0)
            #expect(String(decoding: output, as: UTF8.self) == "200 HTTP/1.1 200 OK\n")
            let environment = ["TESSERA_AGENT_SOCK": socket]
            #expect(try await scene.run("token", "--min-validity", "2h", environment: environment).status == 0)
            await child.terminate()
            #expect(await child.exitStatus == 0)
        }
    }

    @Test("Issues no token after the reader of the audit log exits, and keeps running", .covers(167))
    func closedErrors() async throws {
        try await Scene.play { scene in
            #expect(try await scene.login().status == 0)
            let socket = scene.home + "/run/agent.sock"
            let words = "exec 3>&1; '\(Scene.products)/tessera' agent start --socket '\(socket)' 2>&1 1>&3 | true"
            let child = try scene.start(["-c", words], program: "/bin/sh")
            #expect(await child.output.line()?.hasPrefix("The agent is listening at ") == true)
            let environment = ["TESSERA_AGENT_SOCK": socket]
            for _ in 1...2 {
                let token = try await scene.run("token", environment: environment)
                #expect(token.status == 7, "\(token.errors)")
                #expect(token.text.isEmpty)
            }
            #expect(try await scene.run("agent", "stop", environment: environment).status == 0)
            _ = await child.exitStatus
        }
    }

    @Test("Serves other clients while some send little or nothing", .covers(139))
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

    @Test("Rejects oversized and malformed requests and keeps running")
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
            let responses = text.split(separator: "\n")
            #expect(responses.count == 4)
            #expect(responses.allSatisfy { $0.hasPrefix("HTTP/1.1 4") || $0 == "closed" }, "\(responses)")
            #expect(try await agent.run("token").status == 0)
            #expect(try agent.lines().count == 1)
        }
    }
}
