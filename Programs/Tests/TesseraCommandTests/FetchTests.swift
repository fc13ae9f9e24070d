// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TestPrograms

@Suite("tessera fetch")
struct FetchTests {
    private static let writeScope = "https://www.googleapis.com/auth/drive.file"

    @Test("Writes the body to standard output unchanged")
    func get() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Scene.driveScope)
            let output = try await scene.run("fetch", "\(scene.drive)/files")
            #expect(output.status == 0)
            #expect(try JSONValue(parsing: output.bytes)["files"]?.elements?.isEmpty == false)
            #expect(output.errors.isEmpty)
        }
    }

    @Test("-i prints the response header before the body, and -o writes the body to a file")
    func headAndFile() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Scene.driveScope)
            let included = try await scene.run("fetch", "-i", "\(scene.drive)/files")
            #expect(included.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(included.text.contains("\r\nContent-Type: application/json"))
            #expect(included.text.contains("\r\n\r\n{"))
            let file = scene.home + "/answer.json"
            let written = try await scene.run("fetch", "-o", file, "\(scene.drive)/files")
            #expect(written.status == 0)
            #expect(written.bytes.isEmpty)
            #expect(try JSONValue(parsing: Array(Data(contentsOf: URL(filePath: file))))["files"] != nil)
        }
    }

    @Test("-o keeps the earlier file if the response is incomplete")
    func incompleteFile() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Scene.driveScope)
            let list = try await scene.run("fetch", "\(scene.drive)/files?fields=files(id)")
            let id = try #require(try JSONValue(parsing: list.bytes)["files"]?[0]?["id"]?.string)
            let file = try scene.write(Array("earlier".utf8), to: "answer.json", mode: 0o640)
            scene.provider.change { $0.driveFaults = [.truncatedResponse(10)] }
            let words = ["fetch", "-o", file, "\(scene.drive)/files/\(id)?fields=*", "--retry-deadline", "0"]
            #expect(try await scene.run(words).status == 5)
            #expect(try scene.read(file) == Array("earlier".utf8))
            scene.provider.change { $0.driveFaults = [] }
            #expect(try await scene.run(words).status == 0)
            #expect(try JSONValue(parsing: scene.read(file))["id"]?.string == id)
            #expect(try scene.mode(of: file) == 0o640)
            let names = try FileManager.default.contentsOfDirectory(atPath: scene.home)
            #expect(names.allSatisfy { !$0.hasSuffix(".part") })
        }
    }

    @Test(
        "Fails if standard output cannot be written",
        .enabled(if: access("/dev/full", W_OK) == 0),
        arguments: [["token"], ["accounts", "--json"], ["fetch", "DRIVE/files"]]
    )
    func fullOutput(_ words: [String]) async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Scene.driveScope)
            let words = words.map { $0.replacingOccurrences(of: "DRIVE", with: scene.drive) }
            let command = "exec \"$0\" \(words.joined(separator: " ")) > /dev/full"
            let child = try scene.start(["-c", command, Scene.products + "/tessera"], program: "/bin/sh")
            let errors = String(decoding: await child.errors.rest(), as: UTF8.self)
            #expect(await child.exitStatus == 2)
            #expect(errors.contains("Standard output: No space left on device"), "\(errors)")
        }
    }

    @Test("-d sends text, a file or standard input with the given content type", arguments: ["text", "file", "input"])
    func post(_ kind: String) async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Self.writeScope)
            let body = #"{"name": "made by \#(kind).txt"}"#
            let file = scene.home + "/body.json"
            try Data(body.utf8).write(to: URL(filePath: file))
            let data = ["text": body, "file": "@\(file)", "input": "@-"][kind] ?? ""
            let output = try await scene.run(
                "fetch",
                "-H",
                "Content-Type: application/json",
                "-d",
                data,
                "\(scene.drive)/files",
                input: kind == "input" ? Array(body.utf8) : []
            )
            #expect(output.status == 0, "\(output.text)")
            #expect(try JSONValue(parsing: output.bytes)["name"]?.string == "made by \(kind).txt")
        }
    }

    @Test("-d removes line breaks like curl, and --data-binary sends the file unchanged")
    func lineBreaks() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Self.writeScope)
            let file = scene.home + "/body.json"
            try Data("{\"name\": \"two\r\n\0lines.txt\"}\n".utf8).write(to: URL(filePath: file))
            let call = ["fetch", "-H", "Content-Type: application/json", "\(scene.drive)/files"]
            let stripped = try await scene.run(call + ["-d", "@\(file)"])
            #expect(stripped.status == 0, "\(stripped.text)")
            #expect(try JSONValue(parsing: stripped.bytes)["name"]?.string == "twolines.txt")
            // JSON does not allow a line break in a string.
            #expect(try await scene.run(call + ["--data-binary", "@\(file)"]).status == 3)
            let text = #"{"name": "binary.txt"}"#
            #expect(try await scene.run(call + ["--data-binary", text]).status == 0)
        }
    }

    @Test("Does not wait for the body of a HEAD response")
    func head() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Scene.driveScope)
            let output = try await scene.run("fetch", "-i", "-X", "HEAD", "\(scene.drive)/files")
            #expect(output.status == 0)
            #expect(output.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(output.text.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("Ends silently when the reader closes the pipe")
    func closedPipe() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Scene.driveScope)
            let script = #""$1" fetch $3 "$2" | { exec 0<&-; echo gone >&2; }; exit ${PIPESTATUS[0]}"#
            for option in ["", "--json"] {
                let (gate, open) = AsyncStream<Void>.makeStream()
                scene.provider.change { behavior in
                    behavior.beforeResponse = { path in
                        guard path.hasSuffix("/files") else { return }
                        for await _ in gate { break }
                    }
                }
                let child = try scene.start(
                    ["-c", script, "bash", Scene.products + "/tessera", "\(scene.drive)/files", option],
                    program: "/bin/bash"
                )
                #expect(await child.errors.line { !$0.isEmpty } == "gone")
                open.finish()
                #expect(await child.errors.lines() == [])
                // 128 plus the number of SIGPIPE.
                #expect(await child.finish().status == 141)
            }
        }
    }

    @Test("Sends the token only to authorized origins and those allowed with --allow-origin", .covers(120))
    func origins() async throws {
        try await Scene.play { scene in
            let other = try await LocalProvider.start()
            try await scene.login("--scope", Scene.driveScope)
            let url = "\(other.baseURL)/drive/v3/files"
            let refused = try await scene.run("fetch", url)
            #expect(refused.status == 2)
            #expect(refused.errors.contains("--allow-origin \(other.baseURL)"))
            // The other provider rejects the token, which shows that it was sent after --allow-origin permitted it.
            #expect(try await scene.run("fetch", "--allow-origin", other.baseURL, url).status == 6)
            #expect(try await scene.run("fetch", url).status == 2)
            try await scene.login("--scope", Scene.driveScope, "--allow-origin", other.baseURL)
            #expect(try await scene.run("fetch", url).status == 6)
            await other.stop()
        }
    }

    @Test(
        "Rejects remote plain http, user names in URLs and Authorization headers",
        .covers(120),
        arguments: [
            ["fetch", "http://example.com/"], ["fetch", "https://ada@127.0.0.1/"], ["fetch", "ftp://127.0.0.1/"],
            ["fetch", "-H", "Authorization: Bearer mine", "https://127.0.0.1/"],
            ["fetch", "-H", "authorization:x", "https://127.0.0.1/"], ["fetch", "-H", "nothing", "https://127.0.0.1/"],
            ["fetch", "-X", "GE T", "https://127.0.0.1/"], ["fetch", "-d", "@/does/not/exist", "https://127.0.0.1/"],
        ]
    )
    func refusals(_ arguments: [String]) async throws {
        try await Scene.play { scene in
            try await scene.login()
            let output = try await scene.run(arguments)
            #expect(output.status == 2)
            #expect(output.errorLines.count == 1)
            #expect(output.bytes.isEmpty)
        }
    }

    @Test("Refreshes a rejected token once and retries the call", .covers(117))
    func renewal() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Scene.driveScope)
            scene.provider.expireAccessTokens()
            #expect(try await scene.run("fetch", "\(scene.drive)/files").status == 0)
            #expect(scene.provider.refreshRequestCount == 1)
        }
    }

    @Test("Prints the body of an error, exits with 3 and names the missing scope")
    func refusedCall() async throws {
        try await Scene.play { scene in
            try await scene.login()
            let forbidden = try await scene.run("fetch", "\(scene.drive)/files")
            #expect(forbidden.status == 3)
            #expect(try JSONValue(parsing: forbidden.bytes)["error"]?["code"]?.integer() == 403)
            #expect(forbidden.errors.contains("tessera scopes add"))
            #expect(forbidden.errors.contains(Scene.driveScope))
            #expect(scene.provider.refreshRequestCount == 0)
            let object = try await scene.run("fetch", "--json", "\(scene.provider.baseURL)/nothing").json()
            #expect(try object["status"]?.integer() == 404)
            #expect(try object["error"]?["exitCode"]?.integer() == 3)
        }
    }
}
