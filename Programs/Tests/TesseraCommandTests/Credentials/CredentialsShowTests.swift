// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("tessera credentials show")
struct CredentialsShowTests {
    @Test("Shows the credentials in an aligned table and why they are used")
    func text() async throws {
        try await CredentialScene.play { play in
            let output = try await play.scene.run(
                ["credentials", "show"] + play.trust,
                environment: play.keyEnvironment.merging(["GOOGLE_CLOUD_QUOTA_PROJECT": "billing"]) { $1 }
            )
            #expect(output.status == 0, "\(output.errors)")
            #expect(output.errors.isEmpty, "\(output.errors)")
            let lines = output.text.split(separator: "\n")
            for line in [
                "  Kind           service_account", "  Found by       GOOGLE_APPLICATION_CREDENTIALS",
                "  Location       \(play.key)", "  Account        \(CredentialScene.worker)",
                "  Project        tessera-local-provider", "  Quota project  billing",
                "  Universe       googleapis.com",
            ] {
                #expect(lines.contains { $0 == line }, "\(line)\n\(output.text)")
            }
            let search = lines.suffix(4).map { $0.split(separator: " ").map(String.init) }
            #expect(search.first == ["SEARCHED", "LOCATION", "RESULT"])
            #expect(search.dropFirst().first == ["GOOGLE_APPLICATION_CREDENTIALS", play.key, "used"])
            #expect(search.last == ["metadata", "server", "-", "not", "searched"])
            #expect(!output.text.contains("PRIVATE KEY"))
            // The description requires no token.
            #expect(play.scene.provider.cloudRequests.isEmpty)
        }
    }

    @Test("Prints one object with --json")
    func json() async throws {
        try await CredentialScene.play { play in
            let words = ["credentials", "show", "--json", "--subject", "ada@example.com", "--scope", Scene.driveScope]
            let object = try await play.scene.run(words + play.keyOptions).json()
            #expect(object["kind"]?.string == "service_account")
            #expect(object["source"]?.string == "--credentials")
            #expect(object["location"]?.string == play.key)
            #expect(object["account"]?.string == CredentialScene.worker)
            #expect(object["subject"]?.string == "ada@example.com")
            #expect(object["scopes"]?[0]?.string == Scene.driveScope)
            #expect(object["project"]?.string == "tessera-local-provider")
            #expect(object["quotaProject"]?.kind == .null)
            #expect(object["universeDomain"]?.string == "googleapis.com")
            #expect(object["search"]?.elements?.count == 1)
            #expect(object["warnings"]?.elements?.isEmpty == true)
        }
    }

    @Test("Shows the machine's service account and why the earlier steps did not apply")
    func machine() async throws {
        try await CredentialScene.play { play in
            let words = ["credentials", "show", "--json"]
            let output = try await play.scene.run(words, environment: play.machineEnvironment)
            #expect(output.status == 0, "\(output.errors)")
            let object = try output.json()
            #expect(object["kind"]?.string == "metadata_server")
            #expect(object["source"]?.string == "metadata server")
            #expect(object["location"]?.string == play.scene.provider.metadataHost)
            #expect(object["account"]?.string == CredentialScene.worker)
            #expect(object["project"]?.string == "tessera-local-provider")
            let reasons = object["search"]?.elements.map { $0.map { $0["reason"]?.string } }
            #expect(reasons == ["not set", "the file does not exist", nil])
            let used = object["search"]?.elements.map { $0.map { $0["used"]?.bool } }
            #expect(used == [false, false, true])
        }
    }

    @Test("Shows gcloud's file with the project of gcloud's configuration")
    func gcloud() async throws {
        try await CredentialScene.play { play in
            let directory = play.scene.home + "/.config/gcloud"
            try FileManager.default.createDirectory(
                atPath: directory + "/configurations",
                withIntermediateDirectories: true
            )
            let file = play.scene.provider.authorizedUserFile ?? ""
            let path = try play.scene.write(
                Array(file.utf8),
                to: ".config/gcloud/application_default_credentials.json"
            )
            _ = try play.scene.write(
                Array("[core]\nproject = garden\n".utf8),
                to: ".config/gcloud/configurations/config_default"
            )
            let output = try await play.scene.run(
                ["credentials", "show", "--json"],
                environment: CredentialScene.emptyEnvironment
            )
            let object = try output.json()
            #expect(object["kind"]?.string == "authorized_user")
            #expect(object["source"]?.string == "gcloud")
            #expect(object["location"]?.string == path)
            #expect(object["project"]?.string == "garden")
            #expect(object["account"]?.kind == .null)
        }
    }

    @Test("Warns about a file that other users can read")
    func warning() async throws {
        try await CredentialScene.play { play in
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: play.key)
            let output = try await play.scene.run(["credentials", "show"] + play.keyOptions)
            #expect(output.status == 0)
            #expect(output.text.contains("Warning        other users can read \(play.key)"), "\(output.text)")
            #expect(output.errors.isEmpty, "\(output.errors)")
        }
    }

    @Test("Exits with 6 if there are no credentials")
    func notFound() async throws {
        try await Scene.play { scene in
            let output = try await scene.run(["credentials", "show"], environment: CredentialScene.emptyEnvironment)
            #expect(output.status == 6)
            #expect(output.text.isEmpty)
            #expect(output.errors.contains("GOOGLE_APPLICATION_CREDENTIALS: not set"), "\(output.errors)")
        }
    }
}
