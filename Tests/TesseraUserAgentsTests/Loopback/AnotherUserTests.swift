// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraTesting
internal import TesseraUserAgents
internal import TestTraits
internal import Testing

@Suite(
    "Another user of the machine",
    .timeLimit(.minutes(2)),
    .enabled(if: AnotherUser.isPossible, Comment(rawValue: AnotherUser.obstacle ?? ""))
)
struct AnotherUserTests {
    /// An authorization URL whose values no other process has in its command line.
    private struct Request {
        let state = "st\(UInt64.random(in: 0 ... .max))"
        let nonce = "no\(UInt64.random(in: 0 ... .max))"
        let challenge = "ch\(UInt64.random(in: 0 ... .max))"
        let host = "as-\(UInt64.random(in: 0 ... .max)).example"
        var url: String {
            "https://\(self.host)/authorize?state=\(self.state)&nonce=\(self.nonce)&code_challenge=\(self.challenge)"
        }
    }

    @Test(
        "Finds nothing of the authorization URL in any command line, and cannot use the address that is there",
        .covers(126),
        .shows(claims: 8),
        arguments: ReportedOpening.Opener.allCases
    )
    func commandLines(opener: ReportedOpening.Opener) async throws {
        let request = Request()
        try await LaunchPlace.with { place in
            try await ReportedOpening.with(opener, url: request.url) { opening in
                let lines = try await AnotherUser.commandLines()
                #expect(lines.contains(opening.address))
                for secret in [request.state, request.nonce, request.challenge, request.host] {
                    #expect(!lines.contains(secret))
                }
                switch opener {
                case .program:
                    let path = try #require(URL(string: opening.address)?.path)
                    // The directories above it are another user's to open, the page's own is not.
                    let above = URL(filePath: place.home).deletingLastPathComponent().path
                    #expect(try await AnotherUser.run("ls", "-d", above).status == 0)
                    #expect(try await AnotherUser.run("cat", path).status != 0)
                case .script:
                    let (status, page) = try await AnotherUser.get(opening.address)
                    #expect(status == "403")
                    #expect(!page.contains(request.host))
                    // It is not used up: the user's own browser gets it.
                    let reply = try await LoopbackReply.get(opening.path, port: opening.port)
                    #expect(reply.headers["location"] == request.url)
                }
            }
        }
    }

    @Test(
        "Cannot deliver a redirect, even with the right state; the sign-in waits for its user's browser",
        .covers(127)
    )
    func redirect() async throws {
        let run = try await SignInRun.start()
        let target = "?code=planted&state=right"
        for host in ["127.0.0.1", "[::ffff:127.0.0.1]"] {
            let (status, page) = try await AnotherUser.get("http://\(host):\(run.port)/\(target)")
            #expect(status == "403")
            #expect(page.contains("another user (user ID \(AnotherUser.id))"))
        }
        #expect(run.judged.redirects == [])
        #expect(try await run.get("/?code=own&state=right").status == 200)
        #expect(try await run.outcome.value.contains("code=own"))
    }

    @Test("Cannot deliver a redirect to a program that judges it by itself", .covers(127))
    func redirectServer() async throws {
        let server = try LoopbackListener(overrideName: "the override") { _ in true }
        defer { server.stop() }
        let (status, page) = try await AnotherUser.get(server.redirectURI + "?code=1")
        #expect(status == "403")
        #expect(page.contains("the override"))
        let port = try #require(UInt16(server.redirectURI.split(separator: ":").last?.dropLast() ?? ""))
        #expect(try await LoopbackReply.get("/?code=1", port: port).status == 200)
    }

    @Test("Cannot fetch the page of a listener that is there for the page alone", .covers(126))
    func pageOfItsOwn() async throws {
        let request = Request()
        let (reports, report) = AsyncStream.makeStream(of: String.self)
        let server = try HostileServer.start { request in
            report.yield(request.text)
            return .json("{}")
        }
        defer { server.stop() }
        let script = try await ScriptedBrowser(ScriptedBrowser.send("\"$1\"", port: server.port))
        defer { script.remove() }
        let agent = SystemBrowser(command: .command(script.word), environment: ["PATH": "/usr/bin:/bin"])
        let url = try #require(URL(string: request.url))
        let outcome = Task { try await agent.open(url) }
        let address = try #require(await reports.next())
        #expect(try await AnotherUser.get(address).status == "403")
        let page = try #require(URL(string: address))
        let reply = try await LoopbackReply.get(page.path, port: UInt16(page.port ?? 0))
        #expect(reply.headers["location"] == request.url)
        try await outcome.value
    }
}
