// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
internal import Foundation
internal import Testing
internal import TestPrograms

@Suite("Redirects through a registered private scheme", .timeLimit(.minutes(1)))
struct RegisteredSchemeProcessTests {
    /// The program that opens a URL.
    enum Opener: String, Sendable {
        /// The test itself, according to the specification.
        case specification
        /// `xdg-open` outside of a desktop session.
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

    /// Registers a program, starts it, opens redirect URLs like a browser, and returns the program's remaining output.
    private func play(_ opener: Opener, program: String, on desktop: SchemeDesktop) async throws -> [String] {
        #expect(try await desktop.run("--exec", program, "--name", "Probe").status == 0)
        let waiting = try ChildProgram([program, "wait", desktop.scheme], environment: desktop.environment)
        #expect(await waiting.output.line() == "waiting")
        let redirect = desktop.scheme + ":/callback"
        // The forged redirect is forwarded, but the program does not accept it.
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

    /// Tests a program whose path contains characters that are special to shells and desktop entries.
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

    @Test("The waiting process receives the redirect that the desktop passes to a second process")
    func specification() async throws {
        try await self.redirect(by: .specification)
        try await self.redirectToHostilePath(by: .specification)
    }

    // Outside of a desktop session, xdg-open 1.1.3 treats a URL as a file if its scheme contains a digit.
    @Test("Receives the redirect from xdg-open", .disabled(if: Self.isMissing("xdg-open"), "xdg-open is not installed"))
    func xdgOpen() async throws { try await self.redirect(by: .xdgOpen, to: "com.example.app") }

    @Test(
        "Receives the redirect from xdg-open on GNOME",
        .disabled(if: Self.isMissing("xdg-open") || Self.isMissing("gio"), "xdg-open or gio is not installed")
    )
    func xdgOpenOfGNOME() async throws { try await self.redirect(by: .xdgOpenOfGNOME) }

    @Test(
        "Receives the redirect from gio",
        .disabled(if: Self.isMissing("gio"), "gio is not installed")
    )
    func gio() async throws {
        try await self.redirect(by: .gio)
        try await self.redirectToHostilePath(by: .gio)
    }

    @Test("Starts normally if no other process is waiting for the redirect")
    func notWaiting() async throws {
        try await SchemeDesktop.with { desktop in
            let (output, status) = try await ChildProgram.run(
                [ChildProgram.built("SchemeProbe"), SchemeDesktop.scheme + ":/callback?code=1&state=right"],
                environment: desktop.environment
            )
            #expect(status == 3)
            #expect(String(decoding: output, as: UTF8.self) == "no process is waiting\n")
        }
    }
}
#endif
