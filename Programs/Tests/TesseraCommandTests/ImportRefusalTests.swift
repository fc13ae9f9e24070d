// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraMigration
internal import TesseraOAuth
internal import Testing

@Suite("Rejections by tessera import")
struct ImportRefusalTests {
    /// Runs an import that must fail without sending a request or changing the store or the file.
    ///
    /// - Returns: The `error` member of the output.
    private static func refusal(
        _ scene: Scene,
        _ bytes: [UInt8],
        _ options: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> JSONValue? {
        let path = try scene.write(bytes, to: "refused")
        let (stored, refreshes) = (try scene.storedFiles(), scene.provider.refreshRequestCount)
        let output = try await scene.run(["import", path, "--json"] + options)
        #expect(output.status == 2, "\(output.errors)", sourceLocation: sourceLocation)
        #expect(scene.provider.refreshRequestCount == refreshes, sourceLocation: sourceLocation)
        #expect(try scene.read(path) == bytes, sourceLocation: sourceLocation)
        #expect(!stored.isEmpty, sourceLocation: sourceLocation)
        #expect(try scene.storedFiles() == stored, sourceLocation: sourceLocation)
        return try output.json()["error"]
    }

    @Test("Sends no refresh token to a provider that only the file names")
    func strangers() async throws {
        try await Scene.play { scene in
            var file = try await scene.exportedFile()
            let unnamed = try await Self.refusal(scene, file.encoded(), [])
            #expect(unnamed?["code"]?.string == "anotherProvider")
            #expect(unnamed?["recoverySuggestion"]?.string?.contains("--issuer") == true)
            let google = try await Self.refusal(scene, file.encoded(), ["--google"])
            #expect(google?["code"]?.string == "anotherProvider")
            file.tokenURI = "https://stranger.example/token"
            let stranger = try await Self.refusal(scene, file.encoded(), scene.issuerOptions)
            #expect(stranger?["code"]?.string == "anotherProvider")
            #expect(stranger?["message"]?.string?.contains("https://stranger.example/token") == true)
        }
    }

    @Test("Rejects credentials of another client or an unknown client")
    func clients() async throws {
        try await Scene.play { scene in
            var file = try await scene.exportedFile()
            let string = Array(GTMOAuth2PersistenceString(["refresh_token": "x"]).encoded.utf8)
            #expect(try await Self.refusal(scene, string, [])?["code"]?.string == "anotherProvider")
            #expect(try await Self.refusal(scene, string, ["--client-id", "a"])?["code"]?.string == "usage")
            #expect(try await Self.refusal(scene, string, ["--google"])?["code"]?.string == "clientMissing")
            file.clientID = "another"
            let options = ["--client", scene.clientFile, "--allow-loopback-http"]
            #expect(try await Self.refusal(scene, file.encoded(), options)?["code"]?.string == "anotherClient")
        }
    }

    @Test("Explains that client_secret.json contains no credentials of a user")
    func clientFile() async throws {
        try await Scene.play { scene in
            try await scene.login()
            let error = try await Self.refusal(scene, scene.read(scene.clientFile), [])
            #expect(error?["code"]?.string == "notAGrant")
            #expect(error?["message"]?.string?.contains("tessera login --client") == true)
        }
    }

    @Test("Rejects damaged files and unknown formats")
    func damaged() async throws {
        try await Scene.play { scene in
            let bytes = try await scene.exportedFile().encoded()
            let text = String(decoding: bytes, as: UTF8.self)
            for (damaged, code) in [
                (Array(bytes.prefix(bytes.count / 2)), "unknownFormat"), ([], "unknownFormat"),
                (Array(text.replacing("\"client_id\"", with: "\"scopes\"").utf8), "damaged"),
                (Array("bplist00 and nothing more that makes sense to anybody".utf8), "damaged"),
                ([UInt8](repeating: 0xFF, count: 1_000), "unknownFormat"),
            ] {
                #expect(try await Self.refusal(scene, damaged, scene.issuerOptions)?["code"]?.string == code)
            }
            let missing = try await scene.run("import", scene.home + "/none")
            #expect(missing.status == 2)
            #expect(missing.errors.contains("No such file or directory"))
        }
    }

    @Test("Rejects revoked credentials and keeps the existing session")
    func revoked() async throws {
        try await Scene.play { scene in
            let path = try scene.write(try await scene.exportedFile().encoded(), to: "token.json")
            let stored = try scene.storedFiles()
            scene.provider.revokeAll()
            #expect(try await scene.run(["import", path] + scene.issuerOptions).status == 6)
            #expect(try scene.storedFiles() == stored)
        }
    }
}
