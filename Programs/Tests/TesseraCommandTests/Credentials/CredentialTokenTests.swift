// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("tessera token with credentials")
struct CredentialTokenTests {
    @Test("Prints an access token for a key file, with and without the argument parser")
    func keyFile() async throws {
        try await CredentialScene.play { play in
            let words = ["token"] + play.keyOptions + ["--scope", Scene.driveScope, "--scope", "openid email"]
            let token = try await play.scene.run(words)
            #expect(token.status == 0, "\(token.errors)")
            #expect(token.line.hasPrefix("ya29."))
            #expect(token.errors.isEmpty, "\(token.errors)")
            let header = try await play.scene.run(words + ["--header"])
            #expect(header.line.hasPrefix("Authorization: Bearer ya29."))
            let object = try await play.scene.run(words + ["--json"]).json()
            #expect(object["type"]?.string == "access_token")
            #expect(object["account"]?.string == CredentialScene.worker)
            #expect(object["expiresAt"]?.string?.hasSuffix("Z") == true)
            let claims = try play.assertions()
            #expect(claims.count == 3)
            #expect(claims.allSatisfy { $0["scope"]?.string == "\(Scene.driveScope) openid email" })
            #expect(claims.allSatisfy { $0["sub"] == nil })
            // No session store was created.
            #expect(!FileManager.default.fileExists(atPath: play.scene.store))
        }
    }

    @Test("--adc finds the file in GOOGLE_APPLICATION_CREDENTIALS and requests a scope by default")
    func environmentVariable() async throws {
        try await CredentialScene.play { play in
            let words = ["token", "--adc"] + play.trust
            let token = try await play.scene.run(words, environment: play.keyEnvironment)
            #expect(token.status == 0, "\(token.errors)")
            #expect(token.line.hasPrefix("ya29."))
            #expect(try play.assertions().first?["scope"]?.string?.hasSuffix("/auth/cloud-platform") == true)
        }
    }

    @Test("--adc finds the metadata server, which issues access tokens and ID tokens")
    func metadataServer() async throws {
        try await CredentialScene.play { play in
            let token = try await play.scene.run("token", "--adc", environment: play.machineEnvironment)
            #expect(token.status == 0, "\(token.errors)")
            #expect(token.line.hasPrefix("ya29."))
            let words = ["token", "--adc", "--audience", "https://service.run.app", "--json"]
            let object = try await play.scene.run(words, environment: play.machineEnvironment).json()
            #expect(object["type"]?.string == "id_token")
            #expect(object["account"]?.string == CredentialScene.worker)
            #expect(object["token"]?.string?.split(separator: ".").count == 3)
        }
    }

    @Test("--subject acts as a user")
    func subject() async throws {
        try await CredentialScene.play { play in
            for option in ["--subject", "--act-as"] {
                let words = ["token"] + play.keyOptions + [option, "ada@example.com", "--scope", Scene.driveScope]
                let token = try await play.scene.run(words)
                #expect(token.status == 0, "\(token.errors)")
            }
            #expect(try play.assertions().map { $0["sub"]?.string } == ["ada@example.com", "ada@example.com"])
        }
    }

    @Test("--audience prints an ID token")
    func idToken() async throws {
        try await CredentialScene.play { play in
            let words = ["token"] + play.keyOptions + ["--audience", "https://service.run.app"]
            let token = try await play.scene.run(words)
            #expect(token.status == 0, "\(token.errors)")
            let claims = try CompactJWS(parsing: token.line).claims()
            #expect(claims["aud"]?.string == "https://service.run.app")
            #expect(claims["email"]?.string == CredentialScene.worker)
            #expect(try await play.scene.run(words + ["--id-token"]).status == 0)
        }
    }

    @Test("Warns about a key file that other users can read")
    func openFile() async throws {
        try await CredentialScene.play { play in
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: play.key)
            let token = try await play.scene.run(["token"] + play.keyOptions)
            #expect(token.status == 0, "\(token.errors)")
            #expect(token.errorLines.count == 1)
            #expect(token.errors.hasPrefix("tessera: Other users can read"), "\(token.errors)")
            #expect(token.errors.contains("chmod 600"))
            #expect(token.errors.contains(play.key))
        }
    }
}

