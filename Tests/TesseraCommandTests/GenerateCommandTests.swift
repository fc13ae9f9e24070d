// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && CommandLine
internal import Foundation
internal import Testing

@Suite("tessera generate")
struct GenerateCommandTests {
    @Test("A discovery document becomes a module with what was asked for, the same one each time")
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
            #expect(code.contains("\"drive.files.list\"") && !code.contains("\"drive.files.create\""))
            let second = try await scene.run(words)
            #expect(second.text.hasSuffix(" 0 changed\n"), "\(second.text)")
        }
    }

    @Test("What is wrong with the command line or the document is said, and nothing is written")
    func mistakes() async throws {
        try await Scene.play { scene in
            let help = try await scene.run("generate", "--help")
            #expect(help.status == 0 && help.text.contains("--include"))
            let document = scene.home + "/drive.json"
            try Data("{".utf8).write(to: URL(filePath: document))
            let damaged = try await scene.run("generate", document, "--output", scene.home + "/Sources")
            #expect(damaged.status != 0 && damaged.errors.hasPrefix("google-api-generator: "), "\(damaged.errors)")
            #expect(!FileManager.default.fileExists(atPath: scene.home + "/Sources"))
        }
    }
}
#endif
