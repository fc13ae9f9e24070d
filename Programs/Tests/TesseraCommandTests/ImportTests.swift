// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraMigration
internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite("tessera import")
struct ImportTests {
    /// Returns the option for a second, empty store.
    private static func otherStore(_ scene: Scene) -> [String] { ["--store", "file:\(scene.home)/other"] }

    @Test("Imports a token.json as a session that can call APIs")
    func token() async throws {
        try await Scene.play { scene in
            let path = try scene.write(try await scene.exportedFile().encoded(), to: "token.json")
            let before = try scene.read(path)
            let store = Self.otherStore(scene)
            let output = try await scene.run(
                ["import", path, "--account", "work", "--json"] + store + scene.issuerOptions
            )
            #expect(output.status == 0, "\(output.errors)")
            let object = try output.json()
            #expect(object["email"]?.string == "ada@example.com")
            #expect(object["label"]?.string == "work")
            #expect(object["format"]?.string == "token")
            #expect(object["canRenew"]?.bool == true)
            #expect(object["granted"]?.elements?.contains { $0.string == Scene.driveScope } == true)
            #expect(output.errors.contains("still gives access to the same account"))
            #expect(scene.provider.refreshRequestCount == 1)
            #expect(try scene.read(path) == before)
            #expect(try await scene.run(["fetch", "\(scene.drive)/files"] + store).status == 0)
            // Without rotation, both sessions can use the refresh token.
            #expect(try await scene.run(["token", "--refresh"] + store).status == 0)
            #expect(try await scene.run("token", "--refresh").status == 0)
        }
    }

    @Test("Imports an authorized_user file from standard input")
    func standardInput() async throws {
        try await Scene.play { scene in
            let bytes = try await scene.exportedFile("authorized_user").encoded()
            let output = try await scene.run(
                ["import", "-"] + Self.otherStore(scene) + scene.issuerOptions,
                input: bytes
            )
            #expect(output.status == 0, "\(output.errors)")
            #expect(output.text.hasPrefix("Imported from standard input."))
            #expect(output.text.contains("ada@example.com"))
        }
    }

    @Test("Detects GTMOAuth2's string and a keyed archive by their contents")
    func older() async throws {
        try await Scene.play { scene in
            let file = try await scene.exportedFile()
            let refreshToken = try #require(file.refreshToken)
            let string = GTMOAuth2PersistenceString(ExistingCredentials(refreshToken: refreshToken, scopes: []))
            let state = try Self.authState(scene, refreshToken)
            let client = ["--client", scene.clientFile, "--allow-loopback-http"]
            for (name, bytes, options) in [
                ("gtmoauth2", Array(string.encoded.utf8), client),
                ("keyed_archive", Array(try AppAuthArchive.archive(state)), client),
                (
                    "keyed_archive", Array(try AppAuthArchive.archive(AuthSession(authState: state))),
                    scene.issuerOptions
                ),
            ] {
                let path = try scene.write(bytes, to: name)
                let output = try await scene.run(["import", path, "--json"] + Self.otherStore(scene) + options)
                #expect(output.status == 0, "\(name): \(output.errors)")
                #expect(try output.json()["format"]?.string == name)
                #expect(try output.json()["email"]?.string == "ada@example.com")
            }
        }
    }

    private static func authState(_ scene: Scene, _ refreshToken: Secret) throws -> OIDAuthState {
        let configuration = OIDServiceConfiguration(
            authorizationEndpoint: try #require(URL(string: scene.provider.baseURL + "/o/oauth2/v2/auth")),
            tokenEndpoint: try #require(URL(string: scene.provider.baseURL + "/token"))
        )
        let request = OIDTokenRequest(
            configuration: configuration,
            grantType: OIDGrantTypeAuthorizationCode,
            authorizationCode: nil,
            redirectURL: nil,
            clientID: scene.provider.clientID,
            clientSecret: scene.provider.clientSecret,
            scope: nil,
            refreshToken: nil,
            codeVerifier: nil,
            additionalParameters: nil
        )
        let parameters = refreshToken.withUnredacted {
            ["refresh_token": $0, "access_token": "old", "scope": "openid"]
        }
        let response = OIDTokenResponse(request: request, parameters: parameters)
        return OIDAuthState(authorizationResponse: nil, tokenResponse: response, registrationResponse: nil)
    }

    @Test("Reports that the file no longer works after a rotation")
    func rotating() async throws {
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = true
        try await Scene.play(options) { scene in
            let path = try scene.write(try await scene.exportedFile().encoded(), to: "token.json")
            let store = Self.otherStore(scene)
            let output = try await scene.run(["import", path] + store + scene.issuerOptions)
            #expect(output.status == 0)
            #expect(output.errors.contains("no longer works"))
            #expect(try await scene.run(["token", "--refresh"] + store).status == 0)
            #expect(try await scene.run(["export"] + store).status == 2)
        }
    }

    @Test("Warns about a file that other users can read")
    func openFile() async throws {
        try await Scene.play { scene in
            let bytes = try await scene.exportedFile().encoded()
            for (mode, isWarned) in [(0o600, false), (0o640, true), (0o604, true)] {
                let path = try scene.write(bytes, to: "token-\(mode).json", mode: mode)
                let output = try await scene.run(["import", path] + Self.otherStore(scene) + scene.issuerOptions)
                #expect(output.status == 0)
                #expect(output.errors.contains("Other users on this machine can read") == isWarned)
            }
        }
    }

    /// This test requires root, because only root can change the owner of a file.
    @Test(
        "Warns about a file that belongs to another user and names the owner",
        .covers(149),
        .enabled(if: geteuid() == 0)
    )
    func ownedFile() async throws {
        try await Scene.play { scene in
            let path = try scene.write(try await scene.exportedFile().encoded(), to: "token.json", mode: 0o600)
            #expect(chown(path, 65_534, 65_534) == 0)
            let output = try await scene.run(["import", path] + Self.otherStore(scene) + scene.issuerOptions)
            #expect(output.status == 0)
            #expect(output.errors.contains("belongs to another user"))
            #expect(output.errors.contains("(uid 65534)"))
        }
    }
}
