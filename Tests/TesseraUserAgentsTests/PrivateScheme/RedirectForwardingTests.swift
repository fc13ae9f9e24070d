// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import LoopbackHTTP
internal import Tessera
internal import TesseraTesting
internal import TesseraUserAgents
internal import Testing
internal import TestPrograms

@Suite("Redirects forwarded by another process", .timeLimit(.minutes(1)))
struct RedirectForwardingTests {
    private static let redirect = PrivateSchemeRun.redirectURI + "?code=1&state=right"

    @Test("A process started with a redirect forwards it to the waiting one, regardless of the scheme's case")
    func handed() async throws {
        try await HandoverFolder.with { folder in
            let (_, outcome) = try await PrivateSchemeRun.begin(ForwardedRedirects(), forwarding: folder.forwarding)
            #expect(try await folder.deliver("--verbose", "COM.example.App:/callback?code=1&state=right"))
            #expect(try await outcome.value.hasSuffix(":/callback?code=1&state=right"))
        }
    }

    @Test("Ignores a forged redirect and does not forward URLs that are not private-scheme redirects")
    func forged() async throws {
        try await HandoverFolder.with { folder in
            let (_, outcome) = try await PrivateSchemeRun.begin(ForwardedRedirects(), forwarding: folder.forwarding)
            #expect(try await folder.deliver(PrivateSchemeRun.redirectURI + "?code=0&state=wrong"))
            for other in [
                "com.example.app:/other?state=right", "com.example.other:/callback?state=right",
                "https://as.example/callback?state=right", "callback", "com.example.app", "",
            ] { #expect(try await !folder.deliver(other), "\(other)") }
            #expect(try await folder.deliver(Self.redirect))
            #expect(try await outcome.value == Self.redirect)
        }
    }

    @Test("Forwards nothing before or after the wait, and removes the socket at its end")
    func over() async throws {
        try await HandoverFolder.with { folder in
            #expect(try await !folder.deliver(Self.redirect))
            let (_, expired) = try await PrivateSchemeRun.begin(
                ForwardedRedirects(),
                timeout: .seconds(1),
                clock: SelfAdvancingClock(),
                forwarding: folder.forwarding
            )
            await #expect(throws: SignInError.self) { try await expired.value }
            #expect(folder.sockets.isEmpty)
            let (_, canceled) = try await PrivateSchemeRun.begin(ForwardedRedirects(), forwarding: folder.forwarding)
            canceled.cancel()
            await #expect(throws: CancellationError.self) { try await canceled.value }
            #expect(folder.sockets.isEmpty)
            #expect(try await !folder.deliver(Self.redirect))
        }
    }

    @Test("Forwards each redirect to the right one of two programs waiting for the same scheme")
    func two() async throws {
        try await HandoverFolder.with { folder in
            let (_, first) = try await PrivateSchemeRun.begin(ForwardedRedirects(), forwarding: folder.forwarding)
            let (_, second) = try await PrivateSchemeRun.begin(
                ForwardedRedirects(),
                redirectURI: "com.example.app:/second",
                forwarding: folder.forwarding
            )
            #expect(try await folder.deliver("com.example.app:/second?state=right"))
            #expect(try await second.value == "com.example.app:/second?state=right")
            #expect(try await folder.deliver(Self.redirect))
            #expect(try await first.value == Self.redirect)
        }
    }

    @Test("Removes a dead program's socket and still reaches the live one")
    func dead() async throws {
        try await HandoverFolder.with { folder in
            let (_, outcome) = try await PrivateSchemeRun.begin(ForwardedRedirects(), forwarding: folder.forwarding)
            let liveSocket = try #require(folder.sockets.first)
            let deadSocket = URL(filePath: liveSocket).deletingLastPathComponent().path + "/0.socket"
            let server = try LoopbackServer.start(at: deadSocket) { _ in .text(status: 200, "") }
            server.stop()
            await server.stopped()
            #expect(folder.sockets.count == 2)
            #expect(try await folder.deliver(Self.redirect))
            #expect(try await outcome.value == Self.redirect)
            #expect(folder.sockets.isEmpty)
        }
    }

    @Test("Creates a private directory and rejects one that other users can access")
    func place() async throws {
        try await HandoverFolder.with { folder in
            let directory = folder.forwarding.directory
            let (_, outcome) = try await PrivateSchemeRun.begin(ForwardedRedirects(), forwarding: folder.forwarding)
            let socket = try #require(folder.sockets.first)
            for path in [directory, URL(filePath: socket).deletingLastPathComponent().path] {
                #expect(try folder.mode(of: path) == 0o700)
            }
            #expect(try folder.mode(of: socket) == 0o600)
            try folder.setMode(0o755, of: directory)
            #expect(try await !folder.deliver(Self.redirect))
            outcome.cancel()
            _ = await outcome.result
            let (_, refused) = try await PrivateSchemeRun.begin(ForwardedRedirects(), forwarding: folder.forwarding)
            await #expect { try await refused.value } throws: { SignInError.Code.noListener ~= $0 }
        }
    }

    @Test("Rejects an oversized redirect, and the sign-in continues")
    func long() async throws {
        try await HandoverFolder.with { folder in
            let (_, outcome) = try await PrivateSchemeRun.begin(ForwardedRedirects(), forwarding: folder.forwarding)
            let long = PrivateSchemeRun.redirectURI + "?state=right&code=" + String(repeating: "1", count: 100_000)
            #expect(try await !folder.deliver(long))
            #expect(try await folder.deliver(Self.redirect))
            #expect(try await outcome.value == Self.redirect)
        }
    }

    @Test(
        "Rejects another user's program even if the socket's mode would permit it",
        .enabled(if: Self.canBeOther)
    )
    func otherUser() async throws {
        try await HandoverFolder.with { folder in
            let (_, outcome) = try await PrivateSchemeRun.begin(ForwardedRedirects(), forwarding: folder.forwarding)
            let socket = try #require(folder.sockets.first)
            let parent = URL(filePath: socket).deletingLastPathComponent().path
            for path in [folder.root, folder.forwarding.directory, parent, socket] {
                try folder.setMode(0o777, of: path)
            }
            let post = ["curl", "--silent", "--unix-socket", socket, "--data", Self.redirect, "http://localhost/"]
            let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            #expect(try await ChildProgram.run(other + post).status != 0)
            let (output, status) = try await ChildProgram.run(post)
            #expect(status == 0)
            #expect(String(decoding: output, as: UTF8.self) == "Delivered.\n")
            #expect(try await outcome.value == Self.redirect)
        }
    }

    private static var canBeOther: Bool { geteuid() == 0 && ChildProgram.missing(["setpriv", "curl"]) == nil }
}
