// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraTesting

@Suite("tessera api")
struct MethodCommandTests {
    private static let scope = "https://www.googleapis.com/auth/drive"

    /// Runs `body` with a signed-in user with access to Drive, and the options that all calls have in common.
    private static func play(
        scope: String = Self.scope,
        _ body: (_ scene: Scene, _ common: [String]) async throws -> Void
    ) async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", scope)
            let document = scene.home + "/drive.json"
            try Data(SmallDiscovery.drive.utf8).write(to: URL(filePath: document))
            try await body(scene, ["--root-url", scene.provider.baseURL + "/", "--discovery", document])
        }
    }

    @Test("Calls a method with options and prints one line of JSON")
    func call() async throws {
        try await Self.play { scene, common in
            let words = ["api", "drive.files.list", "--page-size", "2", "--q=trashed = false", "--fields", "files(id)"]
            let output = try await scene.run(words + common)
            #expect(output.status == 0, "\(output.errors)")
            #expect(try output.json()["files"]?.elements?.count == 2)
            #expect(output.errors.isEmpty)
        }
    }

    @Test("--all prints one line of JSON per page, or one table of all items")
    func pages() async throws {
        try await Self.play { scene, common in
            let words = ["api", "drive.files.list", "--all", "--page-size", "2", "--fields", "files(id,name)"] + common
            let lines = try await scene.run(words)
            #expect(lines.status == 0, "\(lines.errors)")
            let pages = try lines.line.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            #expect(pages.compactMap { $0["files"]?.elements?.count } == [2, 1])
            let table = try await scene.run(words + ["--format", "table"])
            let rows = table.line.split(separator: "\n")
            #expect(rows.count == 4)
            #expect(rows.first?.split(separator: " ") == ["id", "name"])
            // The names are aligned with their heading.
            let begin = (rows.first?.count ?? 4) - 4
            #expect(rows.dropFirst().allSatisfy { row in row.dropFirst(begin - 1).first == " " }, "\(table.text)")
            #expect(rows.dropFirst().allSatisfy { row in row.dropFirst(begin).first != " " }, "\(table.text)")
        }
    }

    @Test("Rejects a list that repeats a page")
    func repeatedPage() async throws {
        let server = try HostileServer.start(paths: [
            "/drive/v3/files": .json(#"{"files": [], "nextPageToken": "again"}"#)
        ])
        defer { server.stop() }
        try await Self.play { scene, common in
            let words = ["api", "drive.files.list", "--all", "--discovery", common[3], "--root-url", server.baseURL]
            let output = try await scene.run(words)
            #expect(output.status == 4, "\(output.errors)")
            #expect(server.requests.count == 2)
        }
    }

    @Test("Prints help for a method's parameters and lists an API's methods")
    func help() async throws {
        try await Self.play { scene, common in
            let output = try await scene.run(["api", "drive.files.list", "--help"] + common)
            #expect(output.status == 0)
            #expect(output.text.hasPrefix("OVERVIEW: Lists the user's files.\n"))
            #expect(output.text.contains("--page-size            (int32, default: 100)\n"))
            #expect(output.text.contains("How many files a page has.\n"))
            #expect(output.text.contains("(user|domain)"))
            #expect(output.text.contains("can be repeated"))
            #expect(output.text.contains("https://www.googleapis.com/auth/drive.readonly"))
            let get = try await scene.run(["api", "drive.files.get", "-h"] + common)
            #expect(get.text.contains("--file-id  (string, required)"))
            let list = try await scene.run(["api", "drive"] + common)
            #expect(list.text.contains("drive.files.delete  Deletes a file for good.\n"))
            let part = try await scene.run(["api", "drive.about"] + common)
            #expect(part.line.split(separator: "\n").count == 2)
        }
    }

    @Test(
        "Reports usage errors with suggestions before sending a request",
        arguments: [
            (["drive.files.lst"], "Did you mean drive.files.list"),
            (["drive.files.list", "--pag-size", "3"], "Did you mean --page-size?"),
            (["drive.files.list", "--page-size", "few"], "--page-size must be a whole number"),
            (["drive.files.list", "--page-size"], "--page-size needs a value"),
            (["drive.files.list", "--supports-all-drives", "yes"], "must be true or false"),
            (["drive.files.list", "--q", "a", "--q", "b"], "specified twice"),
            (["drive.files.list", "--body", "{}"], "does not accept a body"),
            (["drive.files.list", "--format", "xml"], "--format json, table, csv or tsv"),
            (["drive.files.get"], "drive.files.get needs --file-id"),
            (["drive.files.create", "--all"], "does not return pages"),
            (["drive.files.create", "--body", "{"], "not JSON"),
            (["drive.files.list", "--upload", "/dev/null"], "does not accept a file"),
        ] as [([String], String)]
    )
    func mistakes(_ words: [String], _ told: String) async throws {
        try await Self.play { scene, common in
            let output = try await scene.run(["api"] + words + common)
            #expect(output.status == 2, "\(output.errors)")
            #expect(output.errors.contains(told), "\(output.errors)")
            #expect(output.text.isEmpty)
        }
    }

    @Test("Uploads a file with metadata and downloads it with --output")
    func media() async throws {
        try await Self.play { scene, common in
            let file = scene.home + "/film.bin"
            try Data(TransferTests.content).write(to: URL(filePath: file))
            let words = ["api", "drive.files.create", "--body", #"{"name": "film.bin"}"#, "--upload", file]
            let made = try await scene.run(words + common)
            #expect(made.status == 0, "\(made.errors)")
            let id = try #require(try made.json()["id"]?.string)
            #expect(TransferTests.savedUploads(scene) == [])
            let copy = scene.home + "/copy.bin"
            let got = try await scene.run(["api", "drive.files.get", "--file-id", id, "--output", copy] + common)
            #expect(got.status == 0, "\(got.errors)")
            #expect(got.text.isEmpty, "\(got.errors)")
            #expect(Array(try Data(contentsOf: URL(filePath: copy))) == TransferTests.content)
            let printed = try await scene.run(
                ["api", "drive.files.get", "--param", "fileId=\(id)", "-o", "-"] + common
            )
            #expect(printed.bytes == TransferTests.content)
        }
    }

    @Test("Reports a missing scope before the call")
    func missingScope() async throws {
        try await Self.play(scope: Scene.driveScope) { scene, common in
            let output = try await scene.run(["api", "drive.files.create", "--body", "{}", "--json"] + common)
            #expect(output.status == 3)
            #expect(output.errors.contains("tessera scopes add"), "\(output.errors)")
            #expect(output.errors.contains(Self.scope))
            #expect(try output.json()["error"]?["code"]?.string == "missingScope")
        }
    }

    @Test("Reports the API's errors and prints nothing for an empty response")
    func responses() async throws {
        try await Self.play { scene, common in
            let refused = try await scene.run(["api", "drive.files.get", "--file-id", "none"] + common)
            #expect(refused.status == 3, "\(refused.errors)")
            #expect(refused.errors.contains("File not found"), "\(refused.errors)")
            let made = try await scene.run(["api", "drive.files.create", "--body", "{}"] + common)
            let id = try #require(try made.json()["id"]?.string)
            let deleted = try await scene.run(["api", "drive.files.delete", "--file-id", id] + common)
            #expect(deleted.status == 0)
            #expect(deleted.text.isEmpty)
        }
    }

    @Test("Uses a cached document without the network")
    func cache() async throws {
        try await Self.play { scene, common in
            let folder = scene.home + "/.cache/tessera/discovery"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let isMade = FileManager.default.createFile(
                atPath: folder + "/drive.v3.json",
                contents: Data(SmallDiscovery.drive.utf8),
                attributes: [.posixPermissions: 0o600]
            )
            #expect(isMade)
            let list = try await scene.run(["api", "drive.files.list"] + common.prefix(2))
            #expect(list.status == 0, "\(list.errors)")
        }
    }

    @Test(
        "Sends no token to a root URL that the session does not allow",
        arguments: [
            ("https://api.example.com/", "tessera login --allow-origin https://api.example.com"),
            ("http://api.example.com/", "--root-url"), ("nonsense", "--root-url"),
        ]
    )
    func foreignRoot(_ root: String, _ told: String) async throws {
        try await Self.play { scene, common in
            let output = try await scene.run(["api", "drive.files.list", "--root-url", root] + common.suffix(2))
            #expect(output.status == 2, "\(output.errors)")
            #expect(output.errors.contains(told), "\(output.errors)")
        }
    }
}
