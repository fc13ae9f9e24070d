// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestPrograms

@Suite("tessera login --device, --par, --dpop")
struct DeviceLoginTests {
    private static func login(_ provider: SmallProvider, _ more: String...) -> [String] {
        ["login", "--issuer", provider.issuer, "--client-id", "program", "--allow-loopback-http"] + more
    }

    @Test("Shows the URL and the code, and saves the session")
    func device() async throws {
        var options = SmallProvider.Options()
        options.pending = 1
        try await SmallProvider.play(options) { scene, provider in
            let output = try await scene.run(Self.login(provider, "--device"))
            #expect(output.status == 0, "\(output.errors)")
            #expect(output.text.contains("Signed in."))
            for words in ["\(provider.issuer)/go\n", "Code: WDJB-MJHT", "/go?code=WDJB-MJHT", "valid for 15 min"] {
                #expect(output.errors.contains(words), "\(words)")
            }
            #expect(!output.errors.contains("\u{1B}"), "no QR code without a terminal")
            #expect(!output.errors.contains("█"), "no QR code without a terminal")
            #expect(!output.errors.contains("device-code-1"))
            #expect(provider.requests(to: "/token").count == 2)
            #expect(try await scene.run("token").line == "hidden-access")
        }
    }

    @Test("--json prints the code to standard error and the session to standard output")
    func deviceObject() async throws {
        try await SmallProvider.play { scene, provider in
            let output = try await scene.run(Self.login(provider, "--device", "--json"))
            #expect(try output.json()["email"]?.string == "ada@example.com")
            #expect(output.errorLines.count == 1)
            let shown = try JSONValue(parsing: String(output.errorLines[0]))["deviceAuthorization"]
            #expect(shown?["userCode"]?.string == "WDJB-MJHT")
            #expect(shown?["verificationURI"]?.string == "\(provider.issuer)/go")
            #expect(try shown?["expiresIn"]?.integer(Int64.self) == 900)
        }
    }

    @Test(
        "Exits with 3 if the user denies access or the code expires",
        arguments: ["access_denied", "expired_token"]
    )
    func deviceRefusal(_ error: String) async throws {
        var options = SmallProvider.Options()
        options.deviceError = error
        try await SmallProvider.play(options) { scene, provider in
            let output = try await scene.run(Self.login(provider, "--device"))
            #expect(output.status == 3)
            #expect(try await scene.run("token").status == 6)
        }
    }

    @Test("Exits with 130 after Ctrl-C", .covers(46))
    func deviceInterruption() async throws {
        var options = SmallProvider.Options()
        options.pending = .max
        try await SmallProvider.play(options) { scene, provider in
            let child = try scene.start(Self.login(provider, "--device"))
            _ = try #require(await child.errors.line { $0.contains("code is valid for") })
            child.interrupt()
            let (output, status) = await child.finish()
            #expect(status == 130)
            #expect(output.isEmpty)
        }
    }

    @Test(
        "Rejects browser options with --device",
        arguments: [
            ["--browser", "true"], ["--no-browser"], ["--redirect-uri", "http://127.0.0.1:8080/"], ["--par"],
            ["--prompt", "login"], ["--timeout", "1m"], ["--login-hint", "ada@example.com"], ["--max-age", "1"],
        ]
    )
    func contradiction(_ more: [String]) async throws {
        try await SmallProvider.play { scene, provider in
            let output = try await scene.run(Self.login(provider, "--device") + more)
            #expect(output.status == 2)
            #expect(output.errors.contains("\(more[0]) cannot be used together"))
            #expect(provider.requests(to: "/device").isEmpty)
        }
    }

    @Test("--par pushes the request and --dpop binds the tokens")
    func pushedAndBound() async throws {
        try await SmallProvider.play { scene, provider in
            let child = try scene.start(Self.login(provider, "--no-browser", "--par", "--dpop"))
            let line = try #require(await child.errors.line { $0.contains("/authorize?") })
            let address = line.trimmingPrefix { $0 == " " }
            #expect(address.contains("request_uri=urn"))
            #expect(!address.contains("code_challenge="))
            let path = String(address.dropFirst(provider.issuer.count))
            let request = HTTPRequest(
                method: .get,
                scheme: "http",
                authority: String(provider.issuer.dropFirst("http://".count)),
                path: path
            )
            let (response, _) = try await scene.transport.send(request, body: nil)
            child.send((response.headerFields[.location] ?? "") + "\n")
            let (_, status) = await child.finish()
            #expect(status == 0)
            #expect(provider.requests(to: "/par").first?.formValue("code_challenge") != nil)
            let name = try #require(HTTPField.Name("DPoP"))
            #expect(provider.requests(to: "/token").first?.head.headerFields[name] != nil)
            #expect(try await scene.run("token", "--header").line == "Authorization: DPoP hidden-access")
        }
    }
}
