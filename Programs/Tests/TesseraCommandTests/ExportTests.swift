// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraMigration
internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite("tessera export")
struct ExportTests {
    @Test(
        "Creates a private file and prints its account",
        arguments: ["authorized_user", "token"]
    )
    func file(_ format: String) async throws {
        try await Scene.play { scene in
            try await scene.login("--account", "work")
            let path = scene.home + "/exported.json"
            let output = try await scene.run("export", "--format", format, "-o", path, "--account", "work", "--json")
            #expect(output.status == 0, "\(output.errors)")
            #expect(try output.json()["format"]?.string == format)
            #expect(try output.json()["file"]?.string == path)
            #expect(output.errors.contains("Two programs now share one refresh token"))
            #expect(try scene.mode(of: path) == 0o600)
            let file = try AuthorizedUserFile(parsing: scene.read(path))
            #expect(file.format.rawValue == format)
            #expect(file.account == "ada@example.com")
            #expect(file.clientID == scene.provider.clientID)
            #expect(file.clientSecret == Secret(scene.provider.clientSecret))
            #expect(file.tokenURI?.hasPrefix(scene.provider.baseURL) == true)
            #expect((file.accessToken != nil) == (format == "token"))
        }
    }

    @Test("Replaces an existing file only with --force, and follows no link")
    func existing() async throws {
        try await Scene.play { scene in
            try await scene.login()
            let path = try scene.write(Array("mine".utf8), to: "mine", mode: 0o644)
            let refused = try await scene.run("export", "--output", path)
            #expect(refused.status == 2)
            #expect(refused.errors.contains("already exists"))
            #expect(try scene.read(path) == Array("mine".utf8))
            let link = scene.home + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            #expect(try await scene.run("export", "--output", link).status == 2)
            #expect(try await scene.run("export", "--output", link, "--force").status == 0)
            #expect(try scene.read(path) == Array("mine".utf8))
            #expect(try await scene.run("export", "--output", path, "--force").status == 0)
            #expect(try scene.mode(of: path) == 0o600)
            #expect(try AuthorizedUserFile(parsing: scene.read(path)).refreshToken != nil)
            let nowhere = try await scene.run("export", "--output", scene.home + "/none/file")
            #expect(nowhere.status == 2)
            #expect(nowhere.errors.contains("No such file or directory"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: scene.home).allSatisfy { !$0.hasPrefix("mine.") }
            )
        }
    }

    @Test("Prints only the file to a pipe")
    func pipe() async throws {
        try await Scene.play { scene in
            try await scene.login()
            let output = try await scene.run("export")
            #expect(output.status == 0)
            #expect(try AuthorizedUserFile(parsing: output.bytes).format == .authorizedUser)
            #expect(try await scene.run("export", "--format", "xml").status == 2)
        }
    }

    /// Runs `tessera export` with its standard output redirected by a shell.
    private static func redirected(_ scene: Scene, umask: String, to path: String) async throws -> CommandOutput {
        let child = try scene.start(
            ["-c", "umask \(umask) && exec \"$0\" export >\"$1\"", Scene.products + "/tessera", path],
            program: "/bin/sh"
        )
        child.closeInput()
        let errors = String(decoding: await child.errors.rest(), as: UTF8.self)
        let (output, status) = await child.finish()
        return CommandOutput(status: status, bytes: output, errors: errors)
    }

    @Test(
        "Writes nothing if standard output is a file that other users can read",
        .covers(134),
        .shows(claims: 17)
    )
    func redirection() async throws {
        try await Scene.play { scene in
            try await scene.login()
            for umask in ["022", "027", "033"] {
                let path = scene.home + "/exported-\(umask)"
                let refused = try await Self.redirected(scene, umask: umask, to: path)
                #expect(refused.status == 2, "\(refused.errors)")
                #expect(refused.errors.contains("--output FILE"), "\(refused.errors)")
                #expect(try scene.read(path).isEmpty)
            }
            let path = scene.home + "/exported-077"
            let output = try await Self.redirected(scene, umask: "077", to: path)
            #expect(output.status == 0, "\(output.errors)")
            #expect(try AuthorizedUserFile(parsing: scene.read(path)).refreshToken != nil)
        }
    }

    @Test(
        "Creates private exports and stores with any umask",
        .covers(136),
        .shows(claims: 17)
    )
    func modes() async throws {
        try await Scene.play { scene in
            try await scene.login()
            let words = ["token", "--cache"]
            for more in [words, ["export", "--output", scene.home + "/data/tessera/exported"]] {
                let child = try scene.start(
                    ["-c", "umask 0 && exec \"$0\" \"$@\"", Scene.products + "/tessera"] + more,
                    program: "/bin/sh"
                )
                child.closeInput()
                _ = await child.errors.rest()
                #expect(await child.finish().status == 0)
            }
            var count = 0
            for folder in [scene.home + "/data/tessera", scene.home + "/config/tessera"] {
                for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
                    let path = folder + "/" + name
                    var isFolder: ObjCBool = false
                    _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
                    #expect(try scene.mode(of: path) == (isFolder.boolValue ? 0o700 : 0o600), "\(name)")
                    count += 1
                }
            }
            #expect(count >= 4)
        }
    }

    @Test("Does not export a session with a rotating refresh token")
    func rotating() async throws {
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = true
        try await Scene.play(options) { scene in
            try await scene.login()
            let path = scene.home + "/exported.json"
            #expect(try await scene.run("token", "--refresh").status == 0)
            let output = try await scene.run("export", "--output", path, "--force", "--json")
            #expect(output.status == 2)
            #expect(try output.json()["error"]?["code"]?.string == "rotating")
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(try await scene.run("token", "--refresh").status == 0)
        }
    }

    @Test("Does not export an ended session")
    func ended() async throws {
        try await Scene.play { scene in
            try await scene.login()
            scene.provider.revokeAll()
            #expect(try await scene.run("token", "--refresh").status == 6)
            let output = try await scene.run("export", "--json")
            #expect(output.status == 6)
            #expect(try output.json()["error"]?["code"]?.string == "ended")
        }
    }
}
