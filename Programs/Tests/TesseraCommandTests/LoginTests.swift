// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TestPrograms

@Suite("tessera login")
struct LoginTests {
    @Test("Prints the user, the granted scopes and the store")
    func table() async throws {
        try await Scene.play { scene in
            let output = try await scene.login("--account", "work")
            #expect(output.status == 0)
            for words in ["Signed in.", "Ada Marlow <ada@example.com>, called “work”", "openid", "file:\(scene.store)"]
            {
                #expect(output.text.contains(words))
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: scene.store).contains { $0.hasSuffix(".session") }
            )
        }
    }

    @Test("--json prints one object to standard output and text to standard error")
    func object() async throws {
        try await Scene.play { scene in
            let object = try await scene.login("--json", "--account", "work").json()
            #expect(object["account"]?.string == "work")
            #expect(object["email"]?.string == "ada@example.com")
            #expect(object["issuer"]?.string == scene.provider.issuer)
            #expect(object["state"]?.string == "signedIn")
            #expect(object["granted"]?.elements?.compactMap(\.string).contains("openid") == true)
            #expect(object["missing"]?.elements?.isEmpty == true)
        }
    }

    @Test("Requests openid in addition to other scopes")
    func addsOpenID() async throws {
        try await Scene.play { scene in
            let output = try await scene.login("--scope", Scene.driveScope, "--json", "--verbose")
            #expect(
                try output.json()["granted"]?.elements?.compactMap(\.string).sorted() == [Scene.driveScope, "openid"]
            )
            #expect(output.errors.contains("Also requesting openid"))
        }
    }

    @Test("Lists a deselected scope as missing")
    func untickedScope() async throws {
        try await Scene.play { scene in
            let output = try await scene.login(
                "--scope",
                "email",
                "--scope",
                Scene.driveScope,
                walkOptions: "--untick \(Scene.driveScope)"
            )
            #expect(output.status == 0)
            #expect(output.text.contains("Missing    \(Scene.driveScope)  (not granted)"))
        }
    }

    @Test("Discovers the endpoints from the issuer")
    func issuer() async throws {
        try await Scene.play { scene in
            let secret = scene.home + "/secret"
            try Data((scene.provider.clientSecret + "\n").utf8).write(to: URL(filePath: secret))
            let output = try await scene.run(
                "login",
                "--issuer",
                scene.provider.issuer,
                "--client-id",
                scene.provider.clientID,
                "--client-secret-file",
                secret,
                "--allow-loopback-http",
                "--browser",
                Scene.walk(),
                "--json"
            )
            #expect(output.status == 0)
            #expect(try output.json()["issuer"]?.string == scene.provider.issuer)
        }
    }

    @Test("Listens at --redirect-uri and also accepts a pasted redirect")
    func pastedRedirect() async throws {
        try await Scene.play { scene in
            let uri = "http://127.0.0.1:\(try Self.freePort())/callback"
            let child = try scene.start([
                "login", "--client", scene.clientFile, "--allow-loopback-http", "--no-browser", "--redirect-uri", uri,
            ])
            let line = await child.errors.line { $0.contains("/o/oauth2/v2/auth?") }
            let address = try #require(line?.trimmingCharacters(in: .whitespaces))
            #expect(address.contains("redirect_uri=" + uri.replacing(":", with: "%3A").replacing("/", with: "%2F")))
            let redirect = try await ConsentWalk(transport: scene.transport).redirect(from: address)
            child.send(redirect + "\n")
            let (output, status) = await child.finish()
            #expect(status == 0)
            #expect(String(decoding: output, as: UTF8.self).contains("Signed in."))
        }
    }

    @Test(
        "--id-token-alg restricts the accepted ID token algorithms",
        .covers(140)
    )
    func idTokenAlgorithms() async throws {
        try await SmallProvider.play { scene, provider in
            let login = [
                "login", "--issuer", provider.issuer, "--client-id", "program", "--allow-loopback-http", "--device",
            ]
            let unknown = try await scene.run(login + ["--id-token-alg", "HS256"])
            #expect(unknown.status == 2)
            #expect(unknown.errors.contains("ES256"))
            let foreign = try await scene.run(login + ["--id-token-alg", "ES256", "--id-token-alg", "EdDSA"])
            #expect(foreign.status == 2)
            #expect(foreign.errors.contains("RS256, none"))
            #expect(foreign.errors.contains("ES256, EdDSA"))
            #expect(provider.requests(to: "/device").isEmpty)
            let listed = try await scene.run(login + ["--id-token-alg", "RS256"])
            #expect(listed.status == 0, "\(listed.errors)")
        }
    }

    @Test("Prints an ssh command for forwarding the redirect over SSH and opens no browser")
    func tunnel() async throws {
        try await Scene.play { scene in
            let output = try await scene.run(
                "login",
                "--client",
                scene.clientFile,
                "--allow-loopback-http",
                "--timeout",
                "1s",
                environment: ["SSH_CONNECTION": "192.0.2.7 50000 192.0.2.8 22", "USER": "ada"]
            )
            #expect(output.status == 5)
            #expect(output.errors.contains("ssh -L "))
            #expect(output.errors.contains("ada@192.0.2.8"))
            #expect(output.errors.contains("redirect_uri_mismatch"))
        }
    }

    @Test("Prints an ssh command for forwarding the redirect with --no-browser")
    func tunnelByHand() async throws {
        try await Scene.play { scene in
            let output = try await scene.run(
                "login",
                "--client",
                scene.clientFile,
                "--allow-loopback-http",
                "--no-browser",
                "--timeout",
                "1s",
                environment: ["USER": "ada"]
            )
            #expect(output.status == 5)
            #expect(output.errors.contains("ssh -L "))
            #expect(output.errors.contains(" ada@"))
        }
    }

    @Test("Reports a missing browser as a usage error")
    func namedBrowser() async throws {
        try await Scene.play { scene in
            let output = try await scene.run(
                "login",
                "--client",
                scene.clientFile,
                "--allow-loopback-http",
                "--browser",
                "nosuch --new",
                "--timeout",
                "20s"
            )
            #expect(output.status == 2)
            #expect(output.errorLines.count == 1)
            #expect(output.errors.contains("'nosuch --new' cannot be found"))
        }
    }

    @Test("Opens a one-time page if a script or env starts the browser", arguments: ["env", "script"])
    func oneTimePage(_ opener: String) async throws {
        try await Scene.play { scene in
            let script = "#!/bin/sh\nexec \(Scene.walk()) \"$1\"\n"
            let path = try scene.write(Array(script.utf8), to: "opener", mode: 0o700)
            let output = try await scene.run(
                "login",
                "--client",
                scene.clientFile,
                "--allow-loopback-http",
                "--timeout",
                "60s",
                "--browser",
                opener == "env" ? "env \(Scene.walk())" : path
            )
            #expect(output.status == 0, "\(output.errors)")
        }
    }

    @Test("Closes the listener, saves nothing and exits with 130 after Ctrl-C", .covers(46))
    func interruption() async throws {
        try await Scene.play { scene in
            let child = try scene.start([
                "login", "--client", scene.clientFile, "--allow-loopback-http", "--browser", "true", "--verbose",
            ])
            let line = try #require(await child.errors.line { $0.contains("Listening at ") })
            let uri = try #require(line.split(separator: " ").last.map(String.init))
            child.interrupt()
            let (output, status) = await child.finish()
            #expect(status == 130)
            #expect(output.isEmpty)
            await #expect(throws: TransportError.self) {
                let request = HTTPRequest(
                    method: .get,
                    scheme: "http",
                    authority: String(uri.dropFirst("http://".count).dropLast()),
                    path: "/"
                )
                _ = try await scene.transport.send(request, body: nil)
            }
            #expect(try await scene.run("accounts", "--json").json()["accounts"]?.elements?.isEmpty == true)
        }
    }

    @Test("Detects a read-only store before the browser opens")
    func unwritableStore() async throws {
        try await Scene.play { scene in
            let file = scene.home + "/file"
            try Data().write(to: URL(filePath: file))
            let output = try await scene.login("--store", "file:\(file)/sessions")
            #expect(output.status == 7)
            #expect(output.errorLines.count == 1)
            #expect(!output.errors.contains("Opened"))
        }
    }

    /// Returns a free port outside of the ephemeral range, so that no other test can get it by chance.
    private static func freePort() throws -> Int {
        for port in (20_000..<32_000).shuffled().prefix(100) where Self.isFree(port) { return port }
        throw SceneFailure("no free port")
    }

    private static func isFree(_ port: Int) -> Bool {
        #if canImport(Darwin)
        let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
