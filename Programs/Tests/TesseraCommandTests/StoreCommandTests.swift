// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraJSON

@Suite("tessera store")
struct StoreCommandTests {
    @Test("Moves a session from files to SQLite and then to files with a passphrase")
    func journey() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Scene.driveScope, "--account", "work")
            let stores = ["file:" + scene.store, "sqlite:\(scene.home)/two.db", "passphrase:\(scene.home)/three"]
            let environment = ["TESSERA_PASSPHRASE": "correct horse"]
            for (from, to) in zip(stores, stores.dropFirst()) {
                let moved = try await scene.run("store", "copy", "--move", from, to, environment: environment)
                #expect(moved.status == 0)
                #expect(moved.text.contains("work"))
                #expect(moved.text.contains("The originals were removed."))
                let left = try await scene.run("accounts", "--json", "--store", from, environment: environment).json()
                #expect(left["accounts"]?.elements?.isEmpty == true)
                let checked = try await scene.run("store", "check", "--json", to, environment: environment).json()
                #expect(checked["keepsSessions"]?.bool == true)
                #expect(checked["store"]?.string == to)
                #expect(checked["sessions"]?.elements?.first?["state"]?.string == "ok")
            }
            let files = try await scene.run(
                "fetch",
                "\(scene.drive)/files",
                "--store",
                stores[2],
                environment: environment
            )
            #expect(files.status == 0)
            #expect(files.text.contains("drive#fileList"))
            let named = environment.merging(["TESSERA_STORE": stores[1]]) { $1 }
            #expect(try await scene.run("status", environment: named).status == 6)
        }
    }

    @Test("Reports wrong and missing passphrases without printing them")
    func wrongPassphrase() async throws {
        try await Scene.play { scene in
            let store = "passphrase:\(scene.home)/three"
            let right = ["TESSERA_PASSPHRASE": "correct horse"]
            #expect(try await scene.run("store", "check", store, environment: right).status == 0)
            let other = ["TESSERA_PASSPHRASE": "canary"]
            let wrong = try await scene.run("store", "check", "--json", store, environment: other)
            #expect(wrong.status == 7)
            #expect(try wrong.json()["error"]?["code"]?.string == "wrongPassphrase")
            #expect(!(wrong.text + wrong.errors).contains("canary"))
            let missing = try await scene.run("store", "check", store)
            #expect(missing.status == 7)
            #expect(missing.errors.contains("set TESSERA_PASSPHRASE, or run the command in a terminal"))
        }
    }

    @Test("Rejects a weak passphrase without printing it and creates no store")
    func weakPassphrase() async throws {
        try await Scene.play { scene in
            let store = "passphrase:\(scene.home)/three"
            let environment = ["TESSERA_PASSPHRASE": "canarycanary"]
            let output = try await scene.run("store", "check", "--json", store, environment: environment)
            #expect(output.status == 7)
            #expect(try output.json()["error"]?["code"]?.string == "weakPassphrase")
            #expect(!(output.text + output.errors).contains("canary"))
            #expect(!FileManager.default.fileExists(atPath: scene.home + "/three/passphrase.key"))
        }
    }

    private static func sessions(_ scene: Scene) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scene.store).filter { $0.hasSuffix(".session") }
    }

    @Test("check reports a damaged session, and copy --move keeps the originals")
    func damaged() async throws {
        try await Scene.play { scene in
            try await scene.login()
            try await scene.login("--account", "second", walkOptions: "--account noor@tessera.example")
            let names = try Self.sessions(scene)
            #expect(names.count == 2)
            let path = try #require(names.first.map { scene.store + "/" + $0 })
            var bytes = try Data(contentsOf: URL(filePath: path))
            bytes[bytes.endIndex - 1] ^= 1
            try bytes.write(to: URL(filePath: path))
            let check = try await scene.run("store", "check", "--json")
            #expect(check.status == 7)
            let report = try check.json()
            #expect(report["keepsSessions"]?.bool == true)
            #expect(Set(report["sessions"]?.elements?.compactMap { $0["state"]?.string } ?? []) == ["ok", "corrupt"])
            #expect(report["error"]?["code"]?.string == "corrupt")
            let target = "file:\(scene.home)/copies"
            let move = try await scene.run("store", "copy", "--move", "file:" + scene.store, target, "--json")
            #expect(move.status == 7)
            #expect(try move.json()["removed"]?.bool == false)
            #expect(try Self.sessions(scene) == names)
            // A file that is not a record is reported, too.
            try Data("nonsense".utf8).write(to: URL(filePath: path))
            let stray = try await scene.run("store", "check", "--json")
            #expect(stray.status == 7)
            #expect(try stray.json()["unreadable"]?.elements?.first?.string?.contains(path) == true)
        }
    }

    @Test("Replaces another session of an account only with --replace")
    func occupied() async throws {
        try await Scene.play { scene in
            let other = "file:\(scene.home)/other"
            try await scene.login()
            try await scene.login("--store", other)
            let here = "file:" + scene.store
            let refused = try await scene.run("store", "copy", "--move", here, other, "--json")
            #expect(refused.status == 7)
            let object = try refused.json()
            #expect(object["error"]?["code"]?.string == "occupied")
            #expect(object["sessions"]?.elements?.first?["outcome"]?.string == "occupied")
            #expect(try await scene.run("accounts", "--json").json()["accounts"]?.elements?.isEmpty == false)
            let replaced = try await scene.run("store", "copy", "--move", "--replace", here, other, "--json")
            #expect(replaced.status == 0)
            #expect(try replaced.json()["removed"]?.bool == true)
            #expect(try await scene.run("token", "--store", other).status == 0)
        }
    }

    @Test(
        "Rejects a missing store and identical stores",
        arguments: [
            ["check", "mysql://ada:canary@host/db"], ["check", "keychain:"], ["copy", "memory:", "memory:"],
            ["copy", "file:a", "postgres:canary"], ["copy", "file:a"],
        ]
    )
    func usage(arguments: [String]) async throws {
        try await Scene.play { scene in
            let output = try await scene.run(["store"] + arguments)
            #expect(output.status == 2)
            #expect(!output.errors.contains("canary"))
        }
    }
}
