// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TestPrograms

@Suite("Crashes of tessera agent", .timeLimit(.minutes(2)))
struct AgentCrashTests {
    /// Whether a program that crashes on this system writes a core file to its working directory.
    static let coresAreLeft: Bool = {
        let pattern = try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)
        let limits = try? String(contentsOfFile: "/proc/self/limits", encoding: .utf8)
        let limit = limits?.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        // The pattern must not be a pipe or another directory. A child process cannot raise the limit of this process.
        return pattern?.hasPrefix("core") == true && limit?.split(separator: " ").dropLast().last == "unlimited"
    }()

    @Test(
        "Leaves no core file and prints no secret",
        .shows(claims: 28),
        .enabled(if: Self.coresAreLeft)
    )
    func core() async throws {
        try await Scene.play { scene in
            #expect(try await scene.login().status == 0)
            let directory = scene.home + "/crash"
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            let shell = "ulimit -c unlimited && cd '\(directory)' && exec"
            let other = try scene.start(["-c", "\(shell) sh -c 'kill -SEGV $$'"], program: "/bin/sh")
            _ = await other.finish()
            #expect(try Self.cores(directory).count == 1, "the test can detect a core file")
            let socket = directory + "/agent.sock"
            let words = "\(shell) '\(Scene.products)/tessera' agent start --json --socket '\(socket)'"
            let agent = try scene.start(["-c", words], program: "/bin/sh")
            let started = try JSONValue(parsing: try #require(await agent.output.line()))
            let environment = ["TESSERA_AGENT_SOCK": socket]
            // This call loads the refresh token into the agent's memory.
            #expect(try await scene.run("token", "--min-validity", "2h", environment: environment).status == 0)
            let process = try #require(try started["pid"]?.integer(Int32.self))
            #expect(kill(process, SIGSEGV) == 0)
            let text = String(decoding: await agent.errors.rest(), as: UTF8.self)
            #expect(await agent.exitStatus == -SIGSEGV)
            let cores = try Self.cores(directory)
            #expect(cores.count == 1, "\(cores)")
            // Swift's crash report would contain the registers and the memory that they point to.
            for secret in ["1//", "ya29.", scene.provider.clientSecret, "Registers"] { #expect(!text.contains(secret)) }
        }
    }

    private static func cores(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasPrefix("core") }
    }
}
