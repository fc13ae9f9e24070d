// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import LoopbackHTTP
internal import Tessera
internal import TesseraTesting
internal import TesseraUserAgents
internal import TestTraits
internal import Testing

@Suite("Lifetime of the redirect listener")
struct ListenerLifeTests {
    @Test("A canceled sign-in throws CancellationError and closes its port", .covers(46))
    func cancellation() async throws {
        let run = try await SignInRun.start()
        let idle = try await LoopbackConnection.open(port: run.port)
        run.outcome.cancel()
        await #expect(throws: CancellationError.self) { try await run.outcome.value }
        #expect(await run.isClosed())
        #expect(try await idle.receiveAll() == [])
    }

    @Test("A sign-in throws timedOut at its deadline and closes its port", .covers(46))
    func timeout() async throws {
        let clock = TestClock()
        let run = try await SignInRun.start(
            SystemBrowser(command: .none, environment: [:]),
            timeout: .seconds(60),
            clock: clock
        )
        await clock.sleeperCount(reaches: 1)
        clock.advance(by: .seconds(59))
        #expect(try await run.get("/favicon.ico").status == 404)
        clock.advance(by: .seconds(1))
        await #expect { try await run.outcome.value } throws: { SignInError.Code.timedOut ~= $0 }
        #expect(await run.isClosed())
    }

    @Test("Every redirect gets one response even if the sign-in is canceled while one is processed", .covers(30))
    func cancelledExchange() async throws {
        let gate = Gate()
        let run = try await SignInRun.start { _ in
            await gate.pass()
            try Task.checkCancellation()
            return nil
        }
        var clients: [LoopbackConnection] = []
        for target in ["/?code=1&state=right", "/?code=2&state=right"] {
            let client = try await LoopbackConnection.open(port: run.port)
            try await client.send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\n\r\n")
            if clients.isEmpty { await gate.waitForArrival() }
            clients.append(client)
        }
        // This later request has its response, so the second redirect has already been queued.
        #expect(try await run.get("/favicon.ico").status == 404)
        run.outcome.cancel()
        gate.open()
        let replies = [
            LoopbackReply(try await clients[0].receiveAll()), LoopbackReply(try await clients[1].receiveAll()),
        ]
        #expect(replies[0].body.contains("not completed"))
        #expect(replies[1].body.contains("does not match the sign-in"))
        await #expect(throws: CancellationError.self) { try await run.outcome.value }
        #expect(await run.isClosed())
    }

    @Test("The deadline ends the wait for a redirect but not its processing")
    func lateAcceptance() async throws {
        let (clock, gate) = (TestClock(), Gate())
        let run = try await SignInRun.start(timeout: .seconds(60), clock: clock) { redirect in
            await gate.pass()
            return try await SignInRun.judge(redirect)
        }
        let client = try await LoopbackConnection.open(port: run.port)
        try await client.send("GET /?state=right HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\n\r\n")
        await gate.waitForArrival()
        clock.advance(by: .seconds(120))
        gate.open()
        #expect(LoopbackReply(try await client.receiveAll()).status == 200)
        #expect(try await run.outcome.value.contains("state=right"))
    }

    @Test("Shows a failure to the user, rethrows it and closes the port", .covers(46))
    func failure() async throws {
        let run = try await SignInRun.start()
        let reply = try await run.get("/?error=access_denied&state=right")
        #expect(reply.status == 400)
        #expect(reply.body.contains("not completed"))
        await #expect { try await run.outcome.value } throws: { SignInError.Code.canceled ~= $0 }
        #expect(await run.isClosed())
    }

    @Test("A sign-in that fails before it starts opens no browser and leaves no port open", .covers(46))
    func failedRequest() async throws {
        let (uris, continuation) = AsyncStream.makeStream(of: String.self)
        let agent = SystemBrowser(command: .none, environment: [:]) { _ in Issue.record("announced") }
        await #expect(throws: SignInError(.domainMismatch)) {
            try await agent.withRedirectReceiver { receiver in
                continuation.yield(receiver.redirectURI)
                throw SignInError(.domainMismatch)
            }
        }
        var iterator = uris.makeAsyncIterator()
        let uri = try #require(await iterator.next())
        let port = try #require(UInt16(uri.dropFirst("http://127.0.0.1:".count).dropLast()))
        await #expect(throws: LoopbackConnection.Failure.self) { try await LoopbackConnection.open(port: port) }
    }

    @Test("A fixed port is free before and after a sign-in and can be used again", .covers(46))
    func fixedPort() async throws {
        let free = try LoopbackServer.start(on: .ipv4) { _ in .text(status: 200, "") }
        free.stop()
        await free.stopped()
        for _ in 0..<2 {
            let redirect = LoopbackRedirect(path: "/cb", port: free.port)
            let run = try await SignInRun.start(SystemBrowser(command: .none, redirect: redirect, environment: [:]))
            #expect(run.notice.redirectURI == "http://127.0.0.1:\(free.port)/cb")
            #expect(try await run.get("/cb?state=right").status == 200)
            _ = try await run.outcome.value
            #expect(await run.isClosed())
        }
    }

    @Test("A port in use throws an error that names it")
    func takenPort() async throws {
        let other = try LoopbackServer.start(on: .ipv4) { _ in .text(status: 200, "") }
        defer { other.stop() }
        let agent = SystemBrowser(command: .none, redirect: LoopbackRedirect(port: other.port), environment: [:])
        await #expect(throws: SignInError(.noListener, detail: "port \(other.port) is in use")) {
            _ = try await SignInRun.start(agent)
        }
    }

    @Test(
        "Does not open an authorization URL that is not an http or https URL",
        arguments: [
            "file:///etc/passwd", "javascript:alert(1)", "app://x",
        ]
    )
    func otherSchemes(address: String) async throws {
        let url = try #require(URL(string: address))
        let agent = SystemBrowser(command: .command("true"), environment: ["PATH": "/usr/bin:/bin"]) { _ in
            Issue.record("opened")
        }
        await #expect { () async throws -> Void in
            _ = try await agent.redirect(from: url)
        } throws: { SignInError.Code.invalidConfiguration ~= $0 }
    }

    @Test(
        "Rejects a redirect path that is not valid in a request",
        arguments: ["", "callback", "/a?b", "/a#b", "/a b"]
    )
    func badPath(path: String) async throws {
        let agent = SystemBrowser(command: .none, redirect: LoopbackRedirect(path: path), environment: [:])
        await #expect { _ = try await SignInRun.start(agent) } throws: {
            SignInError.Code.invalidConfiguration ~= $0
        }
    }
}
