// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraTesting
internal import Testing

@Suite("--read-only and --dry-run")
struct CallGuardTests {
    /// The commands that write.
    static let writes = [
        ["drive", "rm", "x"], ["drive", "share", "x", "--with", "mia@example.com"],
        ["gmail", "send", "--to", "mia@example.com", "--subject", "Hello"],
        ["gmail", "drafts", "create", "--to", "mia@example.com", "--subject", "Hello"],
        ["calendar", "add", "Lunch", "--start", "2026-05-01"],
    ]

    /// Runs `body` with a signed-in user and a server that records every request.
    private static func play(_ body: (Scene, HostileServer, [String]) async throws -> Void) async throws {
        let server = try HostileServer.start(paths: [:])
        defer { server.stop() }
        try await Scene.play { scene in
            try await scene.login("--scope", "https://www.googleapis.com/auth/drive")
            let document = scene.home + "/drive.json"
            try Data(SmallDiscovery.drive.utf8).write(to: URL(filePath: document))
            try await body(scene, server, ["--root-url", server.baseURL + "/"])
        }
    }

    @Test("--read-only refuses commands that write, even without a session", arguments: writes)
    func refused(_ words: [String]) async throws {
        try await Scene.play { scene in
            let output = try await scene.run(words + ["--read-only"], input: Array("Hi".utf8))
            #expect(output.status == 2)
            #expect(output.errors.contains("--read-only is set"), "\(output.errors)")
            let variable = try await scene.run(
                words + ["--json"],
                input: Array("Hi".utf8),
                environment: ["TESSERA_READ_ONLY": "1"]
            )
            #expect(variable.status == 2)
            #expect(try variable.json()["error"]?["code"]?.string == "readOnly")
            #expect(variable.errors.contains("TESSERA_READ_ONLY is set"), "\(variable.errors)")
        }
    }

    @Test("--read-only allows reading, and refuses methods of api and fetch that write")
    func methods() async throws {
        try await Self.play { scene, server, root in
            let discovery = ["--discovery", scene.home + "/drive.json"]
            let local = ["--root-url", scene.provider.baseURL + "/"]
            let list = try await scene.run(["api", "drive.files.list", "--read-only"] + discovery + local)
            #expect(list.status == 0, "\(list.errors)")
            let create = ["api", "drive.files.create", "--body", "{}", "--read-only"] + discovery + root
            #expect(try await scene.run(create).status == 2)
            let fetch = try await scene.run("fetch", "-X", "DELETE", "\(scene.drive)/files/x", "--read-only")
            #expect(fetch.status == 2)
            #expect(server.requests.isEmpty)
            let reading = ["fetch", "\(scene.drive)/files"]
            #expect(try await scene.run(reading, environment: ["TESSERA_READ_ONLY": "1"]).status == 0)
            #expect(try await scene.run(reading, environment: ["TESSERA_READ_ONLY": "0"]).status == 0)
        }
    }

    @Test("--dry-run prints the request, without a token, and sends nothing")
    func dryRun() async throws {
        try await Self.play { scene, server, root in
            let words = ["drive", "share", "ID", "--with", "mia@example.com", "--dry-run"] + root
            let text = try await scene.run(words)
            #expect(text.status == 0, "\(text.errors)")
            #expect(text.text.hasPrefix("POST \(server.baseURL)/drive/v3/files/ID/permissions?"), "\(text.text)")
            #expect(text.text.contains(#""emailAddress":"mia@example.com""#), "\(text.text)")
            #expect(!text.text.lowercased().contains("authorization"))
            let object = try await scene.run(words + ["--json"]).json()
            #expect(object["method"]?.string == "POST")
            #expect(object["headers"]?["Content-Type"]?.string?.hasPrefix("application/json") == true)
            #expect(object["body"]?["role"]?.string == "reader")
            let list = try await scene.run(["drive", "ls", "--format", "json", "--dry-run"] + root).json()
            #expect(list["method"]?.string == "GET")
            #expect(list["body"]?.isNull == true)
            // A missing scope does not matter, since nothing is sent.
            let event = ["calendar", "add", "Lunch", "--start", "2026-05-01", "--dry-run", "--json"] + root
            let added = try await scene.run(event).json()
            #expect(added["body"]?["end"]?["date"]?.string == "2026-05-02")
            #expect(server.requests.isEmpty)
            #expect(scene.provider.refreshRequestCount == 0)
        }
    }

    @Test("--dry-run prints the length of a file instead of its contents")
    func file() async throws {
        try await Self.play { scene, server, root in
            let file = scene.home + "/film.bin"
            try Data([0xFF, 0x00, 0xFE]).write(to: URL(filePath: file))
            let output = try await scene.run(["drive", "put", file, "--dry-run"] + root)
            #expect(output.status == 0, "\(output.errors)")
            #expect(output.text.contains(#""name":"film.bin""#), "\(output.text)")
            #expect(server.requests.isEmpty)
        }
    }
}
