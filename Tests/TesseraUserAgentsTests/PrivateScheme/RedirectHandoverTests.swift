// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import LoopbackHTTP
internal import Tessera
internal import TesseraTesting
internal import TesseraUserAgents
internal import Testing
internal import TestPrograms

@Suite("Redirects that another process hands over", .timeLimit(.minutes(1)))
struct RedirectHandoverTests {
    private static let redirect = PrivateSchemeRun.redirectURI + "?code=1&state=right"

    @Test("A process that is started with the redirect hands it to the one that waits, whatever the scheme's case")
    func handed() async throws {
        try await HandoverFolder.with { folder in
            let (_, outcome) = try await PrivateSchemeRun.begin(HandedRedirects(), handover: folder.handover)
            #expect(try await folder.deliver("--verbose", "COM.example.App:/callback?code=1&state=right"))
            #expect(try await outcome.value.hasSuffix(":/callback?code=1&state=right"))
        }
    }

    @Test("A forged redirect changes nothing; what is no redirect of a private scheme is handed to nobody")
    func forged() async throws {
        try await HandoverFolder.with { folder in
            let (_, outcome) = try await PrivateSchemeRun.begin(HandedRedirects(), handover: folder.handover)
            #expect(try await folder.deliver(PrivateSchemeRun.redirectURI + "?code=0&state=wrong"))
            for other in [
                "com.example.app:/other?state=right", "com.example.other:/callback?state=right",
                "https://as.example/callback?state=right", "callback", "com.example.app", "",
            ] { #expect(try await !folder.deliver(other), "\(other)") }
            #expect(try await folder.deliver(Self.redirect))
            #expect(try await outcome.value == Self.redirect)
        }
    }

    @Test("Before and after the wait nobody takes a redirect, and the socket is gone with it")
    func over() async throws {
        try await HandoverFolder.with { folder in
            #expect(try await !folder.deliver(Self.redirect))
            let (_, late) = try await PrivateSchemeRun.begin(
                HandedRedirects(),
                timeout: .seconds(1),
                clock: ImpatientClock(),
                handover: folder.handover
            )
            await #expect(throws: SignInError.self) { try await late.value }
            #expect(folder.sockets.isEmpty)
            let (_, cancelled) = try await PrivateSchemeRun.begin(HandedRedirects(), handover: folder.handover)
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            #expect(folder.sockets.isEmpty)
            #expect(try await !folder.deliver(Self.redirect))
        }
    }

    @Test("Of two programs that wait for one scheme each gets its own redirect")
    func two() async throws {
        try await HandoverFolder.with { folder in
            let (_, first) = try await PrivateSchemeRun.begin(HandedRedirects(), handover: folder.handover)
            let (_, second) = try await PrivateSchemeRun.begin(
                HandedRedirects(),
                redirectURI: "com.example.app:/second",
                handover: folder.handover
            )
            #expect(try await folder.deliver("com.example.app:/second?state=right"))
            #expect(try await second.value == "com.example.app:/second?state=right")
            #expect(try await folder.deliver(Self.redirect))
            #expect(try await first.value == Self.redirect)
        }
    }

    @Test("A dead program's socket is cleared away, and the one that lives is reached all the same")
    func dead() async throws {
        try await HandoverFolder.with { folder in
            let (_, outcome) = try await PrivateSchemeRun.begin(HandedRedirects(), handover: folder.handover)
            let living = try #require(folder.sockets.first)
            let dead = URL(filePath: living).deletingLastPathComponent().path + "/0.socket"
            let server = try LoopbackServer.start(at: dead) { _ in .text(status: 200, "") }
            server.stop()
            await server.stopped()
            #expect(folder.sockets.count == 2)
            #expect(try await folder.deliver(Self.redirect))
            #expect(try await outcome.value == Self.redirect)
            #expect(folder.sockets.isEmpty)
        }
    }

    @Test("The place is this user's alone; one in which others could read or write is not used")
    func place() async throws {
        try await HandoverFolder.with { folder in
            let directory = folder.handover.directory
            let (_, outcome) = try await PrivateSchemeRun.begin(HandedRedirects(), handover: folder.handover)
            let socket = try #require(folder.sockets.first)
            for path in [directory, URL(filePath: socket).deletingLastPathComponent().path] {
                #expect(try folder.mode(of: path) == 0o700)
            }
            #expect(try folder.mode(of: socket) == 0o600)
            try folder.setMode(0o755, of: directory)
            #expect(try await !folder.deliver(Self.redirect))
            outcome.cancel()
            _ = await outcome.result
            let (_, refused) = try await PrivateSchemeRun.begin(HandedRedirects(), handover: folder.handover)
            await #expect { try await refused.value } throws: { SignInError.Code.noListener ~= $0 }
        }
    }

    @Test("A redirect of a length that none has is refused, and the sign-in goes on")
    func long() async throws {
        try await HandoverFolder.with { folder in
            let (_, outcome) = try await PrivateSchemeRun.begin(HandedRedirects(), handover: folder.handover)
            let long = PrivateSchemeRun.redirectURI + "?state=right&code=" + String(repeating: "1", count: 100_000)
            #expect(try await !folder.deliver(long))
            #expect(try await folder.deliver(Self.redirect))
            #expect(try await outcome.value == Self.redirect)
        }
    }

    @Test(
        "Another user's program is not let in, even where the socket's mode would permit it",
        .enabled(if: Self.canBeOther)
    )
    func otherUser() async throws {
        try await HandoverFolder.with { folder in
            let (_, outcome) = try await PrivateSchemeRun.begin(HandedRedirects(), handover: folder.handover)
            let socket = try #require(folder.sockets.first)
            let parent = URL(filePath: socket).deletingLastPathComponent().path
            for path in [folder.root, folder.handover.directory, parent, socket] { try folder.setMode(0o777, of: path) }
            let post = ["curl", "--silent", "--unix-socket", socket, "--data", Self.redirect, "http://localhost/"]
            let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            #expect(try await ChildProgram.run(other + post).status != 0)
            let (output, status) = try await ChildProgram.run(post)
            #expect(status == 0)
            #expect(String(decoding: output, as: UTF8.self) == "Taken.\n")
            #expect(try await outcome.value == Self.redirect)
        }
    }

    private static var canBeOther: Bool { geteuid() == 0 && ChildProgram.missing(["setpriv", "curl"]) == nil }
}
