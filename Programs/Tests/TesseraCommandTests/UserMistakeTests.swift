// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
@testable internal import TesseraConsole
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraTesting
internal import Testing

@Suite("Usage error messages")
struct UserMistakeTests {
    /// A command line and the expected parts of its error message.
    ///
    /// `ISSUER` and `CLIENT` stand for the provider's issuer and its client file.
    struct Case: Sendable, CustomTestStringConvertible {
        let words: [String]
        let message: String
        let advice: String

        init(_ line: String, _ message: String, _ advice: String) {
            self.init(line.split(separator: " ").map(String.init), message, advice)
        }

        init(_ words: [String], _ message: String, _ advice: String) {
            (self.words, self.message, self.advice) = (words, message, advice)
        }

        var testDescription: String { self.words.joined(separator: " ") }
    }

    private static let cases = [
        // Invalid issuers.
        Case("login --issuer x --client-id a", "--issuer: “x” is not an https URL", "https://accounts.example.com"),
        Case("login --issuer x", "--issuer: “x” is not an https URL", "https://accounts.example.com"),
        Case("login --issuer x --client CLIENT", "--client: auth_uri in the file", "--allow-loopback-http"),
        Case(["login", "--issuer", "", "--client-id", "a"], "“” is empty", "https://accounts.example.com"),
        Case("login --issuer http://login.example --client-id a", "allowed only for loopback addresses", "Use https"),
        Case("login --issuer https://a.example?b --client-id a", "has a query", "that the provider publishes"),
        Case(
            ["discover", "https://a b.example"],
            "“https://a b.example” contains whitespace",
            "that the provider publishes"
        ),
        Case("discover login.example", "“login.example” is not an https URL", "that the provider publishes"),
        Case("register --issuer x", "--issuer: “x” is not an https URL", "that the provider publishes"),
        Case("doctor --issuer x", "--issuer: “x” is not an https URL", "that the provider publishes"),
        // A missing --allow-loopback-http.
        Case("login --issuer ISSUER --client-id a", "uses plain http", "Add --allow-loopback-http"),
        Case(
            "login --client CLIENT",
            "--client: auth_uri in the file is not an https URL",
            "Add --allow-loopback-http"
        ),
        Case("discover ISSUER", "uses plain http", "Add --allow-loopback-http"),
        Case("register --issuer ISSUER", "uses plain http", "Add --allow-loopback-http"),
        // Features that the provider does not support.
        Case(
            "login --client CLIENT --allow-loopback-http --device",
            "does not offer sign-in on another device",
            "--device"
        ),
        Case(
            "login --client CLIENT --allow-loopback-http --browser true --par",
            "does not offer pushed",
            "Remove --par"
        ),
        Case(
            "login --client CLIENT --allow-loopback-http --browser true --dpop",
            "does not offer tokens bound",
            "--dpop"
        ),
        Case(
            "register --issuer ISSUER --allow-loopback-http",
            "does not offer dynamic client registration",
            "--client-id or --client"
        ),
        // Invalid values.
        Case("inspect x", "The text is not a JWT", "access tokens are not"),
        Case("inspect a.b.c", "The text is not a JWT", "access tokens are not"),
        Case("accounts --store sqlite:", "--store: sqlite: is incomplete", "Write sqlite:FILE"),
        Case("accounts --store file:", "--store: file: is incomplete", "Write file:DIR"),
        Case("accounts --store passphrase:", "--store: passphrase: is incomplete", "Write passphrase:DIR"),
        Case(["fetch", "https://api.example/a b"], "contains whitespace", "Write a space as %20"),
        Case("fetch x", "not an absolute http or https URL", "Write the whole URL"),
        Case("accounts --frob", "Unknown option '--frob'. See", "tessera accounts list --help"),
        Case("logn", "Unknown command 'logn'. Did you mean 'login'? See", "tessera --help"),
        Case("accounts --jsn", "Did you mean '--json'? See", "tessera accounts list --help"),
        Case("provider --frob", "Unknown option '--frob'. See", "tessera-provider --help"),
        Case("provider --port 99999", "The port must be between", "0 and 65535"),
        Case("provider --host 0.0.0.0", "Other machines can reach 0.0.0.0", "--allow-remote"),
        Case("demo --frob", "Unknown option '--frob'", "tessera-provider demo --help"),
        Case(
            "demo --headless --browser x",
            "--browser and --headless cannot be used together",
            "tessera-provider demo --help"
        ),
        Case("login --google --client CLIENT --prompt frob", "--prompt frob is unknown", "select_account"),
        Case(["login", "--google", "--client", "CLIENT", "--scope", ""], "--scope cannot be empty", "such as email"),
        Case(["scopes", "add", " "], "<scope> cannot be empty", "such as email"),
        Case(["register", "--issuer", "ISSUER", "--scope", ""], "--scope cannot be empty", "such as email"),
        Case("inspect --jwks CLIENT eyJhbGciOiJSUzI1NiJ9.e30.YQ", "--jwks", "Specify a file with a JWK set"),
    ]

