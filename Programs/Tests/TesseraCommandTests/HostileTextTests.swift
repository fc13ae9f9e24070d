// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJSON
internal import TestPrograms
internal import TestTraits
internal import Testing

/// Tests that text from a hostile provider is escaped on standard output and standard error.
@Suite("Text from a hostile provider")
struct HostileTextTests {
    /// Runs a command with and without `--json` and expects that the output is harmless.
    ///
    /// - Returns: The output without `--json`.
    @discardableResult
    private static func run(
        _ scene: Scene,
        _ words: String...,
        input: String = "",
        json: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> CommandOutput {
        var outputs: [CommandOutput] = []
        for more in json ? [[], ["--json"]] : [[]] {
            let output = try await scene.run(words + more, input: Array(input.utf8), sourceLocation: sourceLocation)
            let what = (words.prefix(2) + more).joined(separator: " ")
            HostileText.expectHarmless(output.text, what, sourceLocation: sourceLocation)
            HostileText.expectHarmless(output.errors, what + " on standard error", sourceLocation: sourceLocation)
            #expect(output.status != 1, "\(what): \(output.errors)", sourceLocation: sourceLocation)
            if !more.isEmpty, !output.bytes.isEmpty {
                #expect(throws: Never.self, sourceLocation: sourceLocation) { try output.json() }
            }
            outputs.append(output)
        }
        return outputs[0]
    }

    private static func login(_ provider: HostileTextProvider) -> [String] {
        ["login", "--issuer", provider.issuer, "--client-id", "program", "--allow-loopback-http", "--device"]
    }

    /// Signs in and expects that the output is harmless.
    private static func signIn(
        _ scene: Scene,
        _ provider: HostileTextProvider,
        _ more: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let output = try await scene.run(Self.login(provider) + more)
        #expect(output.status == 0, "\(output.errors)", sourceLocation: sourceLocation)
        HostileText.expectHarmless(output.text, "login", sourceLocation: sourceLocation)
        HostileText.expectHarmless(output.errors, "login", sourceLocation: sourceLocation)
    }

    @Test(
        "Escapes names, email addresses and scopes of an account",
        .covers(131),
        .shows(claims: 39)
    )
    func accounts() async throws {
        try await HostileTextProvider.play { scene, provider in
            try await Self.signIn(scene, provider, "--account", "work")
            let shown = try await Self.run(scene, "status", "--account", "work")
            #expect(shown.text.contains(#"\u{1b}]52;c;Zm9v\u{7}"#))
            #expect(shown.text.contains(#"\u{202e}\u{2066}"#))
            let object = try await scene.run("accounts", "--json").json()
            #expect(object["accounts"]?[0]?["email"]?.string == HostileText.escape)
            for words in [["accounts"], ["scopes"], ["userinfo"], ["doctor"], ["store", "check"]] {
                let account = ["scopes", "userinfo", "doctor"].contains(words[0]) ? ["--account", "work"] : []
                for more in [[], ["--json"]] {
                    let output = try await scene.run(words + account + more)
                    HostileText.expectHarmless(output.text, words[0])
                    HostileText.expectHarmless(output.errors, words[0])
                }
            }
            try await Self.run(scene, "token", "--account", "work")
            try await Self.run(scene, "token", "--id-token", "--account", "work")
            try await Self.run(scene, "scopes", "add", "files", "--account", "work", "--no-browser", "--timeout", "1s")
            try await Self.run(scene, "export", "--account", "work", "--output", scene.home + "/one", "--force")
            try await Self.run(scene, "store", "copy", "file:\(scene.store)", "file:\(scene.home)/second")
            // The identifier of the second account is hostile, too. The third makes the selection ambiguous.
            HostileText.expectHarmless(try await scene.run(Self.login(provider)).errors, "login")
            try await Self.signIn(scene, provider, "--account", "bob")
            try await Self.run(scene, "accounts")
            #expect(try await Self.run(scene, "status").errors.contains("Several accounts"))
            #expect(try await Self.run(scene, "status", "--account", "nobody").status == 6)
            try await Self.run(scene, "accounts", "select", "work")
            #expect(try await Self.run(scene, "logout", "--revoke", "--account", "work").status != 0)
            try await Self.run(scene, "logout", "--all")
        }
    }

    @Test(
        "Escapes a provider's errors and metadata",
        .covers(131),
        .shows(claims: 39)
    )
    func errors() async throws {
        try await HostileTextProvider.play { scene, provider in
            try await Self.run(scene, "discover", provider.issuer, "--allow-loopback-http")
            try await Self.run(scene, "doctor", "--issuer", provider.issuer, "--allow-loopback-http")
            try await Self.run(scene, "register", "--issuer", provider.issuer, "--allow-loopback-http")
            let token = try provider.hostileToken()
            let claims = ["inspect", "--issuer", provider.issuer, "--allow-loopback-http"]
            for more in [[], ["--json"]] {
                let output = try await scene.run(claims + more, input: Array(token.utf8))
                HostileText.expectHarmless(output.text + output.errors, "inspect")
                #expect(output.text.contains("sid"), "\(output.errors)")
            }
            try await Self.signIn(scene, provider)
            provider.refuseTokens()
            #expect(try await Self.run(scene, "token", "--refresh").status != 0)
            try await Self.run(scene, "doctor", "--refresh")
            let grant = #"""
                {"type": "authorized_user", "client_id": "program", "client_secret": "s", "refresh_token": "r"}
                """#
            let file = try scene.write(Array(grant.utf8), to: "grant.json")
            try await Self.run(scene, "import", file, "--issuer", provider.issuer, "--allow-loopback-http")
            for path in ["login", "device"] {
                if path == "device" { provider.refuseDevices() }
                let output = try await scene.run(Self.login(provider))
                #expect(output.status != 0)
                HostileText.expectHarmless(output.text + output.errors, path)
            }
        }
    }

    @Test("Rejects an invalid granted scope and escapes it", .covers(131))
    func scopes() async throws {
        try await HostileTextProvider.play { scene, provider in
            provider.grant("openid \(HostileText.escape)")
            let output = try await scene.run(Self.login(provider))
            #expect(output.status == 4, "\(output.text)")
            HostileText.expectHarmless(output.text + output.errors, "login")
        }
    }

    @Test("Escapes an error in the redirect", .covers(131))
    func redirect() async throws {
        try await HostileTextProvider.play { scene, provider in
            let child = try scene.start([
                "login", "--issuer", provider.issuer, "--client-id", "program", "--allow-loopback-http",
                "--no-browser",
            ])
            let address = await child.errors.line { $0.contains("state=") } ?? ""
            let parameters = URLComponents(string: address.trimmingCharacters(in: .whitespaces))?.queryItems ?? []
            let values = Dictionary(parameters.map { ($0.name, $0.value ?? "") }) { first, _ in first }
            var redirect = URLComponents(string: values["redirect_uri"] ?? "")
            redirect?.queryItems = [
                URLQueryItem(name: "state", value: values["state"]),
                URLQueryItem(name: "error", value: "access_denied"),
                URLQueryItem(name: "error_description", value: HostileText.escape),
                URLQueryItem(name: "iss", value: provider.issuer),
            ]
            child.send((redirect?.string ?? "") + "\n")
            let errors = String(decoding: await child.errors.rest(), as: UTF8.self)
            #expect(await child.exitStatus == 3, "\(errors)")
            HostileText.expectHarmless(errors, "login")
        }
    }

    @Test("Escapes the response of an API", .covers(131))
    func apis() async throws {
        try await HostileTextProvider.play { scene, provider in
            let scopes = [
                "https://www.googleapis.com/auth/drive", "https://mail.google.com/",
                "https://www.googleapis.com/auth/devstorage.full_control",
            ]
            provider.grant((["openid"] + scopes).joined(separator: " "))
            try await Self.signIn(scene, provider, "--scope", scopes.joined(separator: " "))
            let root = ["--root-url", provider.issuer]
            let discovery = try scene.write(Array(SmallDiscovery.drive.utf8), to: "discovery.json")
            let commands: [[String]] = [
                ["drive", "ls"], ["drive", "get", "name"], ["drive", "put", discovery], ["drive", "rm", "name"],
                ["gmail", "ls"], ["gmail", "get", "one"], ["storage", "ls", "bucket"],
                ["storage", "get", "bucket", "object"],
            ]
            for words in commands {
                for more in [[], ["--json"]] {
                    let output = try await scene.run(words + root + ["--retry-deadline", "0"] + more)
                    let what = words.joined(separator: " ")
                    HostileText.expectHarmless(output.text, what)
                    HostileText.expectHarmless(output.errors, what)
                    let isAnswered = words[1] == "ls" || words == ["gmail", "get", "one"]
                    #expect((output.status == 0) == isAnswered, "\(what): \(output.errors)")
                }
            }
            for format in ["json", "table"] {
                let output = try await scene.run(
                    ["api", "drive.files.list", "--discovery", discovery, "--format", format] + root
                )
                #expect(output.status == 0, "\(output.errors)")
                HostileText.expectHarmless(output.text, "api")
            }
            let url = provider.issuer + "/forbidden"
            let words = ["fetch", url, "--allow-loopback-http", "--allow-origin", provider.issuer]
            let plain = try await scene.run(words)
            #expect(plain.status == 3)
            HostileText.expectHarmless(plain.errors, "fetch")
            let object = try await scene.run(words + ["--json", "--verbose"])
            HostileText.expectHarmless(object.text + object.errors, "fetch")
            #expect(try object.json()["status"]?.integer(Int64.self) == 403)
        }
    }

    @Test("Filters control characters on a terminal only", .covers(131))
    func terminal() async throws {
        try await HostileTextProvider.play { scene, provider in
            try await Self.signIn(scene, provider)
            let words = [
                "fetch", provider.issuer + "/userinfo", "--allow-loopback-http", "--allow-origin", provider.issuer,
            ]
            let piped = try await scene.run(words)
            #expect(piped.text.unicodeScalars.contains("\u{9B}"))
            #expect(piped.text.unicodeScalars.contains("\u{202E}"))
            let terminal = try PseudoTerminal(columns: 80)
            let child = try terminal.start(scene, words, output: true)
            #expect(await child.exitStatus == 0)
            let shown = await terminal.text().replacing("\r\n", with: "\n")
            #expect(shown.contains(#""list""#), "\(shown)")
            #expect(shown.contains(#"\u{9b}31m"#), "\(shown)")
            HostileText.expectHarmless(shown, "fetch")
        }
    }

    @Test(
        "Escapes error messages of a PostgreSQL server",
        .covers(131),
        .shows(claims: 39)
    )
    func database() async throws {
        try await Scene.play { scene in
            let server = try RefusingPostgreSQL(HostileText.escape)
            defer { server.stop() }
            let store = "postgresql://user:password@127.0.0.1:\(server.port)/sessions"
            for words in [["accounts", "--store", store], ["store", "check", store], ["status", "--store", store]] {
                for more in [[], ["--json"]] {
                    let output = try await scene.run(words + more)
                    #expect(output.status == 7, "\(output.errors)")
                    #expect(output.errors.contains("owned"), "\(output.errors)")
                    HostileText.expectHarmless(output.text + output.errors, words[0])
                }
            }
        }
    }

    @Test("Escapes account names in the agent's status", .covers(131))
    func agent() async throws {
        try await HostileTextProvider.play { scene, provider in
            try await Self.signIn(scene, provider)
            let folder = scene.home + "/run"
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            let child = try scene.start(["agent", "start", "--socket", folder + "/agent"])
            #expect(await child.output.line()?.hasPrefix("The agent is listening") == true)
            let status = try await Self.run(scene, "agent", "status", "--socket", folder + "/agent")
            #expect(status.status == 0, "\(status.errors)")
            #expect(status.text.contains(#"\u{1b}"#), "\(status.errors)")
            await child.terminate()
            HostileText.expectHarmless(String(decoding: await child.errors.rest(), as: UTF8.self), "agent")
        }
    }
}