@Suite("Errors of tessera token with credentials")
struct CredentialTokenErrorTests {
    @Test("Refuses a file with another server, and names --trusted-origin")
    func untrusted() async throws {
        try await CredentialScene.play { play in
            let output = try await play.scene.run("token", "--credentials", play.key)
            #expect(output.status == 2)
            #expect(output.errors.contains("--trusted-origin"), "\(output.errors)")
            #expect(output.errorLines.count == 1)
            #expect(output.text.isEmpty)
            #expect(play.scene.provider.cloudRequests.isEmpty)
            let origin = try await play.scene.run("token", "--adc", "--trusted-origin", "nonsense")
            #expect(origin.status == 2)
            #expect(origin.errors.contains("--trusted-origin"), "\(origin.errors)")
        }
    }

    @Test("Names a file that does not exist or is not a credential file")
    func files() async throws {
        try await CredentialScene.play { play in
            let missing = try await play.scene.run("token", "--credentials", "/nowhere/key.json")
            #expect(missing.status == 2)
            #expect(missing.errors.contains("/nowhere/key.json"), "\(missing.errors)")
            let broken = try play.scene.write(Array("{".utf8), to: "broken.json")
            let words = ["token", "--credentials", broken, "--json"]
            let output = try await play.scene.run(words)
            #expect(output.status == 2)
            #expect(try output.json()["error"]?["code"]?.string == "invalidFile")
            let unusable = try await play.scene.run(
                ["token", "--adc"],
                environment: ["GOOGLE_APPLICATION_CREDENTIALS": broken]
            )
            #expect(unusable.status == 2)
            #expect(unusable.errors.contains(broken), "\(unusable.errors)")
        }
    }

    @Test("Explains where credentials were searched for")
    func notFound() async throws {
        try await CredentialScene.play { play in
            let output = try await play.scene.run(
                ["token", "--adc", "--json"],
                environment: CredentialScene.emptyEnvironment
            )
            #expect(output.status == 6)
            #expect(try output.json()["error"]?["code"]?.string == "notFound")
            for words in ["GOOGLE_APPLICATION_CREDENTIALS: not set", "gcloud", "NO_GCE_CHECK is true"] {
                #expect(output.errors.contains(words), "\(output.errors)")
            }
        }
    }

    @Test("Explains how to allow a service account to act as a user")
    func delegation() async throws {
        try await CredentialScene.play {
            $0.cloud?.serviceAccounts[0].delegatedScopes = []
        } _: { play in
            let words = ["token"] + play.keyOptions + ["--scope", Scene.driveScope, "--subject"]
            let denied = try await play.scene.run(words + ["ada@example.com"])
            #expect(denied.status == 3, "\(denied.errors)")
            #expect(denied.errors.contains("domain-wide delegation"), "\(denied.errors)")
            let unknown = try await play.scene.run(words + ["nobody@example.com"])
            #expect(unknown.status == 3, "\(unknown.errors)")
            #expect(unknown.errors.contains("Check that --subject is a user"), "\(unknown.errors)")
            let machine = try await play.scene.run(
                ["token", "--adc", "--subject", "ada@example.com"],
                environment: play.machineEnvironment
            )
            #expect(machine.status == 2)
            #expect(machine.errors.contains("Remove --subject"), "\(machine.errors)")
        }
    }

    @Test(
        "Rejects options that cannot be used together",
        arguments: [
            ["--adc", "--credentials", "key.json"], ["--subject", "ada@example.com"], ["--scope", "email"],
            ["--trusted-origin", "https://example.com"], ["--audience", "https://service.run.app"],
            ["--adc", "--account", "ada"], ["--adc", "--store", "memory:"], ["--adc", "--agent"],
            ["--adc", "--refresh"], ["--adc", "--cache"], ["--adc", "--min-validity", "5m"], ["--adc", "--id-token"],
            ["--adc", "--scope", ""], ["--credentials"],
        ]
    )
    func usage(_ options: [String]) async throws {
        try await Scene.play { scene in
            let output = try await scene.run(["token"] + options, environment: CredentialScene.emptyEnvironment)
            #expect(output.status == 2, "\(output.errors)")
            #expect(output.errorLines.count == 1, "\(output.errors)")
            #expect(output.text.isEmpty)
        }
    }
}
