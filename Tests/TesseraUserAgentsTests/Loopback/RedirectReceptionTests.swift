// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraTesting
internal import TesseraUserAgents
internal import TestTraits
internal import Testing

@Suite("Receiving the redirect")
struct RedirectReceptionTests {
    @Test("Passes on the accepted redirect unchanged and shows the user the completion page")
    func success() async throws {
        let run = try await SignInRun.start()
        #expect(run.notice.redirectURI == "http://127.0.0.1:\(run.port)/")
        let reply = try await run.get("/?code=c0de&state=right&x=%2B+%zz")
        #expect(reply.status == 200)
        #expect(try await run.outcome.value == "http://127.0.0.1:\(run.port)/?code=c0de&state=right&x=%2B+%zz")
        #expect(await run.isClosed())
    }

    @Test(
        "Rejects another path, method or spelling, and keeps waiting",
        .covers(36, 47),
        arguments: [
            ("GET /favicon.ico", 404), ("GET /other?code=c&state=right", 404), ("GET //?state=right", 404),
            ("GET /../?state=right", 404), ("GET /%2e/?state=right", 404), ("POST /?state=right", 405),
            ("HEAD /?state=right", 405), ("OPTIONS /", 405), ("GET *", 404), ("CONNECT 127.0.0.1:1", 404),
            ("GET http://127.0.0.1/?state=right", 404), ("GET /;x?state=right", 404),
        ]
    )
    func otherRequests(line: String, status: Int) async throws {
        let run = try await SignInRun.start()
        let request = "\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\n\r\n"
        #expect(try await LoopbackReply.to(request, port: run.port).status == status)
        #expect(run.judged.redirects == [])
        #expect(try await run.get("/?state=right").status == 200)
        _ = try await run.outcome.value
    }

    @Test(
        "Compares the path of a fixed redirect URI exactly",
        .covers(36),
        arguments: [
            "/callback/", "/call", "/Callback", "/callback%20", "/x/../callback", "/",
        ]
    )
    func otherPaths(path: String) async throws {
        let redirect = LoopbackRedirect(path: "/callback")
        let run = try await SignInRun.start(SystemBrowser(command: .none, redirect: redirect, environment: [:]))
        #expect(try await run.get("\(path)?state=right").status == 404)
        #expect(try await run.get("/callback?state=right").status == 200)
        _ = try await run.outcome.value
    }

    @Test(
        "Rejects a request for another host name with 400 to prevent DNS rebinding",
        .covers(49),
        arguments: [
            "evil.example", "evil.example:PORT", "localhost:PORT", "127.0.0.1", "127.0.0.1:1", "[::1]:PORT",
            "127.0.0.1:PORT, evil.example", "user@127.0.0.1:PORT", "127.0.0.1:PORT.evil.example", "",
        ]
    )
    func otherHosts(host: String) async throws {
        let run = try await SignInRun.start()
        let host = host.split(separator: "PORT", omittingEmptySubsequences: false).joined(separator: "\(run.port)")
        let request = "GET /?code=c&state=right HTTP/1.1\r\nHost: \(host)\r\n\r\n"
        #expect(try await LoopbackReply.to(request, port: run.port).status == 400)
        #expect(run.judged.redirects == [])
        #expect(try await run.get("/?state=right").status == 200)
        _ = try await run.outcome.value
    }

    @Test(
        "Rejects a wrong state or a forged error with 400, and keeps waiting",
        .covers(48),
        arguments: [
            "/?code=c&state=wrong", "/?error=access_denied", "/?error=access_denied&state=wrong", "/", "/?",
            "/?%00=%zz",
        ]
    )
    func forged(target: String) async throws {
        let run = try await SignInRun.start()
        let reply = try await run.get(target)
        #expect(reply.status == 400)
        #expect(reply.body.contains("does not match the sign-in"))
        #expect(try await run.get("/?state=right").status == 200)
        _ = try await run.outcome.value
        #expect(run.judged.redirects.count == 2)
    }

