// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import Testing

@Suite("Programs of different versions")
struct ProgramVersionTests {
    @Test("Fails if tessera-databases passes a command back to tessera-api")
    func loop() async throws {
        try await Self.play(
            program: "tessera-api",
            other: "tessera-databases",
            script: """
                echo run >> "$0.runs"
                test "$(wc -l < "$0.runs")" -lt 5 || exit 99
                exec "${0%/*}/tessera-api" "$@"
                """
        ) { scene, directory in
            let arguments = ["drive", "ls", "--store", "sqlite:\(scene.home)/sessions.db"]
            let output = try await Self.run(scene, directory + "/tessera-api", arguments)
            #expect(output.status == 2)
            #expect(output.errors.contains("the installed programs have different versions"), "\(output.errors)")
            #expect(output.errors.contains("Install all programs from one release"), "\(output.errors)")
            let runs = try String(contentsOfFile: directory + "/tessera-databases.runs", encoding: .utf8)
            #expect(runs == "run\n")
        }
    }

    @Test("Explains a usage error in a program of another version")
    func usage() async throws {
        try await Self.play(
            program: "tessera-api",
            other: "tessera",
            script: """
                export TESSERA_PROCESS_HISTORY="$$\ttessera 9.9.9 (test)\ttessera\ttessera-api"
                exec "${0%/*}/tessera-api" "$@"
                """
        ) { scene, directory in
            let output = try await Self.run(scene, directory + "/tessera", ["drive", "ls", "--newer"])
            #expect(output.status == 2)
            #expect(output.errors.contains("tessera 9.9.9 (test) ran it"), "\(output.errors)")
        }
    }

    @Test("The doctor lists programs of another version")
    func doctor() async throws {
        let script = "echo 'tessera 9.9.9 (test)'"
        try await Self.play(program: "tessera", other: "tessera-api", script: script) { scene, directory in
            let output = try await Self.run(scene, directory + "/tessera", ["doctor", "--offline", "--json"])
            let report = try DoctorOutput(output)
            #expect(report.state("programs") == "problem")
            #expect(report.findings("programs") == ["programVersion certain"])
            #expect(report.words("programs").contains("/programs/tessera-api (tessera 9.9.9 (test))"))
            #expect(report.text("programs").contains("Install all programs from one release"))
        }
    }

    /// Creates a directory with a copy of a program and a script that replaces another program.
    private static func play(
        program: String,
        other: String,
        script: String,
        _ body: (Scene, String) async throws -> Void
    ) async throws {
        try await Scene.play { scene in
            let files = FileManager.default
            let directory = scene.home + "/programs"
            try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
            // A program looks for others next to its file, so a symbolic link would lead to the built ones.
            try files.copyItem(atPath: "\(Scene.products)/\(program)", toPath: "\(directory)/\(program)")
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: "\(directory)/\(other)"))
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(directory)/\(other)")
            try await body(scene, directory)
        }
    }

    private static func run(_ scene: Scene, _ program: String, _ arguments: [String]) async throws -> CommandOutput {
        let child = try scene.start(arguments, program: program)
        child.closeInput()
        let errors = await child.errors.rest()
        let (bytes, status) = await child.finish()
        return CommandOutput(status: status, bytes: bytes, errors: String(decoding: errors, as: UTF8.self))
    }
}
