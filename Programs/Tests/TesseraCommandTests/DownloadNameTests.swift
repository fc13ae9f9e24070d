// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraTesting
internal import TestPrograms
internal import TestTraits
internal import Testing

/// Tests of `tessera drive get` and `tessera storage get` with file names from a server.
@Suite("Names of downloaded files")
struct DownloadNameTests {
    /// A server with one file and an empty folder for downloads.
    private final class Location: Sendable {
        let scene: Scene
        let folder: String
        private let root: String

        init(_ scene: Scene, _ root: String) throws {
            self.scene = scene
            self.root = root
            self.folder = scene.home + "/outer/downloads"
            try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        }

        /// Runs `tessera` in the folder.
        func run(_ words: [String], umask: String = "022") async throws -> CommandOutput {
            let child = try self.scene.start(
                ["-c", "cd \"$0\" && umask \(umask) && exec \"$@\"", self.folder, Scene.products + "/tessera"] + words
                    + ["--root-url", self.root, "--retry-deadline", "0"],
                program: "/bin/sh"
            )
            child.closeInput()
            let errors = String(decoding: await child.errors.rest(), as: UTF8.self)
            let (output, status) = await child.finish()
            return CommandOutput(status: status, bytes: output, errors: errors)
        }

        func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: URL(filePath: self.folder + "/" + name))
        }

        func text(of name: String) -> String? { try? String(contentsOfFile: self.folder + "/" + name, encoding: .utf8) }

        /// Returns the names in the folder, and expects that its parent directory contains nothing else.
        func names() throws -> [String] {
            let outer = try FileManager.default.contentsOfDirectory(atPath: self.folder + "/..")
            #expect(outer == ["downloads"])
            return try FileManager.default.contentsOfDirectory(atPath: self.folder).sorted()
        }
    }

    /// Runs `body` with a server that has a file named `name` and calls `beforeContent` before it sends the contents.
    private static func play(
        _ name: String,
        beforeContent: @escaping @Sendable (_ folder: String) -> Void = { _ in },
        _ body: (Location) async throws -> Void
    ) async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Scene.driveScope)
            let folder = scene.home + "/outer/downloads"
            let server = try HostileServer.start { request in
                guard request.query.contains(where: { $0.name == "alt" && $0.value == "media" }) else {
                    return .json(
                        JSONNode.object([
                            JSONMember(name: "id", value: "1"), JSONMember(name: "name", value: .string(name)),
                        ])
                        .text()
                    )
                }
                beforeContent(folder)
                return .respond(headerFields: [.eTag: "\"one\""], body: Array("from the server".utf8))
            }
            defer { server.stop() }
            try await body(try Location(scene, server.baseURL))
        }
    }

    @Test(
        "Replaces a file only with --force or --output",
        .covers(130),
        .shows(claims: 16)
    )
    func existing() async throws {
        try await Self.play("Makefile") { location in
            try location.write("mine", to: "Makefile")
            let refused = try await location.run(["drive", "get", "1"])
            #expect(refused.status == 2, "\(refused.errors)")
            #expect(refused.errors.contains("--force"), "\(refused.errors)")
            #expect(location.text(of: "Makefile") == "mine")
            #expect(try location.names() == ["Makefile"])
            let object = try await location.run(["storage", "get", "bucket", "a/Makefile"])
            #expect(object.status == 2, "\(object.errors)")
            #expect(location.text(of: "Makefile") == "mine", "\(object.errors)")
            #expect(try await location.run(["drive", "get", "1", "--force"]).status == 0)
            #expect(location.text(of: "Makefile") == "from the server")
            try location.write("mine", to: "Makefile")
            #expect(try await location.run(["drive", "get", "1", "--output", "Makefile"]).status == 0)
            #expect(location.text(of: "Makefile") == "from the server")
            #expect(try location.names() == ["Makefile"])
        }
    }

    @Test("Does not reuse the names of partial downloads", .covers(130))
    func partial() async throws {
        for name in ["Makefile.part", "Makefile.part.json"] {
            try await Self.play("Makefile") { location in
                try location.write("mine", to: name)
                for more in [[], ["--resume"]] {
                    let output = try await location.run(["drive", "get", "1"] + more)
                    #expect(output.status == 2, "\(output.errors)")
                    #expect(output.errors.contains(name), "\(output.errors)")
                }
                #expect(location.text(of: name) == "mine")
                #expect(try location.names() == [name])
            }
        }
    }

    @Test(
        "Does not replace a file that appears during the download",
        .covers(130),
        .shows(claims: 16)
    )
    func race() async throws {
        let appear: @Sendable (String) -> Void = { folder in
            try? Data("mine".utf8).write(to: URL(filePath: folder + "/Makefile"))
        }
        try await Self.play("Makefile", beforeContent: appear) { location in
            let output = try await location.run(["drive", "get", "1"])
            #expect(output.status == 2, "\(output.errors)")
            #expect(output.errors.contains("--force"), "\(output.errors)")
            #expect(location.text(of: "Makefile") == "mine")
            #expect(try await location.run(["drive", "get", "1", "--resume", "--force"]).status == 0)
            #expect(location.text(of: "Makefile") == "from the server")
            #expect(try location.names() == ["Makefile"])
        }
    }

    @Test("Treats a dangling link as an existing file", .covers(130))
    func link() async throws {
        try await Self.play("Makefile") { location in
            try FileManager.default.createSymbolicLink(
                atPath: location.folder + "/Makefile",
                withDestinationPath: location.scene.home + "/elsewhere"
            )
            #expect(try await location.run(["drive", "get", "1"]).status == 2)
            #expect(!FileManager.default.fileExists(atPath: location.scene.home + "/elsewhere"))
        }
    }

    @Test(
        "Sanitizes directories, leading dots and dashes, and control characters",
        .covers(130),
        .shows(claims: 16),
        arguments: [
            ("../../escaped", "escaped"), ("/etc/escaped", "escaped"), ("..\\..\\escaped", "escaped"),
            (".bashrc", "bashrc"), ("-rf", "rf"), ("--output", "output"), (" .- x ", "x"), ("..", "download"),
            ("", "download"), ("///", "download"), ("NUL.txt", "download"), ("com1", "download"),
            ("a\u{202E}gpj.exe", "agpj.exe"), ("x\u{1B}[2J\u{7}\r\ny", "x[2Jy"), ("\u{200B}.\u{FEFF}hidden", "hidden"),
            ("Grüße 漢字.txt", "Grüße 漢字.txt"), ("x.part", "x.part_"), ("x.PART.json", "x.PART.json_"),
            (String(repeating: "ä", count: 300) + ".txt", String(repeating: "ä", count: 98) + ".txt"),
        ]
    )
    func names(_ name: String, _ expected: String) async throws {
        try await Self.play(name) { location in
            let output = try await location.run(["drive", "get", "1"])
            #expect(output.status == 0, "\(output.errors)")
            #expect(output.line == expected, "\(output.errors)")
            #expect(try location.names() == [expected])
            #expect(location.text(of: expected) == "from the server")
        }
    }

    @Test(
        "Applies the umask to a downloaded file",
        .covers(136),
        .shows(claims: 17),
        arguments: [("022", 0o644), ("077", 0o600)]
    )
    func mode(_ umask: String, _ mode: Int) async throws {
        try await Self.play("file") { location in
            let output = try await location.run(["drive", "get", "1"], umask: umask)
            #expect(output.status == 0, "\(output.errors)")
            #expect(try location.scene.mode(of: location.folder + "/file") == mode)
        }
    }
}
