// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TestPrograms

@Suite("tessera scopes")
struct ScopesTests {
    @Test("Adds a scope to the granted ones")
    func added() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", "email")
            let output = try await scene.run("scopes", "add", Scene.driveScope, "--browser", Scene.walk())
            #expect(output.status == 0)
            #expect(output.line.split(separator: "\n").contains(Substring(Scene.driveScope)))
            let object = try await scene.run("scopes", "--json").json()
            let granted = object["granted"]?.elements?.compactMap(\.string) ?? []
            #expect(granted.contains("openid"))
            #expect(granted.contains(Scene.driveScope))
            #expect(try await scene.run("fetch", "\(scene.drive)/files").status == 0)
        }
    }

    @Test(
        "Reports a denied scope and keeps the session unchanged",
        arguments: [
            "--untick \(Scene.driveScope)", "--deny",
        ]
    )
    func refused(_ walkOptions: String) async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", "email")
            let words = ["scopes", "add", Scene.driveScope, "--json", "--browser", Scene.walk(walkOptions)]
            let output = try await scene.run(words)
            #expect(output.status == 3)
            let code = walkOptions == "--deny" ? "access_denied" : "scopeNotGranted"
            #expect(try output.json()["error"]?["code"]?.string == code)
            #expect(try await scene.run("token").status == 0)
            let object = try await scene.run("scopes", "--json").json()
            #expect(object["granted"]?.elements?.compactMap(\.string).contains(Scene.driveScope) == false)
        }
    }

    @Test("Rejects the response of another account")
    func otherAccount() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", "email")
            // The user edits the URL to get the account chooser, and chooses another account.
            let child = try scene.start(["scopes", "add", Scene.driveScope, "--no-browser"])
            let line = await child.errors.line { $0.contains("/o/oauth2/v2/auth?") }
            let address = try #require(line?.trimmingCharacters(in: .whitespaces))
            let walk = ConsentWalk(transport: scene.transport, email: "noor@tessera.example")
            let redirect = try await walk.redirect(from: address + "&prompt=select_account")
            child.send(redirect + "\n")
            #expect(await child.finish().status == 3)
            let accounts = try await scene.run("accounts", "--json").json()["accounts"]?.elements
            #expect(accounts?.compactMap { $0["email"]?.string } == ["ada@example.com"])
        }
    }

    @Test("Reuses the redirect URI of the sign-in, but not a random port")
    func redirectURI() async throws {
        try await Scene.play { scene in
            let port = Int.random(in: 20_000..<32_000)
            let uri = "http://127.0.0.1:\(port)/callback"
            try await scene.login("--scope", "email", "--redirect-uri", uri)
            #expect(try await Self.redirectURI(scene) == uri)
            let other = "http://127.0.0.1:\(port)/other"
            #expect(try await Self.redirectURI(scene, "--redirect-uri", other) == other)
            // The interrupted request did not change the saved redirect URI.
            #expect(try await Self.redirectURI(scene) == uri)
            try await scene.login("--scope", "email")
            let first = try await Self.redirectURI(scene)
            #expect(first != uri)
            #expect(first.hasPrefix("http://127.0.0.1:"))
            #expect(first.hasSuffix("/"))
        }
    }

    @Test("Reuses the redirect URI of a registered client")
    func registeredRedirectURI() async throws {
        try await SmallProvider.play { scene, provider in
            let issuer = ["--issuer", provider.issuer, "--allow-loopback-http"]
            let uri = "http://127.0.0.1:\(Int.random(in: 20_000..<32_000))/callback"
            try #require(try await scene.run(["register", "--redirect-uri", uri] + issuer).status == 0)
            try #require(try await scene.run(["login", "--device"] + issuer).status == 0)
            let child = try scene.start(["scopes", "add", "more", "--no-browser"])
            let line = await child.errors.line { $0.contains("/authorize?") }
            child.interrupt()
            _ = await child.finish()
            let address = try #require(line?.trimmingCharacters(in: .whitespaces))
            #expect(Self.parameter("redirect_uri", of: address) == uri)
        }
    }

    @Test("Sends --prompt to the provider and rejects unsupported values")
    func prompt() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", "email")
            let address = try await Self.address(scene, "--prompt", "consent", "--prompt", "login")
            #expect(Self.parameter("prompt", of: address) == "consent login")
            for command in [["scopes", "add", Scene.driveScope], ["login", "--client", scene.clientFile]] {
                let output = try await scene.run(command + ["--prompt", "frob"])
                #expect(output.status == 2)
                #expect(output.errors.contains("frob"))
                #expect(output.errors.contains("select_account"))
            }
        }
    }

    /// Runs `scopes add` until it prints the URL for the browser, interrupts it, and returns the URL.
    private static func address(_ scene: Scene, _ arguments: String...) async throws -> String {
        try await self.address(scene, arguments)
    }

    private static func address(_ scene: Scene, _ arguments: [String]) async throws -> String {
        let child = try scene.start(["scopes", "add", Scene.driveScope, "--no-browser"] + arguments)
        let line = await child.errors.line { $0.contains("/o/oauth2/v2/auth?") }
        child.interrupt()
        _ = await child.finish()
        return try #require(line?.trimmingCharacters(in: .whitespaces))
    }

    private static func redirectURI(_ scene: Scene, _ arguments: String...) async throws -> String {
        try #require(self.parameter("redirect_uri", of: try await self.address(scene, arguments)))
    }

    private static func parameter(_ name: String, of address: String) -> String? {
        URLComponents(string: address.replacing("+", with: "%20"))?.queryItems?.first { $0.name == name }?.value
    }

    @Test("Opens no browser if all scopes are granted")
    func alreadyGranted() async throws {
        try await Scene.play { scene in
            try await scene.login()
            let output = try await scene.run("scopes", "add", "openid", "--browser", "/does/not/exist")
            #expect(output.status == 0)
            #expect(output.errors.contains("already granted"))
        }
    }
}
