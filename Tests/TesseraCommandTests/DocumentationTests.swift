// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && CommandLine
internal import Foundation
internal import Testing
internal import TesseraJSON

@Suite("The command line's page")
struct DocumentationTests {
    @Test("Every member that a command prints with --json stands on the page")
    func members() async throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Docs/CommandLine.md").standardizedFileURL,
            encoding: .utf8
        )
        try await Scene.play { scene in
            var objects = [try await scene.login("--scope", Scene.driveScope, "--json").json()]
            let commands = [
                ["accounts"], ["status"], ["scopes"], ["token"], ["fetch", "\(scene.drive)/files"],
                ["fetch", "-o", scene.home + "/file", "\(scene.drive)/files"], ["fetch", "\(scene.drive)/files/none"],
                ["logout"], ["token"],
            ]
            for command in commands { objects.append(try await scene.run(command + ["--json"]).json()) }
            for object in objects {
                for name in Self.names(object) {
                    #expect(page.contains("`\(name)`") || page.contains("\"\(name)\""), "\(name)")
                }
            }
        }
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
#endif
