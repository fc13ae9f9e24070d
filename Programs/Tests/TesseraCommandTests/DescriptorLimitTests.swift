// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
@testable internal import TesseraConsole
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite("A low limit on open files")
struct DescriptorLimitTests {
    private static func run(_ scene: Scene, limit: Int, _ program: String, _ words: [String]) async throws
        -> CommandOutput
    {
        let child = try scene.start(
            ["-c", "ulimit -n \(limit); exec \"$0\" \"$@\"", Scene.products + "/" + program] + words,
            program: "/bin/sh"
        )
        child.closeInput()
        let errors = await child.errors.rest()
        let (output, status) = await child.finish()
        return CommandOutput(status: status, bytes: output, errors: String(decoding: errors, as: UTF8.self))
    }

    @Test(
        "Exits with 2 if the limit on open files is too low",
        .covers(147),
        arguments: [
            ("tessera", ["login", "--issuer", "https://login.example", "--client-id", "x"]),
            ("tessera-databases", ["userinfo", "--store", "sqlite:sessions.db"]), ("tessera-api", ["drive", "ls"]),
            ("tessera-provider", []), ("tessera-provider", ["demo", "--headless"]),
        ],
        [12, DescriptorLimit.minimum(processors: 1) - 1]
    )
    func tooFew(_ call: (program: String, words: [String]), limit: Int) async throws {
        try await Scene.play { scene in
            let output = try await Self.run(scene, limit: limit, call.program, call.words)
            #expect(output.status == 2)
            #expect(output.errorLines.count == 1, "\(output.errors)")
            #expect(output.errors.contains("limit on open files is \(limit)"), "\(output.errors)")
            #expect(output.errors.contains("ulimit -n"))
        }
    }

    @Test("Signs in and calls an API with the smallest accepted limit", .covers(147))
    func enough() async throws {
        try await Scene.play { scene in
            let limit = DescriptorLimit.minimum(processors: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
            let output = try await Self.run(scene, limit: limit, "tessera-provider", ["demo", "--headless"])
            #expect(output.status == 0, "\(output.errors)\(output.text)")
        }
    }
}
