// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraLocalProvider
internal import Testing

@Suite("tessera gmail drafts and attachments")
struct GmailDraftsTests {
    private static func play(_ body: (_ scene: Scene, _ root: [String]) async throws -> Void) async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", "https://mail.google.com/")
            try await body(scene, ["--root-url", scene.provider.baseURL])
        }
    }

    @Test("Creates a draft without sending it, and lists drafts")
    func drafts() async throws {
        try await Self.play { scene, root in
            let words = ["gmail", "drafts", "create", "--to", "mia@example.com", "--subject", "Report"]
            let made = try await scene.run(words + root, input: Array("Almost done.".utf8))
            #expect(made.status == 0, "\(made.errors)")
            let list = try await scene.run(["gmail", "drafts", "--json"] + root).json()
            #expect(list["drafts"]?.elements?.count == 1)
            #expect(list["drafts"]?[0]?["id"]?.string == made.line)
            #expect(list["drafts"]?[0]?["subject"]?.string == "Report")
            let table = try await scene.run(["gmail", "drafts", "ls"] + root)
            #expect(table.text.hasPrefix("ID"), "\(table.errors)")
            let sent = try await scene.run(["gmail", "ls", "in:sent", "--json"] + root).json()
            #expect(sent["messages"]?.elements?.isEmpty == true)
        }
    }

    /// Adds a message with attachments that have these names, and returns its identifier.
    private static func insert(_ names: [String], _ scene: Scene) async throws -> String {
        let parts = names.enumerated()
            .map { index, name in
                """
                --b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="\(name)"\
                \r\n\r\ncontents \(index)\r\n
                """
            }
        let content =
            "To: ada@example.com\r\nSubject: Files\r\nMIME-Version: 1.0\r\n"
            + "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + parts.joined() + "--b--\r\n"
        let body = #"{"raw": "\#(Base64URL.encode(Array(content.utf8)))", "labelIds": ["INBOX"]}"#
        let output = try await scene.run(
            ["fetch", "-H", "Content-Type: application/json", "-d", body]
                + ["\(scene.provider.baseURL)/gmail/v1/users/me/messages"]
        )
        let message = try JSONValue(parsing: output.text)
        return try #require(message["id"]?.string, "\(output.text)\(output.errors)")
    }

    @Test("Saves attachments under safe names inside the directory")
    func attachments() async throws {
        try await Self.play { scene, root in
            let names = ["report.pdf", "../../evil.sh", "/etc/passwd", ".bashrc", "REPORT.pdf", "-rf"]
            let id = try await Self.insert(names, scene)
            let directory = scene.home + "/files"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let list = try await scene.run(["gmail", "attachments", "ls", id, "--json"] + root).json()
            #expect(list["attachments"]?.elements?.count == names.count)
            let words = ["gmail", "attachments", "save", id, "--directory", directory] + root
            let saved = try await scene.run(words + ["--json"])
            #expect(saved.status == 0, "\(saved.errors)")
            let files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            #expect(files == ["REPORT 2.pdf", "bashrc", "evil.sh", "passwd", "report.pdf", "rf"])
            #expect(String(decoding: try scene.read(directory + "/report.pdf"), as: UTF8.self) == "contents 0")
            #expect(try scene.mode(of: directory + "/report.pdf") == 0o600)
        }
    }

    @Test("Replaces an existing file only with --force, and never through a symbolic link")
    func existing() async throws {
        try await Self.play { scene, root in
            let id = try await Self.insert(["first.txt", "second.txt"], scene)
            let directory = scene.home + "/files"
            let target = scene.home + "/target"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/second.txt",
                withDestinationPath: target
            )
            let words = ["gmail", "attachments", "save", id, "--directory", directory] + root
            let refused = try await scene.run(words)
            #expect(refused.status == 2)
            #expect(refused.errors.contains("second.txt exists"), "\(refused.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["second.txt"])
            let one = try await scene.run(words + ["--name", "first.txt"])
            #expect(one.line == directory + "/first.txt", "\(one.errors)")
            #expect(try await scene.run(words + ["--force"]).status == 0)
            #expect(!FileManager.default.fileExists(atPath: target))
            #expect(String(decoding: try scene.read(directory + "/second.txt"), as: UTF8.self) == "contents 1")
            let unknown = try await scene.run(words + ["--name", "third.txt"])
            #expect(unknown.status == 2)
            let nowhere = ["gmail", "attachments", "save", id, "--directory", scene.home + "/none"] + root
            #expect(try await scene.run(nowhere).status == 2)
        }
    }
}
