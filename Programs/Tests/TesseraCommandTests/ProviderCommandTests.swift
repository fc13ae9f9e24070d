// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJSON
internal import TestPrograms
internal import Testing

@Suite("tessera-provider")
struct ProviderCommandTests {
    private static func start(_ scene: Scene, _ more: String...) throws -> ChildProgram {
        let words = ["--json", "--client-secret-file", scene.home + "/provider.json"] + more
        return try scene.start(words, program: Scene.products + "/tessera-provider")
    }

    @Test(
        "Requires --allow-remote for an address that other machines can reach",
        arguments: ["0.0.0.0", "::", "192.0.2.1", "example"]
    )
    func refusal(_ host: String) async throws {
        try await Scene.play { scene in
            let child = try Self.start(scene, "--host", host)
            let errors = String(decoding: await child.errors.rest(), as: UTF8.self)
            #expect(await child.exitStatus == 2)
            #expect(errors.contains("Other machines can reach \(host)"), "\(errors)")
            #expect(errors.contains("--allow-remote"), "\(errors)")
        }
    }

    @Test("--allow-remote prints the address and a warning")
    func remote() async throws {
        try await Scene.play { scene in
            let child = try Self.start(scene, "--host", "0.0.0.0", "--allow-remote")
            let object = try JSONValue(parsing: await child.output.line() ?? "")
            let port = try object["port"]?.integer(Int.self) ?? 0
            #expect(object["address"]?.string == "0.0.0.0:\(port)")
            let warning = await child.errors.line() ?? ""
            #expect(warning.contains("Warning: other machines can reach 0.0.0.0:\(port)"), "\(warning)")
            await child.terminate()
        }
    }

    @Test("Prints a loopback address without a warning", arguments: ["127.0.0.1", "localhost", "::1"])
    func loopback(_ host: String) async throws {
        try await Scene.play { scene in
            let child = try Self.start(scene, "--host", host)
            let object = try JSONValue(parsing: await child.output.line() ?? "")
            let address = object["address"]?.string ?? ""
            #expect(address.hasPrefix("127.0.0.1:") || address.hasPrefix("[::1]:"), "\(address)")
            await child.terminate()
            #expect(await child.errors.rest().isEmpty)
        }
    }

    @Test("--cloud writes a key file and prints the environment of the metadata server")
    func cloud() async throws {
        try await Scene.play { scene in
            let file = scene.home + "/key.json"
            let child = try Self.start(scene, "--cloud", "--service-account-key-file", file)
            let object = try JSONValue(parsing: await child.output.line() ?? "")
            #expect(object["service_account_key_file"]?.string == file)
            let environment = object["environment"]
            #expect(environment?["GOOGLE_APPLICATION_CREDENTIALS"]?.string == file)
            #expect(environment?["GCE_METADATA_HOST"]?.string == object["address"]?.string)
            let key = try JSONValue(parsing: try String(contentsOfFile: file, encoding: .utf8))
            #expect(key["type"]?.string == "service_account")
            await child.terminate()
            // The key of a provider can be replaced, but no other file.
            try "{\"client_email\": \"a@example.com\"}".write(toFile: file, atomically: true, encoding: .utf8)
            let other = try Self.start(scene, "--cloud", "--service-account-key-file", file)
            #expect(await other.exitStatus == 2)
            let lonely = try Self.start(scene, "--service-account-key-file", file)
            #expect(await lonely.exitStatus == 2)
        }
    }
}
