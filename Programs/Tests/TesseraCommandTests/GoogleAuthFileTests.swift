// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraLocalProvider
internal import TesseraMigration
internal import TesseraOAuth
internal import Testing
internal import TestPrograms

@Suite(
    "Exchange of credentials with Google's Python libraries",
    .enabled("needs PyPI once, and python3-venv: Scripts/google-auth install") {
        await ProviderScript(name: "google-auth").isInstallable()
    }
)
struct GoogleAuthFileTests {
    private static let script = ProviderScript(name: "google-auth")

    /// The output of the Python script.
    private struct Findings: Decodable, Equatable {
        var email: String
        var accessTokenSHA256: String
        var refreshTokenSHA256: String

        enum CodingKeys: String, CodingKey {
            case email
            case accessTokenSHA256 = "access_token_sha256"
            case refreshTokenSHA256 = "refresh_token_sha256"
        }
    }

    /// Loads a file with google-auth, refreshes the token and fetches the user's profile.
    private static func use(_ action: String, _ path: String, _ scene: Scene) async throws -> Findings {
        let base = scene.provider.baseURL
        let output = try await self.script.run(action, path, base + "/token", base + "/v1/userinfo")
        return try JSONDecoder().decode(Findings.self, from: Data(output))
    }

    @Test(
        "google-auth loads and refreshes an exported file",
        arguments: ["authorized_user", "token"]
    )
    func exported(_ format: String) async throws {
        try await Scene.play { scene in
            try await scene.login()
            let path = scene.home + "/credentials.json"
            #expect(try await scene.run("export", "--format", format, "-o", path).status == 0)
            let action = format == "token" ? "carry" : "default"
            let found = try await Self.use(action, path, scene)
            #expect(found.email == "ada@example.com")
            #expect(scene.provider.refreshRequestCount == 1)
            // The original session still works.
            #expect(try await scene.run("token", "--refresh").status == 0)
        }
    }

    @Test("A token.json survives ten round trips between Python and tessera")
    func tenTimes() async throws {
        try await Scene.play { scene in
            let path = scene.home + "/token.json"
            try await Self.script.run(
                "sign-in",
                scene.clientFile,
                Scene.walk("%s"),
                path,
                "openid",
                "https://www.googleapis.com/auth/userinfo.email",
                Scene.driveScope
            )
            let first = try AuthorizedUserFile(parsing: scene.read(path))
            #expect(first.format == .token)
            #expect(first.refreshToken != nil)
            #expect(first.expiry != nil)
            let store = ["--store", "file:\(scene.home)/other"]
            var tokens: Set<String> = []
            for round in 1...10 {
                let imported = try await scene.run(["import", path] + store + scene.issuerOptions)
                #expect(imported.status == 0, "round \(round): \(imported.errors)")
                #expect(try await scene.run(["fetch", "\(scene.drive)/files"] + store).status == 0)
                let exported = try await scene.run(["export", "--format", "token", "-o", path, "--force"] + store)
                #expect(exported.status == 0, "round \(round): \(exported.errors)")
                let found = try await Self.use("carry", path, scene)
                #expect(found.email == "ada@example.com")
                tokens.insert(found.accessTokenSHA256)
            }
            let last = try AuthorizedUserFile(parsing: scene.read(path))
            #expect(last.refreshToken == first.refreshToken)
            #expect(last.clientSecret == first.clientSecret)
            #expect(Set(last.scopes ?? []) == Set(first.scopes ?? []))
            #expect(tokens.count == 10)
            #expect(scene.provider.refreshRequestCount == 20)
        }
    }

    @Test("Requires --subject to import a token.json without an identity")
    func noIdentity() async throws {
        try await Scene.play { scene in
            let path = scene.home + "/token.json"
            try await Self.script.run("sign-in", scene.clientFile, Scene.walk("%s"), path, Scene.driveScope)
            let store = ["--store", "file:\(scene.home)/other"]
            let unnamed = try await scene.run(["import", path] + store + scene.issuerOptions)
            #expect(unnamed.status == 3, "\(unnamed.errors)")
            #expect(unnamed.errors.contains("--subject"), "\(unnamed.errors)")
            #expect(scene.provider.refreshRequestCount == 0)
            let named = try await scene.run(["import", path, "--subject", "ada"] + store + scene.issuerOptions)
            #expect(named.status == 0, "\(named.errors)")
            #expect(try await scene.run(["fetch", "\(scene.drive)/files"] + store).status == 0)
        }
    }

    @Test(
        "Saves a rotated refresh token if the user cannot be identified"
    )
    func replaced() async throws {
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = true
        try await Scene.play(options) { scene in
            let path = scene.home + "/token.json"
            try await Self.script.run("sign-in", scene.clientFile, Scene.walk("%s"), path, Scene.driveScope)
            // Without scopes in the file, only the token response shows that the user cannot be identified.
            var file = try AuthorizedUserFile(parsing: scene.read(path))
            file.scopes = nil
            _ = try scene.write(file.encoded(), to: "token.json")
            let store = ["--store", "file:\(scene.home)/other"]
            let unnamed = try await scene.run(["import", path] + store + scene.issuerOptions)
            #expect(unnamed.status == 3, "\(unnamed.errors)")
            #expect(unnamed.errors.contains("import that file instead"), "\(unnamed.errors)")
            #expect(scene.provider.refreshRequestCount == 1)
            #expect(try scene.mode(of: path + ".renewed") == 0o600)
            let again = ["import", path + ".renewed", "--subject", "ada"]
            let named = try await scene.run(again + store + scene.issuerOptions)
            #expect(named.status == 0, "\(named.errors)")
        }
    }
}
