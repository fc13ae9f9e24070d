// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraLocalProvider
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite("Signals")
struct SignalTests {
    /// Runs `body` with a provider that rotates refresh tokens, a signed-in user, and an expired access token.
    private static func play(_ body: (Scene) async throws -> Void) async throws {
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = true
        try await Scene.play(options) { scene in
            let login = try await scene.login("--scope", Scene.driveScope)
            guard login.status == 0 else { throw SceneFailure("no sign-in: \(login.errors)") }
            scene.provider.expireAccessTokens()
            try await body(scene)
        }
    }

    /// Starts a command, waits for its refresh request, calls `meanwhile`, and then lets the provider respond.
    private static func hold(
        _ scene: Scene,
        start: () throws -> ChildProgram,
        meanwhile: (ChildProgram) async -> Void
    ) async throws -> (output: [UInt8], status: Int32) {
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let (gate, open) = AsyncStream<Void>.makeStream()
        scene.provider.change { behavior in
            behavior.beforeResponse = { path in
                guard path.hasSuffix("/token") else { return }
                arrived.yield()
                for await _ in gate { break }
            }
        }
        let child = try start()
        for await _ in arrivals { break }
        await meanwhile(child)
        open.finish()
        let end = await child.finish()
        scene.provider.change { $0.beforeResponse = nil }
        return end
    }

    @Test(
        "Saves a refresh before exiting when the terminal closes",
        .covers(168),
        arguments: [
            ["token", "--refresh"], ["userinfo"], ["fetch", "DRIVE/files"], ["drive", "ls", "--root-url", "ROOT"],
        ]
    )
    func hangUp(_ words: [String]) async throws {
        try await Self.play { scene in
            let words = words.map {
                $0.replacingOccurrences(of: "DRIVE", with: scene.drive)
                    .replacingOccurrences(of: "ROOT", with: scene.provider.baseURL)
            }
            let end = try await Self.hold(scene, start: { try scene.start(words) }) { child in
                // The kernel and the shell each send a signal.
                await child.hangUp()
                await child.hangUp()
            }
            #expect(end.status == 130)
            // With rotation, a lost response would end the session.
            let later = try await scene.run("token", "--refresh")
            #expect(later.status == 0, "\(later.errors)")
        }
    }

    @Test("Finishes an import whose refresh is in flight", .covers(168))
    func imported() async throws {
        try await Self.play { scene in
            let file = scene.home + "/exported"
            let export = try await scene.run("export", "--format", "token", "--output", file)
            #expect(export.status == 0, "\(export.errors)")
            let store = ["--store", "file:\(scene.home)/other"]
            let words = ["import", file, "--subject", "ada"] + store + scene.issuerOptions
            let end = try await Self.hold(scene, start: { try scene.start(words) }) { $0.interrupt() }
            #expect(end.status == 0)
            // With rotation, a lost response would end the session.
            let later = try await scene.run(["token", "--refresh"] + store)
            #expect(later.status == 0, "\(later.errors)")
        }
    }

    @Test("Keeps running with SIGHUP ignored, as under nohup", .covers(168))
    func ignoredHangUp() async throws {
        try await Self.play { scene in
            let end = try await Self.hold(
                scene,
                start: {
                    try scene.start(
                        ["-c", "trap '' HUP; exec \"$0\" token --refresh", Scene.products + "/tessera"],
                        program: "/bin/sh"
                    )
                },
                meanwhile: { await $0.hangUp() }
            )
            #expect(end.status == 0)
            #expect(!end.output.isEmpty)
        }
    }

    @Test("Stops the provider cleanly when the terminal closes", .covers(168))
    func provider() async throws {
        try await Scene.play { scene in
            let child = try scene.start(
                ["--json", "--client-secret-file", scene.home + "/provider.json"],
                program: Scene.products + "/tessera-provider"
            )
            _ = await child.output.line()
            await child.hangUp()
            #expect(await child.exitStatus == 0)
        }
    }

    @Test("Removes the demo's files when the terminal closes", .covers(168))
    func demo() async throws {
        try await Scene.play { scene in
            let directory = scene.home + "/temporary"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let child = try scene.start(
                ["demo", "--headless", "--keep-open"],
                program: Scene.products + "/tessera-provider",
                environment: ["TMPDIR": directory]
            )
            _ = await child.output.line { $0.contains("The provider is running") }
            await child.hangUp()
            #expect(await child.exitStatus == 130)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test(
        "Exits on Ctrl-C while waiting for a pipe",
        .timeLimit(.minutes(2)),
        arguments: [
            ["login", "--google", "--client", "PIPE"], ["import", "PIPE"],
            ["inspect", "--jwks", "PIPE", "eyJhbGciOiJSUzI1NiJ9.e30.YQ"],
            ["fetch", "-d", "@PIPE", "DRIVE/files"], ["fetch", "--data-binary", "@PIPE", "DRIVE/files"],
        ]
    )
    func pipe(_ words: [String]) async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Scene.driveScope)
            let pipe = scene.home + "/pipe"
            try #require(mkfifo(pipe, 0o600) == 0)
            let words = words.map {
                $0.replacingOccurrences(of: "DRIVE", with: scene.drive).replacingOccurrences(of: "PIPE", with: pipe)
            }
            let child = try scene.start(words)
            // Open the pipe for writing as soon as the command has opened it, and write nothing.
            var writer = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            while writer < 0 {
                await Task.yield()
                writer = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            }
            defer { close(writer) }
            child.interrupt()
            let errors = String(decoding: await child.errors.rest(), as: UTF8.self)
            #expect(await child.exitStatus == 130, "\(errors)")
        }
    }

    @Test("Reports a missing passphrase after Ctrl-D at the prompt")
    func endOfInput() async throws {
        try await Scene.play { scene in
            let terminal = try PseudoTerminal(columns: 80)
            let child = try terminal.start(
                scene,
                [
                    "login", "--client", scene.clientFile, "--allow-loopback-http", "--store",
                    "passphrase:\(scene.home)/sealed",
                ],
                input: true
            )
            _ = await terminal.text { $0.contains("passphrase (press Return to generate one): ") }
            terminal.type([0x04])
            #expect(await child.exitStatus == 7)
            let text = await terminal.text()
            #expect(text.contains("no passphrase was entered"), "\(text)")
        }
    }
}
