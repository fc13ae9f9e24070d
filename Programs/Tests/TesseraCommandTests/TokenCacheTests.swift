// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("tessera token --cache", .shows(claims: 30))
struct TokenCacheTests {
    /// Runs `body` with environments in which the same store can and cannot be opened.
    private static func play(
        _ options: LocalProviderOptions = LocalProviderOptions(),
        _ body: (Scene, _ locked: [String: String], _ open: [String: String]) async throws -> Void
    ) async throws {
        try await Scene.play(options) { scene in
            try FileManager.default.createDirectory(
                atPath: scene.home + "/run",
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            let open = ["XDG_RUNTIME_DIR": scene.home + "/run", "TESSERA_STORE": "file:\(scene.home)/sealed"]
            // The store's key is not in this configuration directory.
            let locked = open.merging(["XDG_CONFIG_HOME": scene.home + "/elsewhere"]) { $1 }
            let login = try await scene.run(
                ["login", "--client", scene.clientFile, "--allow-loopback-http", "--browser", Scene.walk()],
                environment: open
            )
            #expect(login.status == 0, "\(login.errors)")
            try await body(scene, locked, open)
        }
    }

    @Test("Reads a cached token without opening the store")
    func fresh() async throws {
        try await Self.play { scene, locked, open in
            let token = try await scene.run("token", "--cache", environment: open).line
            #expect(token.hasPrefix("ya29."))
            #expect(try await scene.run("token", "--cache", environment: locked).line == token)
            let setting = locked.merging(["TESSERA_TOKEN_CACHE": "1"]) { $1 }
            #expect(
                try await scene.run("token", "--header", environment: setting).line == "Authorization: Bearer \(token)"
            )
            #expect(try await scene.run("token", environment: locked).status != 0)
            #expect(try await scene.run("token", "--cache", "--account", "x", environment: locked).status != 0)
            let other = locked.merging(["TESSERA_STORE": "file:\(scene.home)/another"]) { $1 }
            #expect(try await scene.run("token", "--cache", environment: other).status != 0)
        }
    }

    @Test("Saves a private file without a refresh token")
    func file() async throws {
        try await Self.play { scene, _, open in
            let token = try await scene.run("token", "--cache", environment: open).line
            let directory = scene.home + "/run/tessera/tokens"
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(names.count == 1)
            let path = directory + "/" + (names.first ?? "")
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains(token))
            #expect(!text.contains("1//"))
            #expect(!text.contains("refresh"))
            for (path, mode) in [(directory, 0o700), (path, 0o600)] {
                #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
            }
        }
    }

    @Test(
        "Removes cached tokens when the accounts change",
        arguments: [["logout"], ["login"], ["accounts", "select", "ada@example.com"], ["token", "--refresh"]]
    )
    func forgotten(_ words: [String]) async throws {
        try await Self.play { scene, locked, open in
            _ = try await scene.run("token", "--cache", environment: open)
            let account = try await scene.run("accounts", "--json", environment: open).json()["accounts"]?[0]
            var words = words
            if words.last == "ada@example.com" { words[2] = account?["subject"]?.string ?? "" }
            if words == ["login"] {
                words += ["--client", scene.clientFile, "--allow-loopback-http", "--browser", Scene.walk()]
            }
            let output = try await scene.run(words, environment: open)
            #expect(output.status == 0, "\(output.errors)")
            #expect(try await scene.run("token", "--cache", environment: locked).status != 0)
        }
    }

    @Test("Ignores expiring tokens and files that others can read")
    func stale() async throws {
        var options = LocalProviderOptions()
        options.accessTokenLifetime = 1
        try await Self.play(options) { scene, locked, open in
            let first = try await scene.run("token", "--cache", environment: open).line
            var last = CommandOutput(status: 0, bytes: [], errors: "")
            while last.status == 0 { last = try await scene.run("token", "--cache", environment: locked) }
            // The session may return a token that is due for refresh until it expires.
            var second = first
            while second == first { second = try await scene.run("token", "--cache", environment: open).line }
            #expect(second.hasPrefix("ya29."))
        }
        try await Self.play { scene, locked, open in
            _ = try await scene.run("token", "--cache", environment: open)
            let directory = scene.home + "/run/tessera/tokens"
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: directory).first)
            // A user with write access to the directory could plant a token of another account.
            for mode in [0o777, 0o750, 0o700] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory)
                let status = try await scene.run("token", "--cache", environment: locked).status
                #expect((status == 0) == (mode == 0o700), "mode \(String(mode, radix: 8))")
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(directory)/\(name)")
            #expect(try await scene.run("token", "--cache", environment: locked).status != 0)
        }
    }

    @Test("Does not cache a token that is bound to a key")
    func bound() async throws {
        try await SmallProvider.play { scene, provider in
            let directory = scene.home + "/run"
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            let environment = ["XDG_RUNTIME_DIR": directory]
            let login = try await scene.run(
                [
                    "login", "--issuer", provider.issuer, "--client-id", "program", "--allow-loopback-http", "--dpop",
                    // tessera passes a script a URL that curl can open. If curl were the browser, it would get a file.
                    "--browser", "sh -c 'exec curl --silent --location --output /dev/null \"$0\"' %s",
                ],
                environment: environment
            )
            #expect(login.status == 0, "\(login.errors)")
            #expect(try await scene.run(["token", "--cache"], environment: environment).line == "hidden-access")
            #expect(!FileManager.default.fileExists(atPath: directory + "/tessera/tokens"))
        }
    }
}
