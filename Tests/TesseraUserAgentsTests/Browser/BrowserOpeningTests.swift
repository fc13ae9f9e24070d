// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraTesting
internal import TesseraUserAgents
internal import TestTraits
internal import Testing

@Suite("Opening the browser", .timeLimit(.minutes(1)))
struct BrowserOpeningTests {
    private static let path = "/usr/local/bin:/usr/bin:/bin"

    /// Starts a sign-in, passes its notices to `check`, and cancels it when `check` returns.
    private func run(
        _ agent: SystemBrowser,
        url: String = "https://as.example/authorize?a=1",
        check: (AsyncStream<PresentationNotice>) async throws -> Void
    ) async throws {
        let (notices, continuation) = AsyncStream.makeStream(of: PresentationNotice.self)
        var agent = agent
        agent.announce = { continuation.yield($0) }
        let url = try #require(URL(string: url))
        let task = Task { [agent] in
            try await agent.redirect(from: url)
        }
        try await check(notices)
        task.cancel()
        _ = await task.result
    }

    @Test("Passes the address as a single argument without a shell")
    func oneArgument() async throws {
        let (reports, report) = AsyncStream.makeStream(of: String.self)
        let server = try HostileServer.start { request in
            report.yield(request.text)
            return .json("{}")
        }
        defer { server.stop() }
        let browser = try await ScriptedBrowser(
            ScriptedBrowser.send("\"$#|$1|$2\"; touch \"$0.ran\"", port: server.port)
        )
        defer { browser.remove() }
        let url = "https://as.example/?a=$(touch%20x)&b='c';id|%22`id`&state=%25s"
        let agent = SystemBrowser(environment: ["BROWSER": "\(browser.word) --new 'x'", "PATH": Self.path])
        try await self.run(agent, url: url) { notices in
            #expect(await notices.next()?.browser == .opened(program: browser.path))
            let request = try #require(await reports.next())
            let parts = request.split(separator: "|", maxSplits: 2)
            #expect(parts.prefix(2) == ["3", "--new"])
        }
    }

    @Test(
        "The browser gets its own session and none of our streams, descriptors or secrets",
        .covers(46, 135)
    )
    func detached() async throws {
        let (reports, report) = AsyncStream.makeStream(of: String.self)
        let server = try HostileServer.start { request in
            report.yield(request.text)
            return .json("{}")
        }
        defer { server.stop() }
        let browser = try await ScriptedBrowser(
            """
            descriptors=$(for f in /proc/$$/fd/*; do printf '%s>%s ' "${f##*/}" "$(readlink "$f")"; done)
            session=$(sed 's/.*) //' /proc/$$/stat | cut -d' ' -f4)
            \(ScriptedBrowser.send("\"$1|$session|$$|$descriptors|$LANGUAGE|$TESSERA_PASSPHRASE$PGPASSWORD|$https_proxy\"", port: server.port))
            """
        )
        defer { browser.remove() }
        let url = "https://as.example/?a=$(touch%20x)&b='c';id%22`id`&state=%25s"
        let agent = SystemBrowser(
            environment: [
                "BROWSER": browser.word, "PATH": Self.path, "LANGUAGE": "inherited", "TESSERA_PASSPHRASE": "hunter2",
                "PGPASSWORD": "hunter2", "https_proxy": "http://ada:hunter2@proxy.example:3128",
            ]
        )
        try await self.run(agent, url: url) { notices in
            try #require(await notices.next()?.browser == .opened(program: browser.path))
            let parts = try #require(await reports.next())
                .split(separator: "|", omittingEmptySubsequences: false)
            try #require(parts.count == 7)
            #expect(parts[0].hasPrefix("http://127.0.0.1:"))
            #expect(parts[4...] == ["inherited", "", "http://proxy.example:3128"])
            guard FileManager.default.fileExists(atPath: "/proc/self/fd") else { return }
            #expect(parts[1] == parts[2])
            // Bash keeps its own script open as descriptor 255.
            let descriptors = parts[3].split(separator: " ").filter { !$0.hasPrefix("255>") }
            #expect(descriptors.prefix(3) == ["0>/dev/null", "1>/dev/null", "2>/dev/null"])
            #expect(!parts[3].contains("socket:"))
        }
    }