    @Test("Reports a usage error with advice and exits with 2", arguments: Self.cases)
    func commandLine(_ example: Case) async throws {
        try await Scene.play { scene in
            let words = example.words.map {
                $0.replacingOccurrences(of: "ISSUER", with: scene.provider.issuer)
                    .replacingOccurrences(of: "CLIENT", with: scene.clientFile)
            }
            let output = try await scene.run(words)
            #expect(output.status == 2, "\(output.errors)")
            let error = output.errorLines.last ?? ""
            #expect(error.hasPrefix("tessera: "), "\(output.errors)")
            #expect(error.contains(example.message), "\(error)")
            #expect(error.contains(example.advice), "\(error)")
            #expect(!error.contains("violates the protocol"), "\(error)")
            #expect(!error.contains("provider's operator"), "\(error)")
            #expect(!error.contains("?."), "\(error)")
        }
    }

    @Test(
        "Describes a file that is not a client file",
        arguments: [
            ("\u{FEFF}{\"installed\":{}}", "a byte order mark (BOM) before the JSON text"),
            (#"{"installed":{"client_id":"a","client_id":"b"}}"#, "an object has two members of the same name"),
            ("\n<!DOCTYPE html><html></html>", "an HTML or XML page"), ("", "an empty text"),
            ("client_id=a", "the text is not valid JSON (at byte 0)"), ("{}", "neither \"installed\" nor \"web\""),
        ]
    )
    func clientFile(_ text: String, _ words: String) async throws {
        try await Scene.play { scene in
            let file = try scene.write(Array(text.utf8), to: "client.json")
            let output = try await scene.run("login", "--google", "--client", file)
            #expect(output.status == 2)
            #expect(output.errors.contains(words), "\(output.errors)")
            #expect(output.errors.contains("Download the file again"), "\(output.errors)")
        }
    }

    @Test(
        "Describes a response that is not metadata",
        arguments: [
            ("<html>", "got an HTML or XML page"), ("", "got an empty text"),
            ("\u{FEFF}{}", "got a byte order mark (BOM)"), (#"{"a":1,"a":2}"#, "two members of the same name"),
        ]
    )
    func metadata(_ text: String, _ words: String) async throws {
        let server = try HostileServer.start { _ in .json(text) }
        defer { server.stop() }
        try await Scene.play { scene in
            let output = try await scene.run("discover", server.baseURL, "--allow-loopback-http")
            #expect(output.status == 4)
            #expect(output.errors.contains(words), "\(output.errors)")
            #expect(output.errors.contains("Check the issuer"), "\(output.errors)")
        }
    }

    @Test("Does not advise waiting after 501")
    func notImplemented() async throws {
        let server = try HostileServer.start { _ in .status(.notImplemented) }
        defer { server.stop() }
        try await Scene.play { scene in
            let output = try await scene.run("discover", server.baseURL, "--allow-loopback-http", "--json")
            #expect(output.status == 4)
            #expect(output.errors.contains("does not implement"), "\(output.errors)")
            #expect(try output.json()["error"]?["isRetryable"]?.bool == false)
        }
    }

    @Test("Reports one refresh in the status")
    func once() async throws {
        try await Scene.play { scene in
            try await scene.login()
            #expect(try await scene.run("token", "--refresh").status == 0)
            let text = try await scene.run("status").text
            #expect(text.contains("once since consent"), "\(text)")
        }
    }

    @Test("Suggests --root-url for a token of a server on this machine")
    func originOfAPI() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Scene.driveScope)
            let output = try await scene.run("drive", "ls")
            #expect(output.status == 2, "\(output.errors)")
            #expect(
                output.errors.contains("To call the server on this machine, add --root-url http://127.0.0.1:"),
                "\(output.errors)"
            )
        }
    }

    @Test(
        "Keeps only plausible suggestions of the parser",
        arguments: [
            ("Unknown option '--frob'. Did you mean '--json'?", "Unknown option '--frob'"),
            ("Unknown option '--jsno'. Did you mean '--json'?", "Unknown option '--jsno'. Did you mean '--json'?"),
            ("Unknown option '-x'", "Unknown option '-x'"), ("", ""),
        ]
    )
    func suggestion(_ message: String, _ plausible: String) {
        #expect(UsageReport.plausible(message) == plausible)
    }
}
