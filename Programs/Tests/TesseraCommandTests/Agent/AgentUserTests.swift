// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TestPrograms

@Suite(
    "tessera agent and other users",
    .timeLimit(.minutes(2)),
    .enabled(if: OtherUser.isPossible, Comment(rawValue: OtherUser.obstacle ?? ""))
)
struct AgentUserTests {
    private static let curl = ["curl", "--silent", "--show-error", "--data", "{}", "http://localhost/v1/token"]

    @Test("Rejects programs of other users, even if the file modes allow access", .shows(claims: 27))
    func client() async throws {
        try await AgentScene.play { agent in
            let ask = Self.curl + ["--unix-socket", agent.socket]
            #expect(try await agent.program(OtherUser.words + ask).status != 0)
            // Even if the file modes allow access, the system reports the user of the peer.
            let folder = URL(filePath: agent.socket).deletingLastPathComponent()
            for path in [agent.socket, folder.path, folder.deletingLastPathComponent().path, agent.scene.home] {
                try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
            }
            let (text, status) = try await agent.program(OtherUser.words + ask)
            #expect(status != 0)
            #expect(text.isEmpty)
            #expect(try await agent.program(ask).status == 0)
            #expect(try agent.lines().count == 1)
            // The commands no longer trust this directory.
            let own = try await agent.run("token", "--agent", "--json")
            #expect(try own.json()["error"]?["code"]?.string == "unsafe_place")
        }
    }

    @Test("Sends nothing to a server of another user", .shows(claims: 27))
    func server() async throws {
        try await AgentScene.play { agent in
            let folder = URL(filePath: agent.socket).deletingLastPathComponent().path
            let path = folder + "/impostor.sock"
            // The socket is bound by this user in the correct directory, and another user listens at it.
            let script = """
                import os, socket
                server = socket.socket(socket.AF_UNIX)
                server.bind("\(path)")
                os.setresuid(65534, 65534, 65534)
                server.listen()
                print("listens", flush=True)
                connection = server.accept()[0]
                print("got", len(connection.recv(100)), flush=True)
                """
            let impostor = try ChildProgram(["python3", "-c", script])
            #expect(await impostor.output.line() == "listens")
            let output = try await agent.run(
                "token",
                "--agent",
                "--json",
                environment: agent.environment.merging([agent.variable: path]) { $1 }
            )
            #expect(output.status == 2)
            #expect(try output.json()["error"]?["code"]?.string == "another_user")
            #expect(await impostor.output.line() == "got 0")
            await impostor.kill()
        }
    }

    @Test("Blocks access to its memory by other programs of the same user")
    func dumps() async throws {
        try await Scene.play { scene in
            // The home directory of a user other than root, because the kernel does not restrict root.
            let home = scene.home + "/other"
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scene.home)
            try FileManager.default.createDirectory(
                atPath: home,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700, .ownerAccountID: 65_534]
            )
            let child = try scene.start(
                Array(OtherUser.words.dropFirst()) + [Scene.products + "/tessera", "agent", "start"],
                program: "setpriv",
                environment: [
                    "HOME": home, "XDG_CONFIG_HOME": home + "/config", "XDG_DATA_HOME": home + "/data",
                    "XDG_RUNTIME_DIR": home,
                ]
            )
            #expect(await child.output.line()?.hasSuffix("\(home)/tessera/agent.sock") == true)
            let ask = ["curl", "--silent", "--unix-socket", home + "/tessera/agent.sock", "http://localhost/v1/status"]
            // Root can access every directory, but the agent rejects it as another user.
            let (rejected, status) = try await ChildProgram.run(ask)
            #expect(status != 0)
            #expect(rejected.isEmpty)
            let object = try JSONValue(parsing: try await ChildProgram.run(OtherUser.words + ask).output)
            #expect(object["refuses_dumps"]?.bool == true)
            let process = try #require(try object["pid"]?.integer(Int.self))
            for file in ["mem", "environ", "maps"] {
                let look = OtherUser.words + ["head", "-c", "1", "/proc/\(process)/\(file)"]
                #expect(try await ChildProgram.run(look).status != 0, "\(file)")
            }
            // The user can read the memory of a program that does not protect itself.
            let look = OtherUser.words + ["sh", "-c", "head -c 1 /proc/$$/environ > /dev/null; exit $?"]
            #expect(try await ChildProgram.run(look).status == 0)
            await child.terminate()
        }
    }
}
