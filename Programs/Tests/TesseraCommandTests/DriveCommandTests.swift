// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TestPrograms

@Suite("tessera drive")
struct DriveCommandTests {
    private static let timeout = ["--retry-deadline", "0"]

    /// Runs `body` with a signed-in user with write access, a file, and the option for the root URL.
    private static func play(_ body: (_ scene: Scene, _ file: String, _ root: [String]) async throws -> Void)
        async throws
    {
        try await TransferTests.play { scene, file, _ in
            try await body(scene, file, ["--root-url", scene.provider.baseURL])
        }
    }

    @Test("ls lists files as a table or a JSON object and searches by name")
    func list() async throws {
        try await Self.play { scene, _, root in
            let table = try await scene.run(["drive", "ls"] + root)
            #expect(table.status == 0, "\(table.errors)")
            let rows = table.line.split(separator: "\n")
            #expect(rows.count == 4)
            #expect(rows.first?.split(separator: " ") == ["NAME", "SIZE", "MODIFIED", "ID"])
            let found = try await scene.run(["drive", "ls", "Welcome", "--json"] + root).json()
            #expect(found["files"]?.elements?.count == 1)
            #expect(found["files"]?[0]?["name"]?.string == "Welcome.txt")
            let query = try await scene.run(["drive", "ls", "mimeType = 'text/csv'", "--json"] + root).json()
            #expect(query["files"]?.elements?.count == 1)
            let some = try await scene.run(["drive", "ls", "--limit", "1"] + root)
            #expect(some.line.split(separator: "\n").count == 2)
            #expect(some.errors.contains("There are more files"))
        }
    }

    @Test("Uses a session in a database, which tessera-databases opens", arguments: ["tessera", "tessera-api"])
    func database(program: String) async throws {
        try await Self.play { scene, _, root in
            let store = "sqlite:\(scene.home)/sessions.db"
            let moved = try await scene.run("store", "copy", "--move", "file:" + scene.store, store)
            #expect(moved.status == 0, "\(moved.errors)")
            let words = ["drive", "ls", "Welcome", "--store", store]
            let child = try scene.start(words + root, program: Scene.products + "/" + program)
            child.closeInput()
            let errors = String(decoding: await child.errors.rest(), as: UTF8.self)
            let (output, status) = await child.finish()
            #expect(status == 0, "\(errors)")
            #expect(String(decoding: output, as: UTF8.self).contains("Welcome.txt"))
        }
    }

    @Test("put uploads a file, and get downloads it by name")
    func putAndGet() async throws {
        try await Self.play { scene, file, root in
            let put = try await scene.run(["drive", "put", file, "--name", "It's a film.bin"] + root)
            #expect(put.status == 0, "\(put.errors)")
            #expect(put.errors.isEmpty, "\(put.errors)")
            #expect(TransferTests.savedUploads(scene) == [])
            let copy = scene.home + "/copy.bin"
            let get = try await scene.run(["drive", "get", "It's a film.bin", "-o", copy, "--json"] + root)
            #expect(get.status == 0, "\(get.errors)")
            #expect(try get.json()["file"]?.string == copy)
            #expect(get.text.contains(#""bytes":2000000"#))
            #expect(Array(try Data(contentsOf: URL(filePath: copy))) == TransferTests.content)
            let piped = try await scene.run(["drive", "get", put.line, "-o", "-"] + root)
            #expect(piped.bytes == TransferTests.content)
        }
    }

    @Test("put continues with --resume after Ctrl-C")
    func interrupted() async throws {
        try await Self.play { scene, file, root in
            let words = ["drive", "put", file] + root
            let reached = TransferTests.holding(4, of: scene, after: [.none, .broken(1_048_576), .none])
            let child = try scene.start(words)
            for await _ in reached {}
            child.interrupt()
            // On a slow machine, progress lines precede the message.
            var lines: [String] = []
            while let line = await child.errors.line() {
                lines.append(line)
                if line.contains("Interrupted") { break }
            }
            #expect(lines.last?.contains("Run the same command with --resume to continue.") == true, "\(lines)")
            #expect(await child.finish().status == 130)
            #expect(TransferTests.savedUploads(scene).count == 1)
            let name = TransferTests.savedUploads(scene).first ?? ""
            let attributes = try FileManager.default.attributesOfItem(
                atPath: scene.home + "/data/tessera/uploads/" + name
            )
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)

            scene.provider.change { $0.beforeResponse = nil }
            let output = try await scene.run(words + ["--resume"])
            #expect(output.status == 0, "\(output.errors)")
            #expect(try await TransferTests.download(scene, output.line) == TransferTests.content)
            #expect(TransferTests.savedUploads(scene) == [])
            let list = try await scene.run(["drive", "ls", "film.bin", "--json"] + root).json()
            #expect(list["files"]?.elements?.count == 1)
        }
    }

    @Test("get continues with --resume")
    func resumedDownload() async throws {
        try await Self.play { scene, file, root in
            let id = try await scene.run(["drive", "put", file] + root).line
            let copy = scene.home + "/copy.bin"
            let words = ["drive", "get", id, "-o", copy, "--resume"] + root + Self.timeout
            scene.provider.change { $0.driveFaults = [.none, .truncatedResponse(700_000)] }
            let broken = try await scene.run(words)
            #expect(broken.status == 5, "\(broken.errors)")
            #expect(broken.errors.contains("Run the same command with --resume to continue."))
            #expect(!FileManager.default.fileExists(atPath: copy))
            let whole = try await scene.run(words)
            #expect(whole.status == 0, "\(whole.errors)")
            #expect(whole.line == copy, "\(whole.errors)")
            #expect(Array(try Data(contentsOf: URL(filePath: copy))) == TransferTests.content)
        }
    }

    @Test("rm moves a file to the trash, or deletes it with --permanently")
    func remove() async throws {
        try await Self.play { scene, file, root in
            let id = try await scene.run(["drive", "put", file] + root).line
            let trashed = try await scene.run(["drive", "rm", id] + root)
            #expect(trashed.status == 0, "\(trashed.errors)")
            #expect(trashed.line == "\(id) trashed", "\(trashed.errors)")
            let none = try await scene.run(["drive", "ls", "film.bin", "--json"] + root).json()
            #expect(none["files"]?.elements?.isEmpty == true)
            let query = "name = 'film.bin' and trashed = true"
            let trash = try await scene.run(["drive", "ls", query, "--json"] + root).json()
            #expect(trash["files"]?.elements?.count == 1)
            let deleted = try await scene.run(["drive", "rm", id, "--permanently", "--json"] + root)
            #expect(try deleted.json()["outcome"]?.string == "deleted")
            #expect(try await scene.run(["drive", "rm", id] + root).status == 3)
        }
    }

    @Test("Reports missing, ambiguous and unreadable files")
    func mistakes() async throws {
        try await Self.play { scene, file, root in
            let missing = try await scene.run(["drive", "get", "nowhere.bin"] + root)
            #expect(missing.status == 3)
            #expect(missing.errors.contains("no file with the name or identifier"))
            for _ in 0..<2 { #expect(try await scene.run(["drive", "put", file] + root).status == 0) }
            let twice = try await scene.run(["drive", "get", "film.bin"] + root)
            #expect(twice.status == 2, "\(twice.errors)")
            #expect(twice.errors.contains("Several files are named"), "\(twice.errors)")
            let absent = try await scene.run(["drive", "put", file + "x"] + root)
            #expect(absent.status == 2)
            #expect(absent.errors.contains("not a readable file"))
            #expect(try await scene.run(["drive", "get", "x", "-o", "-", "--resume"] + root).status == 2)
        }
    }
}