    @Test("Tries the next browser when one is missing or fails, and then asks the user to open the address")
    func failing() async throws {
        let failing = try await ScriptedBrowser("exit 3")
        defer { failing.remove() }
        let killed = try await ScriptedBrowser("kill -9 $$")
        defer { killed.remove() }
        let agent = SystemBrowser(
            environment: ["BROWSER": "/nowhere/x:\(failing.word):no-such:\(killed.word)", "PATH": Self.path]
        )
        try await self.run(agent) { notices in
            #expect(await notices.next()?.browser == .opened(program: failing.path))
            #expect(await notices.next()?.browser == .opened(program: killed.path))
            let last = await notices.next()
            #expect(last?.browser == .notOpened(reason: "\(killed.path) ended with status 137"))
            #expect(last?.text.contains("https://as.example/authorize?a=1") == true)
        }
    }

    @Test("Fails if no browser can be opened and there is no announcement")
    func noBrowser() async throws {
        let agent = SystemBrowser(environment: ["BROWSER": "/nowhere/x"])
        await #expect { () async throws -> Void in
            _ = try await agent.redirect(from: try #require(URL(string: "https://as.example/")))
        } throws: { SignInError.Code.noBrowser ~= $0 }
    }

    @Test("Announces the address and the tunnel over SSH and opens nothing")
    func overSSH() async throws {
        let agent = SystemBrowser(
            pasted: PastedRedirects(lines: { AsyncStream { _ in } }, refuse: { _ in }),
            environment: ["SSH_CONNECTION": "10.0.0.1 5000 10.0.0.2 22", "USER": "ada", "BROWSER": "true"]
        )
        try await self.run(agent) { notices in
            let notice = await notices.next()
            let port = notice?.port ?? 0
            #expect(notice?.browser == .notOpened(reason: "This is a remote terminal"))
            #expect(notice?.tunnelCommand == "ssh -L \(port):127.0.0.1:\(port) ada@10.0.0.2")
            #expect(notice?.text.contains("  ssh -L \(port):127.0.0.1:\(port) ada@10.0.0.2\n") == true)
            #expect(notice?.text.contains("paste it here") == true)
        }
    }

    @Test("Announces the tunnel if no browser is to be opened, since it may run on another machine")
    func byHand() async throws {
        let agent = SystemBrowser(command: .none, environment: ["USER": "ada", "HOSTNAME": "box"])
        try await self.run(agent) { notices in
            let notice = await notices.next()
            let port = notice?.port ?? 0
            #expect(notice?.browser == .notOpened(reason: "No browser is opened"))
            #expect(notice?.tunnelCommand == "ssh -L \(port):127.0.0.1:\(port) ada@box")
        }
    }

    @Test("A missing explicit browser ends the sign-in at once, even with announcements")
    func namedBrowser() async throws {
        let agent = SystemBrowser(command: .command("/nowhere/x"), environment: [:]) { notice in
            Issue.record("announced: \(notice.browser)")
        }
        await #expect { () async throws -> Void in
            _ = try await agent.redirect(from: try #require(URL(string: "https://as.example/")))
        } throws: { SignInError.Code.noBrowser ~= $0 && "\($0)".contains("'/nowhere/x'") }
    }

    @Test("Does not try the system's opener without a display")
    func noDisplay() async throws {
        let opener = try await ScriptedBrowser("exit 0")
        defer { opener.remove() }
        let agent = SystemBrowser(environment: ["PATH": opener.directory])
        try await self.run(agent) { notices in
            #expect(await notices.next()?.browser == .notOpened(reason: "No installed program could open the URL"))
        }
    }

    @Test("No source file uses an embedded web view", .covers(24))
    func embeddedView() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
        let files = try #require(try? FileManager.default.subpathsOfDirectory(atPath: root.path))
            .filter { $0.hasSuffix(".swift") }
        #expect(files.count > 20)
        for file in files {
            let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            for name in ["import WebKit", "WKWebView", "UIWebView", "SFSafariViewController"] {
                #expect(!text.contains(name), "\(file)")
            }
        }
    }
}
