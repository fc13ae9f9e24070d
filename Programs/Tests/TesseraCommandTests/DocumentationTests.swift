// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("Documentation of the command line")
struct DocumentationTests {
    @Test("Documents every member that a command prints with --json")
    func members() async throws {
        let page = try Self.page()
        try await Scene.play { scene in
            var objects = [try await scene.login("--scope", Scene.driveScope, "--json").json()]
            let commands = [
                ["accounts"], ["status"], ["doctor"], ["scopes"], ["token"], ["fetch", "\(scene.drive)/files"],
                ["export", "-o", scene.home + "/token.json", "--format", "token"],
                ["import", scene.home + "/token.json", "--issuer", scene.provider.issuer, "--allow-loopback-http"],
                ["fetch", "-o", scene.home + "/file", "\(scene.drive)/files"], ["fetch", "\(scene.drive)/files/none"],
                ["logout"], ["logout", "--all"], ["token"],
            ]
            for command in commands { objects.append(try await scene.run(command + ["--json"]).json()) }
            for object in objects {
                for name in Self.names(object) {
                    #expect(page.contains("`\(name)`") || page.contains("\"\(name)\""), "\(name)")
                }
            }
        }
    }

    @Test("Documents every member of the commands for providers and tokens")
    func providerMembers() async throws {
        let page = try Self.page()
        try await SmallProvider.play { scene, provider in
            let issuer = ["--issuer", provider.issuer, "--allow-loopback-http"]
            let device = try await scene.run(["login", "--client-id", "program", "--device", "--json"] + issuer)
            var objects = [try JSONValue(parsing: String(try #require(device.errorLines.first)))]
            let commands = [
                ["register"] + issuer, ["register", "--delete"] + issuer,
                ["discover", provider.issuer, "--allow-loopback-http"],
            ]
            for command in commands { objects.append(try await scene.run(command + ["--json"]).json()) }
            let token = try await scene.run(["inspect", "--json"], input: Array(try provider.token().utf8)).json()
            var names = Set(token.members.map { $0.map(\.name) } ?? [])
            for object in objects { names.formUnion(Self.names(object)) }
            #expect(names.count > 20)
            for name in names { #expect(page.contains("`\(name)`"), "\(name)") }
        }
    }

    @Test("Documents every member of the commands for credentials")
    func credentialMembers() async throws {
        let page = try Self.page()
        try await CredentialScene.play { play in
            for command in [["credentials", "show"], ["doctor"], ["token"]] {
                let object = try await play.scene.run(command + ["--json"] + play.keyOptions).json()
                for name in Self.names(object) { #expect(page.contains("`\(name)`"), "\(name)") }
            }
        }
    }

    private static func page() throws -> String {
        try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Docs/CommandLine.md").standardizedFileURL,
            encoding: .utf8
        )
    }

    private static func names(_ value: JSONValue) -> Set<String> {
        var names: Set<String> = []
        for member in value.members.map(Array.init) ?? [] {
            names.insert(member.name)
            names.formUnion(Self.names(member.value))
        }
        for element in value.elements.map(Array.init) ?? [] { names.formUnion(Self.names(element)) }
        return names
    }
}