    @Test("Delays the response until the session is saved and processes one redirect at a time")
    func held() async throws {
        let gate = Gate()
        let run = try await SignInRun.start { redirect in
            if redirect.contains("slow") {
                await gate.pass()
                return nil
            }
            return try await SignInRun.judge(redirect)
        }
        let slow = try await LoopbackConnection.open(port: run.port)
        try await slow.send("GET /?slow HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\n\r\n")
        await gate.waitForArrival()
        let next = try await LoopbackConnection.open(port: run.port)
        try await next.send("GET /?state=right HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\n\r\n")
        // Other requests get a response meanwhile, but the two redirects do not.
        #expect(try await run.get("/favicon.ico").status == 404)
        #expect(run.judged.redirects.count == 1)
        gate.open()
        #expect(LoopbackReply(try await slow.receiveAll()).status == 400)
        #expect(LoopbackReply(try await next.receiveAll()).status == 200)
        _ = try await run.outcome.value
    }

    @Test("Accepts only the first of two valid redirects in one packet", .covers(52))
    func pipelined() async throws {
        let run = try await SignInRun.start()
        let end = "HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\n\r\n"
        let reply = try await LoopbackReply.to(
            "GET /?code=1&state=right \(end)GET /?code=2&state=right \(end)",
            port: run.port
        )
        #expect(reply.status == 200)
        #expect(!reply.body.contains("HTTP/1.1"))
        #expect(try await run.outcome.value.contains("code=1"))
        #expect(run.judged.redirects.count == 1)
    }

    @Test("A redirect reloaded while it is processed gets the same page and is processed once", .covers(30))
    func reloaded() async throws {
        let gate = Gate()
        let run = try await SignInRun.start { redirect in
            await gate.pass()
            return try await SignInRun.judge(redirect)
        }
        var clients: [LoopbackConnection] = []
        for target in ["/?code=1&state=right", "/?code=1&state=right", "/?code=2&state=right"] {
            let client = try await LoopbackConnection.open(port: run.port)
            try await client.send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\n\r\n")
            if clients.isEmpty { await gate.waitForArrival() }
            clients.append(client)
        }
        // Connections are accepted in order: once this one has its response, the other three are waiting.
        #expect(try await run.get("/favicon.ico").status == 404)
        gate.open()
        var replies: [Int] = []
        for client in clients { replies.append(LoopbackReply(try await client.receiveAll()).status) }
        #expect(replies == [200, 200, 400])
        _ = try await run.outcome.value
        #expect(run.judged.redirects.count == 1)
    }

    @Test("Rejects a header of 64 kB with 431, and keeps waiting", .covers(50))
    func longRequest() async throws {
        let run = try await SignInRun.start()
        #expect(try await run.get("/?state=\(String(repeating: "x", count: 64 * 1024))").status == 431)
        #expect(try await run.get("/?state=right").status == 200)
        _ = try await run.outcome.value
    }

    @Test("Uses http://[::1]:port/ as the redirect URI on IPv6", .covers(53), .enabled(if: Machine.hasIPv6))
    func overIPv6() async throws {
        let agent = SystemBrowser(command: .none, redirect: LoopbackRedirect(host: .ipv6), environment: [:])
        let run = try await SignInRun.start(agent)
        #expect(run.notice.redirectURI == "http://[::1]:\(run.port)/")
        let request = "GET /?state=right HTTP/1.1\r\nHost: [::1]:\(run.port)\r\n\r\n"
        #expect(try await LoopbackReply.to(request, address: "::1", port: run.port).status == 200)
        _ = try await run.outcome.value
    }

    @Test("Requires localhost as the Host if the redirect URI uses localhost")
    func localhost() async throws {
        let agent = SystemBrowser(command: .none, redirect: LoopbackRedirect(host: .localhost), environment: [:])
        let run = try await SignInRun.start(agent)
        #expect(run.notice.redirectURI == "http://localhost:\(run.port)/")
        #expect(try await run.get("/?state=right").status == 400)
        let request = "GET /?state=right HTTP/1.1\r\nHost: localhost:\(run.port)\r\n\r\n"
        #expect(try await LoopbackReply.to(request, port: run.port).status == 200)
        _ = try await run.outcome.value
    }
}
