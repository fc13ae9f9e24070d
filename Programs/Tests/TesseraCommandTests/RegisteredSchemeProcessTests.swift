// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
internal import Foundation
internal import Testing
internal import TestPrograms

@Suite("A private scheme, from its registration to the redirect", .timeLimit(.minutes(1)))
struct RegisteredSchemeProcessTests {
    /// What starts the program with a URL.
    enum Opener: String, Sendable {
        /// The test itself, by the letter of the specification.
        case specification
        /// Outside of a desktop.
        case xdgOpen = "xdg-open"
        case xdgOpenOfGNOME
        case gio

        func open(_ url: String, on desktop: SchemeDesktop) async throws -> Int32 {
            var environment = desktop.environment
            if self == .xdgOpenOfGNOME { environment["XDG_CURRENT_DESKTOP"] = "GNOME" }
            let words =
                switch self {
                case .specification: EntryReader(try desktop.read(desktop.entry)).command(for: url)
                case .xdgOpen, .xdgOpenOfGNOME: ["xdg-open", url]
                case .gio: ["gio", "open", url]
                }
            return try await ChildProgram.run(words, environment: environment).status
        }
    }

    /// Registers a program, lets it wait, opens URLs as a browser does; what the program says at the end.
    private func play(_ opener: Opener, program: String, on desktop: SchemeDesktop) async throws -> [String] {
        #expect(try await desktop.run("--exec", program, "--name", "Probe").status == 0)
        let waiting = try ChildProgram([program, "wait", desktop.scheme], environment: desktop.environment)
        #expect(await waiting.output.line() == "waiting")
        let redirect = desktop.scheme + ":/callback"
        // A forged one is handed over, and changes nothing.
        for query in ["?code=0&state=wrong", "?code=1%20%22$(id)&state=right"] {
            #expect(try await opener.open(redirect + query, on: desktop) == 0)
        }
        let lines = await waiting.output.lines()
        #expect(await waiting.exitStatus == 0)
        return lines
    }

    private static func isMissing(_ program: String) -> Bool { ChildProgram.find(program) == nil }

    private func redirect(by opener: Opener, to scheme: String = SchemeDesktop.scheme) async throws {
        try await SchemeDesktop.with(scheme: scheme) { desktop in
            let lines = try await self.play(opener, program: ChildProgram.built("SchemeProbe"), on: desktop)
            #expect(lines == [scheme + ":/callback?code=1%20%22$(id)&state=right"])
        }
    }

    /// The path holds what shells and desktops have a meaning for.
    private func redirectToHostilePath(by opener: Opener) async throws {
        try await SchemeDesktop.with { desktop in
            let folder = desktop.home + #"/it's "a" $HOME; `id` \x"#
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let program = folder + "/probe"
            try FileManager.default.createSymbolicLink(
                atPath: program,
                withDestinationPath: ChildProgram.built("SchemeProbe")
            )
            #expect(try await self.play(opener, program: program, on: desktop).count == 1)
        }
    }

    @Test("The program that waits gets the redirect with which the desktop started another one, whatever its path")
    func specification() async throws {
        try await self.redirect(by: .specification)
        try await self.redirectToHostilePath(by: .specification)
    }

    // Outside of a desktop xdg-open 1.1.3 takes a URL for a file when its scheme has a digit.
    @Test("Receives the redirect from xdg-open", .disabled(if: Self.isMissing("xdg-open"), "xdg-open is not installed"))
    func xdgOpen() async throws { try await self.redirect(by: .xdgOpen, to: "com.example.app") }

    @Test(
        "Receives the redirect from xdg-open on GNOME",
        .disabled(if: Self.isMissing("xdg-open") || Self.isMissing("gio"), "xdg-open or gio is not installed")
    )
    func xdgOpenOfGNOME() async throws { try await self.redirect(by: .xdgOpenOfGNOME) }

    @Test(
        "Receives the redirect from GLib",
        .disabled(if: Self.isMissing("gio"), "gio is not installed")
    )
    func gio() async throws {
        try await self.redirect(by: .gio)
        try await self.redirectToHostilePath(by: .gio)
    }

    @Test("Continues by itself if no other program waits")
    func nobody() async throws {
        try await SchemeDesktop.with { desktop in
            let (output, status) = try await ChildProgram.run(
                [ChildProgram.built("SchemeProbe"), SchemeDesktop.scheme + ":/callback?code=1&state=right"],
                environment: desktop.environment
            )
            #expect(status == 3)
            #expect(String(decoding: output, as: UTF8.self) == "nobody waits\n")
        }
    }
}
#endif
