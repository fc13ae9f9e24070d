// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraTesting
internal import TesseraUserAgents
internal import TestTraits
internal import Testing

@Suite(
    "Attacks by another user of the machine",
    .timeLimit(.minutes(2)),
    .enabled(if: AnotherUser.isPossible, Comment(rawValue: AnotherUser.obstacle ?? ""))
)
struct AnotherUserTests {
    /// An authorization URL with random values that occur in no other process's command line.
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
        "Another user finds no authorization URL in command lines and cannot use the launch address",
        .covers(126),
        .shows(claims: 8),
        arguments: ReportedOpening.Opener.allCases
    )
    func commandLines(opener: ReportedOpening.Opener) async throws {
        let request = Request()
        try await LaunchLocation.with { location in
            try await ReportedOpening.with(opener, url: request.url) { opening in
                let lines = try await AnotherUser.commandLines()
                #expect(lines.contains(opening.address))
                for secret in [request.state, request.nonce, request.challenge, request.host] {
                    #expect(!lines.contains(secret))
                }
                switch opener {
                case .program:
                    let path = try #require(URL(string: opening.address)?.path)
                    // Another user can list the directories above the page's directory, but cannot read the page.
                    let above = URL(filePath: location.home).deletingLastPathComponent().path
                    #expect(try await AnotherUser.run("ls", "-d", above).status == 0)
                    #expect(try await AnotherUser.run("cat", path).status != 0)
                case .script:
                    let (status, page) = try await AnotherUser.get(opening.address)
                    #expect(status == "403")
                    #expect(!page.contains(request.host))
                    // The address is still valid for the user's own browser.
                    let reply = try await LoopbackReply.get(opening.path, port: opening.port)
                    #expect(reply.headers["location"] == request.url)
                }
            }
        }
    }

    @Test(
        "Another user cannot deliver a redirect even with the right state, and the sign-in keeps waiting",
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

    @Test("Another user cannot deliver a redirect to a LoopbackListener", .covers(127))
    func redirectServer() async throws {
        let server = try LoopbackListener(overrideName: "the override") { _ in true }
        defer { server.stop() }
        let (status, page) = try await AnotherUser.get(server.redirectURI + "?code=1")
        #expect(status == "403")
        #expect(page.contains("the override"))
        let port = try #require(UInt16(server.redirectURI.split(separator: ":").last?.dropLast() ?? ""))
        #expect(try await LoopbackReply.get("/?code=1", port: port).status == 200)
    }

    @Test("Another user cannot fetch a launch page that has its own listener", .covers(126))
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
