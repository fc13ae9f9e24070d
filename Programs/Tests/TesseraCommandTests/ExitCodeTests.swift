// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("Exit codes of the command line")
struct ExitCodeTests {
    /// A command that fails, with its exit code and error code.
    struct Case: Sendable, CustomTestStringConvertible {
        let status: Int32
        let code: String
        let play: @Sendable (Scene) async throws -> CommandOutput

        var testDescription: String { "\(self.status) \(self.code)" }
    }

    static let cases: [Case] = [
        Case(status: 2, code: "usage") { try await $0.run("fetch", "--json") },
        Case(status: 2, code: "usage") { try await $0.run("token", "--store", "nonsense:", "--json") },
        Case(status: 2, code: "usage") { scene in
            try await scene.run(
                "login",
                "--issuer",
                scene.provider.issuer,
                "--client-id",
                "x",
                "--json",
                "--browser",
                Scene.walk()
            )
        },
        Case(status: 3, code: "access_denied") { try await $0.login("--json", walkOptions: "--deny") },
        Case(status: 3, code: "invalid_client") { scene in
            scene.provider.change { $0.tokenFaults = [.error("invalid_client")] }
            return try await scene.login("--json")
        },
        Case(status: 4, code: "token.format") { scene in
            scene.provider.change { $0.tokenFaults = [.html] }
            return try await scene.login("--json")
        },
        Case(status: 4, code: "metadata.issuerMatch") { scene in
            try await scene.run(
                "login",
                "--issuer",
                scene.provider.issuer + "/",
                "--client-id",
                "x",
                "--json",
                "--allow-loopback-http",
                "--browser",
                Scene.walk()
            )
        },
        Case(status: 4, code: "http_404") { scene in
            try await scene.run(
                "login",
                "--issuer",
                scene.provider.issuer + "/nowhere",
                "--client-id",
                "x",
                "--json",
                "--allow-loopback-http",
                "--browser",
                Scene.walk()
            )
        },
        Case(status: 5, code: "cannotConnect") { scene in
            // No server listens at port 1.
            try await scene.run(
                "login",
                "--issuer",
                "http://127.0.0.1:1",
                "--client-id",
                "x",
                "--json",
                "--allow-loopback-http",
                "--browser",
                "true"
            )
        },
        Case(status: 5, code: "temporarily_unavailable") { scene in
            scene.provider.change { $0.tokenFaults = [.unavailable(retryAfter: 7)] }
            return try await scene.login("--json")
        },
        Case(status: 5, code: "timedOut") { scene in
            try await scene.run(
                "login",
                "--client",
                scene.clientFile,
                "--allow-loopback-http",
                "--browser",
                "true",
                "--timeout",
                "1s",
                "--json"
            )
        },
        Case(status: 6, code: "notSignedIn") { try await $0.run("token", "--json") },
        Case(status: 6, code: "refused") { scene in
            try await scene.login()
            scene.provider.revokeAll()
            return try await scene.run("token", "--refresh", "--json")
        },
        Case(status: 7, code: "unavailable") { try await $0.login("--store", "file:/dev/null/sessions", "--json") },
    ]

    @Test("Reports a failure with an exit code, one line on standard error and a JSON object", arguments: Self.cases)
    func table(_ example: Case) async throws {
        try await Scene.play { scene in
            let output = try await example.play(scene)
            #expect(output.status == example.status)
            let lines = output.errorLines.filter { !$0.contains("Sign in there to continue") }
            #expect(lines.count == 1, "\(output.errors)")
            #expect(lines.first?.hasPrefix("tessera: ") == true)
            let error = try #require(try output.json()["error"])
            #expect(error["code"]?.string == example.code)
            #expect(try error["exitCode"]?.integer(Int32.self) == example.status)
            let endsSession = try #require(error["endsSession"]?.bool as Bool?)
            #expect(error["recoverySuggestion"]?.string?.isEmpty == false)
            #expect(error["whatToDo"]?.string == error["recoverySuggestion"]?.string)
            #expect(error["sessionSurvives"]?.bool == !endsSession)
            #expect(error["isRetryable"]?.bool != nil)
            #expect(error["retryCanHelp"]?.bool == error["isRetryable"]?.bool)
        }
    }
}
