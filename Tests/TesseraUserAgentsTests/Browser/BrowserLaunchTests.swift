// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraTesting
@testable internal import TesseraUserAgents
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite("Launch page that sends the browser to the provider", .timeLimit(.minutes(1)))
struct BrowserLaunchTests {
    private static let url = "https://as.example/authorize?a='b'&state=s3cr3t&nonce=n0nce&code_challenge=ch4llenge"

    /// Returns a browser that is opened by a script and can identify its clients on every system.
    private static func browser(
        _ script: ScriptedBrowser,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> SystemBrowser {
        var browser = SystemBrowser(
            command: .command(script.word),
            environment: ["PATH": "/usr/bin:/bin"]
        )
        browser.clock = clock
        browser.peers = ReportedOpening.peers
        return browser
    }

    @Test("A script gets a one-time address that redirects once and then returns 404", .covers(126), .shows(claims: 8))
    func onePage() async throws {
        try await LaunchLocation.with { location in
            try await ReportedOpening.with(.script, url: Self.url) { opening in
                #expect(opening.address.hasPrefix("http://127.0.0.1:\(opening.port)/"))
                #expect(opening.path.count == 33)
                #expect(location.files.isEmpty)
                for request in ["HEAD \(opening.path)", "GET \(opening.path)?", "GET \(opening.path)x"] {
                    let text = "\(request) HTTP/1.1\r\nHost: 127.0.0.1:\(opening.port)\r\n\r\n"
                    #expect(try await LoopbackReply.to(text, port: opening.port).status == 404)
                }
                let rebound = "GET \(opening.path) HTTP/1.1\r\nHost: evil.example:\(opening.port)\r\n\r\n"
                #expect(try await LoopbackReply.to(rebound, port: opening.port).status == 400)

                let first = try await LoopbackReply.get(opening.path, port: opening.port)
                #expect(first.status == 302)
                #expect(first.headers["location"] == URL(string: Self.url)?.absoluteString)
                #expect(first.headers["referrer-policy"] == "no-referrer")
                #expect(first.headers["cache-control"] == "no-store")
                #expect(first.headers["content-security-policy"]?.hasPrefix("default-src 'none';") == true)
                #expect(try await LoopbackReply.get(opening.path, port: opening.port).status == 404)

                #expect(try await LoopbackReply.get("/?state=right", port: opening.port).status == 200)
                #expect(try await opening.outcome.value.contains("state=right"))
            }
        }
    }

    @Test(
        "A program gets a file only its user can read, deleted when the sign-in ends",
        .covers(126),
        .shows(claims: 8)
    )
    func file() async throws {
        try await LaunchLocation.with { location in
            try await ReportedOpening.with(.program, url: Self.url) { opening in
                let path = try #require(URL(string: opening.address)?.path)
                #expect(opening.address.hasPrefix("file:///"))
                #expect(path.hasPrefix(location.directory + "/"))
                #expect(try LaunchLocation.mode(of: path) == 0o600)
                #expect(try LaunchLocation.mode(of: location.directory) == 0o700)
                let page = try String(contentsOfFile: path, encoding: .utf8)
                let target = try #require(URL(string: Self.url)?.absoluteString)
                #expect(page == LaunchPage(target: target).html)

                #expect(try await LoopbackReply.get("/?state=right", port: opening.port).status == 200)
                _ = try await opening.outcome.value
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
    }

    @Test(
        "Deletes the file after a cancellation, a failure and a timeout",
        .covers(126),
        arguments: ["c", "f", "t"]
    )
    func fileAfterFailure(end: String) async throws {
        try await LaunchLocation.with { location in
            let clock = TestClock()
            try await ReportedOpening.with(.program, url: Self.url, clock: clock) { opening in
                #expect(location.files.count == 1)
                switch end {
                case "c": opening.outcome.cancel()
                case "f": _ = try await LoopbackReply.get("/?error=access_denied&state=right", port: opening.port)
                default:
                    await clock.sleeperCount(reaches: 1)
                    clock.advance(by: .seconds(60))
                }
                await #expect(throws: (any Error).self) { try await opening.outcome.value }
                #expect(location.files.isEmpty)
            }
        }
    }

    @Test("The next sign-in deletes stale files but not files in use", .covers(126))
    func staleFiles() async throws {
        try await LaunchLocation.with { location in
            let live = try LaunchFile.create("live", in: location.directory)
            let dead = location.directory + "/left.html"
            for opener in ReportedOpening.Opener.allCases {
                // The dead process no longer holds the lock.
                try Data("old".utf8).write(to: URL(filePath: dead))
                try await ReportedOpening.with(opener, url: Self.url) { _ in
                    #expect(!FileManager.default.fileExists(atPath: dead))
                    #expect(FileManager.default.fileExists(atPath: live.path))
                }
            }
            live.remove()
            #expect(location.files.isEmpty)
        }
    }

    @Test("A program gets the one-time address if no private directory can be created", .covers(126))
    func noDirectory() async throws {
        try await LaunchLocation.with { location in
            try FileManager.default.createDirectory(
                atPath: location.home + "/tessera",
                withIntermediateDirectories: false
            )
            try FileManager.default.createDirectory(
                atPath: location.directory,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o755]
            )
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: location.directory)
            #expect(throws: SignInError.self) { try LaunchFile.create("", in: location.directory) }
            try await ReportedOpening.with(.program, url: Self.url) { opening in
                #expect(opening.address.hasPrefix("http://127.0.0.1:\(opening.port)/"))
            }
        }
    }

    @Test("A script gets a file if other users' requests to the listener cannot be rejected", .covers(126))
    func anyUserAllowed() async throws {
        try await LaunchLocation.with { _ in
            let agent = SystemBrowser(environment: [:], insecure: .redirectsFromAnyUser)
            try await ReportedOpening.with(.script, url: Self.url, agent) { opening in
                #expect(opening.address.hasPrefix("file:///"))
            }
        }
    }

    @Test(
        "A private-scheme sign-in serves its launch page from a listener that stops when the sign-in ends",
        .covers(126)
    )
    func privateScheme() async throws {
        let (reports, report) = AsyncStream.makeStream(of: String.self)
        let server = try HostileServer.start { request in
            report.yield(request.text)
            return .json("{}")
        }
        defer { server.stop() }
        let script = try await ScriptedBrowser(ScriptedBrowser.send("\"$1\"", port: server.port))
        defer { script.remove() }
        let redirects = ForwardedRedirects()
        let agent = PrivateSchemeBrowser(
            redirectURI: "com.example.app:/callback",
            redirects: redirects,
            forwarding: nil,
            browser: Self.browser(script)
        )
        let url = try #require(URL(string: Self.url))
        let outcome = Task {
            try await agent.redirect(from: url) { _ in CompletionPage(account: nil, provider: "P") }
        }
        let text = try #require(await reports.next())
        let address = try #require(URL(string: text))
        let port = UInt16(address.port ?? 0)
        #expect(address.host == "127.0.0.1")
        #expect(try await LoopbackReply.get("/", port: port).status == 404)
        let reply = try await LoopbackReply.get(address.path, port: port)
        #expect(reply.headers["location"] == url.absoluteString)
        let redirect = try #require(URL(string: "com.example.app:/callback?code=1"))
        #expect(redirects.receive(redirect))
        #expect(try await outcome.value == .redirect("com.example.app:/callback?code=1"))
        await #expect(throws: LoopbackConnection.Failure.self) { try await LoopbackConnection.open(port: port) }
    }

    @Test("A page opened without a redirect is offered until it is requested, for at most a minute", .covers(126))
    func opening() async throws {
        let (reports, report) = AsyncStream.makeStream(of: String.self)
        let server = try HostileServer.start { request in
            report.yield(request.text)
            return .json("{}")
        }
        defer { server.stop() }
        let script = try await ScriptedBrowser(ScriptedBrowser.send("\"$1\"", port: server.port))
        defer { script.remove() }
        let clock = TestClock()
        let agent = Self.browser(script, clock: clock)
        let url = try #require(URL(string: Self.url))
        for isRequested in [true, false] {
            let outcome = Task { try await agent.open(url) }
            let text = try #require(await reports.next())
            let address = try #require(URL(string: text))
            let port = UInt16(address.port ?? 0)
            if isRequested {
                let reply = try await LoopbackReply.get(address.path, port: port)
                #expect(reply.headers["location"] == url.absoluteString)
            } else {
                await clock.sleeperCount(reaches: 1)
                clock.advance(by: .seconds(60))
            }
            try await outcome.value
            await #expect(throws: LoopbackConnection.Failure.self) { try await LoopbackConnection.open(port: port) }
        }
    }

    @Test("The page contains the complete address, escaped, and redirects without a script", .covers(126))
    func page() throws {
        let long = "https://as.example/?x=" + String(repeating: "a", count: 5_000) + "&y=\"><script>alert('1')</script>"
        let html = LaunchPage(target: long).html
        let escaped =
            String(repeating: "a", count: 5_000)
            + "&amp;y=&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;\""
        #expect(html.contains("<meta http-equiv=\"refresh\" content=\"0; url=https://as.example/?x=\(escaped)>"))
        #expect(html.contains("<a href=\"https://as.example/?x=\(escaped) rel=\"noreferrer\">"))
        #expect(html.contains("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"))
        #expect(html.contains("<meta name=\"referrer\" content=\"no-referrer\">"))
        #expect(!html.contains("<script"))
    }
}
