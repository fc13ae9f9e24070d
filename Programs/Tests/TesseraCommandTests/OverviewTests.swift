// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TestPrograms
internal import Testing

@Suite("The first minutes with tessera")
struct OverviewTests {
    private static func overview(_ scene: Scene) async throws -> String {
        let terminal = try PseudoTerminal(columns: 80)
        let child = try terminal.start(scene, [], output: true)
        #expect(await child.exitStatus == 0)
        return await terminal.text().replacing("\r\n", with: "\n")
    }

    @Test("Without arguments on a terminal, says who is signed in and lists three commands")
    func overview() async throws {
        try await Scene.play { scene in
            let before = try await Self.overview(scene)
            #expect(before.hasPrefix("Not signed in.\n\n  tessera login "), "\(before)")
            #expect(before.split(separator: "\n").count { $0.hasPrefix("  tessera ") } == 3)
            try await scene.login()
            let after = try await Self.overview(scene)
            #expect(after.hasPrefix("Signed in as ada@example.com.\n"), "\(after)")
            #expect(after.split(separator: "\n").count { $0.hasPrefix("  tessera ") } == 3)
        }
    }

    @Test("Without arguments and without a terminal, prints the help")
    func help() async throws {
        try await Scene.play { scene in
            let output = try await scene.run()
            #expect(output.status == 0)
            #expect(output.text.hasPrefix("OVERVIEW: "), "\(output.text)")
        }
    }

    @Test("login without a client explains in five lines where one comes from", arguments: [[], ["--google"]])
    func client(_ options: [String]) async throws {
        try await Scene.play { scene in
            let output = try await scene.run(["login"] + options)
            #expect(output.status == 2)
            #expect(output.errorLines.count == 5, "\(output.errors)")
            #expect(output.errors.contains("https://console.cloud.google.com/auth/clients"))
            let object = try await scene.run(["login", "--json"] + options).json()
            #expect(object["error"]?["code"]?.string == "usage")
        }
    }

    @Test("Requests a missing scope after confirmation on a terminal, and never without one")
    func scopes() async throws {
        try await Scene.play { scene in
            try await scene.login()
            let words = ["drive", "ls", "--root-url", scene.provider.baseURL]
            let refused = try await scene.run(words)
            #expect(refused.status == 3, "\(refused.errors)")

            let denied = try PseudoTerminal(columns: 200)
            let first = try denied.start(scene, words, input: true, output: true)
            _ = await denied.text { $0.contains("[y/N]") }
            denied.type(Array("n\n".utf8))
            #expect(await first.exitStatus == 3)

            let terminal = try PseudoTerminal(columns: 200)
            let second = try terminal.start(
                scene,
                words,
                input: true,
                output: true,
                environment: ["BROWSER": Scene.walk()]
            )
            let question = await terminal.text { $0.contains("[y/N]") }
            #expect(question.contains("drive.readonly"), "\(question)")
            terminal.type(Array("y\n".utf8))
            #expect(await second.exitStatus == 0)
            #expect(await terminal.text().contains("Welcome.txt"))
            #expect(try await scene.run("scopes").text.contains("drive.readonly"))
        }
    }

    @Test("doctor reports a program with another version")
    func versions() async throws {
        try await Scene.play { scene in
            let directory = scene.home + "/bin"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            try FileManager.default.copyItem(atPath: Scene.products + "/tessera", toPath: directory + "/tessera")
            let other = directory + "/tessera-provider"
            try Data("#!/bin/sh\necho 'tessera 0.0.1 (x)'\n".utf8).write(to: URL(filePath: other))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: other)
            let child = try scene.start(["doctor", "--offline", "--json"], program: directory + "/tessera")
            let result = await child.finish()
            let object = try JSONValue(parsing: result.output)
            let check = object["checks"]?.elements?.first { $0["check"]?.string == "programs" }
            #expect(check?["state"]?.string == "problem")
            #expect(check?["words"]?.string?.contains("tessera 0.0.1") == true)
            #expect(result.status == 2)
        }
    }
}
