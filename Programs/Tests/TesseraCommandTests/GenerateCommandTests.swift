// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import Testing

@Suite("tessera generate")
struct GenerateCommandTests {
    @Test("Generates a reproducible module with the selected methods")
    func module() async throws {
        try await Scene.play { scene in
            let document = scene.home + "/drive.json"
            try Data(SmallDiscovery.drive.utf8).write(to: URL(filePath: document))
            let words = ["generate", document, "--output", scene.home + "/Sources", "--include", "files.list"]
            let first = try await scene.run(words)
            #expect(first.status == 0, "\(first.errors)")
            #expect(first.text.hasPrefix("GoogleDriveV3: "))
            let folder = URL(filePath: scene.home + "/Sources/GoogleDriveV3")
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                .filter { $0.hasSuffix(".swift") }
            let code = try files.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
            #expect(code.contains("\"drive.files.list\""))
            #expect(!code.contains("\"drive.files.create\""))
            let second = try await scene.run(words)
            #expect(second.text.hasSuffix(" 0 changed\n"), "\(second.text)")
        }
    }

    @Test("Reports errors and writes nothing")
    func mistakes() async throws {
        try await Scene.play { scene in
            let help = try await scene.run("generate", "--help")
            #expect(help.status == 0)
            #expect(help.text.contains("--include"))
            let document = scene.home + "/drive.json"
            try Data("{".utf8).write(to: URL(filePath: document))
            let damaged = try await scene.run("generate", document, "--output", scene.home + "/Sources")
            #expect(damaged.status == 2, "\(damaged.errors)")
            #expect(damaged.errors.hasPrefix("google-api-generator: "), "\(damaged.errors)")
            #expect(!FileManager.default.fileExists(atPath: scene.home + "/Sources"))
        }
    }

    @Test("generate exits with 2 and one line of advice after a usage error")
    func usageErrors() async throws {
        try await Scene.play { scene in
            let document = scene.home + "/drive.json"
            try Data(SmallDiscovery.drive.utf8).write(to: URL(filePath: document))
            let calls: [(words: [String], reason: String)] = [
                ([], "No document was specified"), (["--frob"], "Unknown option --frob"),
                ([document, "--docs", "all"], "--docs must be none, short or full"),
                ([document, "--output"], "needs a value"),
                ([scene.home], "it is a directory"), ([scene.home + "/none"], "it is neither a file nor an API"),
                ([document, "--include", "files.frob"], "has no method \"files.frob\""),
                ([document, "--namespace", "a/b"], "Could not use 'namespace'"),
                ([document, document, "--output", scene.home + "/Twice"], "Two documents have the same module"),
                ([document, "--output", document], "Not a directory"),
            ]
            for (words, reason) in calls {
                let result = try await scene.run(["generate"] + words)
                #expect(result.status == 2, "\(words): \(result.errors)")
                #expect(result.errors.contains(reason), "\(words): \(result.errors)")
                #expect(result.errors.hasPrefix("google-api-generator: "))
                #expect(result.errors.hasSuffix(".\n"))
                #expect(result.errors.split(separator: "\n").count == 1)
                #expect(!result.errors.contains("NSError"))
            }
        }
    }

    @Test("Writes no files if any of the documents has a hostile field", .covers(128))
    func hostile() async throws {
        try await Scene.play { scene in
            let (valid, hostile) = (scene.home + "/drive.json", scene.home + "/hostile.json")
            try Data(SmallDiscovery.drive.utf8).write(to: URL(filePath: valid))
            let text = SmallDiscovery.drive
                .replacing("\"httpMethod\": \"DELETE\"", with: #""httpMethod": "\u001b[2J\"; pwned() //""#)
                .replacing("\"version\": \"v3\"", with: "\"version\": \"v4\"")
            try Data(text.utf8).write(to: URL(filePath: hostile))
            let result = try await scene.run("generate", valid, hostile, "--output", scene.home + "/Sources")
            #expect(result.status == 2)
            #expect(!result.errors.contains("\u{1B}"))
            #expect(result.errors.contains("'resources.files.methods.delete.httpMethod': it must be one of GET, POST"))
            #expect(!FileManager.default.fileExists(atPath: scene.home + "/Sources"))
        }
    }
}
