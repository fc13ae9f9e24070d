// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraJSON

@Suite("Calls with credentials")
struct CredentialCallTests {
    @Test("drive ls lists a user's files, with the scope that it needs")
    func drive() async throws {
        try await CredentialScene.play { play in
            let words = ["drive", "ls"] + play.root + play.keyOptions + ["--subject", "ada@example.com"]
            let table = try await play.scene.run(words)
            #expect(table.status == 0, "\(table.errors)")
            #expect(table.line.split(separator: "\n").count == 4)
            #expect(try play.assertions().first?["scope"]?.string == Scene.driveScope)
            #expect(try play.assertions().first?["sub"]?.string == "ada@example.com")
            let adc = try await play.scene.run(
                ["drive", "ls", "--adc", "--json", "--scope", "https://www.googleapis.com/auth/drive"] + play.root,
                environment: play.machineEnvironment
            )
            #expect(adc.status == 0, "\(adc.errors)")
        }
    }

    @Test("api calls a method, with the first scope that permits it")
    func method() async throws {
        try await CredentialScene.play { play in
            let document = try play.scene.write(Array(SmallDiscovery.drive.utf8), to: "drive.json")
            let words = ["api", "drive.files.list", "--discovery", document, "--fields", "files(id)"]
            let output = try await play.scene.run(
                words + play.root + play.keyOptions + ["--subject", "ada@example.com"]
            )
            #expect(output.status == 0, "\(output.errors)")
            #expect(try output.json()["files"]?.elements?.isEmpty == false)
            #expect(try play.assertions().count == 1)
        }
    }

    @Test("gmail send has --act-as, because --subject is that of the message")
    func gmail() async throws {
        try await CredentialScene.play { play in
            let options = play.root + play.keyOptions
            let words = ["gmail", "send", "--to", "ada@example.com", "--subject", "Hello", "--act-as"]
            let sent = try await play.scene.run(
                words + ["ada@example.com", "--scope", "https://mail.google.com/"] + options,
                input: Array("Hello".utf8)
            )
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(try play.assertions().first?["sub"]?.string == "ada@example.com")
        }
    }

    @Test("fetch sends the token and the quota project")
    func fetch() async throws {
        try await CredentialScene.play { play in
            let url = "\(play.scene.drive)/files"
            let words = ["fetch", url, "--scope", Scene.driveScope] + play.keyOptions
            let output = try await play.scene.run(words, environment: ["GOOGLE_CLOUD_QUOTA_PROJECT": "billing"])
            #expect(output.status == 0, "\(output.errors)")
            #expect(output.text.contains("files"))
            let denied = try await play.scene.run(["fetch", url, "--scope", "email"] + play.keyOptions)
            #expect(denied.status == 3)
            #expect(denied.errors.contains("Add --scope"), "\(denied.errors)")
            #expect(!denied.errors.contains("tessera scopes add"))
            let elsewhere = try await play.scene.run(["fetch", "https://example.com/"] + play.keyOptions)
            #expect(elsewhere.status == 2)
        }
    }

    @Test("Rejects a server that credentials must not be sent to")
    func origins() async throws {
        try await CredentialScene.play { play in
            let output = try await play.scene.run(
                ["drive", "ls", "--root-url", "https://example.com"] + play.keyOptions
            )
            #expect(output.status == 2)
            #expect(output.errors.contains("--trusted-origin https://example.com"), "\(output.errors)")
            let account = try await play.scene.run(["drive", "ls", "--account", "ada"] + play.root + play.keyOptions)
            #expect(account.status == 2)
            #expect(account.errors.contains("--account cannot be used with"), "\(account.errors)")
        }
    }
}
