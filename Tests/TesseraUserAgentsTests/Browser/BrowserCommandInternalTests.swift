// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import TesseraUserAgents
internal import Testing

@Suite("Browser commands")
struct BrowserCommandInternalTests {
    private static let url = "https://as.example/?a=$(id)&b='c'%s"

    @Test(
        "Parses $BROWSER like xdg-open and Python",
        arguments: [
            ("firefox", [["firefox", url]]),
            ("firefox:chromium --incognito", [["firefox", url], ["chromium", "--incognito", url]]),
            ("firefox --url=%s", [["firefox", "--url=\(url)"]]),
            ("open '%s' \"%s\"", [["open", url, url]]),
            ("'my browser' a\\ b \"c \\\" d\" 'e'f", [["my browser", "a b", "c \" d", "ef", url]]),
            ("firefox %s &", [["firefox", url]]),
            ("echo 100% %d %", [["echo", "100%", "%d", "%", url]]),
            (":", []), (" ", []), ("&", []), ("'open", []), ("x\\", []), ("", []),
            ("'':ok", [["", url], ["ok", url]]),
        ] as [(String, [[String]])]
    )
    func environment(browser: String, expected: [[String]]) {
        let lines = BrowserCommand.automatic.commandLines(environment: ["BROWSER": browser])
        #expect(lines.map { $0.filled(with: Self.url) } == expected)
    }

    @Test("An explicit command takes precedence over $BROWSER and is not split at colons")
    func given() {
        let environment = ["BROWSER": "other"]
        let lines = BrowserCommand.command("c:/x %s").commandLines(environment: environment)
        #expect(lines.map { $0.filled(with: "u") } == [["c:/x", "u"]])
        #expect(BrowserCommand.none.commandLines(environment: environment) == [])
    }

    @Test(
        "Detects a remote terminal over SSH and prints a tunnel command for it",
        arguments: [
            (
                ["SSH_CONNECTION": "10.0.0.1 5000 10.0.0.2 22", "USER": "ada"], true,
                "ssh -L 8080:127.0.0.1:8080 ada@10.0.0.2"
            ),
            (
                ["SSH_CONNECTION": "a 1 fe80::1 2222", "LOGNAME": "ada"], true,
                "ssh -p 2222 -L 8080:127.0.0.1:8080 ada@fe80::1"
            ),
            (["SSH_TTY": "/dev/pts/0", "USER": "ada", "HOSTNAME": "box"], true, "ssh -L 8080:127.0.0.1:8080 ada@box"),
            (["SSH_CONNECTION": "a 1 $(id) 22;id", "USER": "-x"], true, "ssh -L 8080:127.0.0.1:8080 user@host"),
            (["SSH_CONNECTION": "broken"], true, "ssh -L 8080:127.0.0.1:8080 user@host"),
            (["SSH_CONNECTION": "a 1 b 22", "DISPLAY": ":10"], false, "ssh -L 8080:127.0.0.1:8080 user@b"),
            (["SSH_TTY": "/dev/pts/0", "WAYLAND_DISPLAY": "wayland-0"], false, "ssh -L 8080:127.0.0.1:8080 user@host"),
            (["SSH_TTY": ""], false, "ssh -L 8080:127.0.0.1:8080 user@host"),
        ] as [([String: String], Bool, String)]
    )
    func remote(environment: [String: String], isRemote: Bool, tunnel: String) {
        let terminal = RemoteTerminal(environment: environment, hostName: nil)
        #expect(terminal.isRemote == isRemote)
        #expect(terminal.tunnelCommand(host: "127.0.0.1", port: 8080) == tunnel)
    }

    @Test(
        "Uses the host name in the tunnel command only if it is valid there",
        arguments: [("box", "user@box"), ("b;id", "user@host"), ("", "user@host"), ("-x", "user@host")]
    )
    func hostName(name: String, destination: String) {
        let terminal = RemoteTerminal(environment: [:], hostName: name)
        #expect(
            terminal.tunnelCommand(host: "127.0.0.1", port: 8080) == "ssh -L 8080:127.0.0.1:8080 \(destination)"
        )
    }
}
