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

@Suite("Life of the listener")
struct ListenerLifeTests {
    @Test("Cancelled, the sign-in ends with the cancellation and its port is closed", .covers(46))
    func cancellation() async throws {
        let run = try await SignInRun.start()
        let held = try await LoopbackConnection.open(port: run.port)
        run.outcome.cancel()
        await #expect(throws: CancellationError.self) { try await run.outcome.value }
        #expect(await run.isClosed())
        #expect(try await held.receiveAll() == [])
    }

    @Test("When the time is over, the sign-in says so and its port is closed", .covers(46))
    func timeout() async throws {
        let clock = TestClock()
        let run = try await SignInRun.start(
            SystemBrowser(command: .none, clock: clock, environment: [:]),
            timeout: .seconds(60)
        )
        await clock.sleeperCount(reaches: 1)
        clock.advance(by: .seconds(59))
        #expect(try await run.get("/favicon.ico").status == 404)
        clock.advance(by: .seconds(1))
        await #expect { try await run.outcome.value } throws: { SignInError.Code.timedOut ~= $0 }
        #expect(await run.isClosed())
    }

    @Test("A failure is shown to the person, thrown on, and closes the port", .covers(46))
    func failure() async throws {
        let run = try await SignInRun.start()
        let reply = try await run.get("/?error=access_denied&state=right")
        #expect(reply.status == 400)
        #expect(reply.body.contains("not completed"))
        await #expect { try await run.outcome.value } throws: { SignInError.Code.givenUp ~= $0 }
        #expect(await run.isClosed())
    }

    @Test("A sign-in that cannot be begun opens no browser and leaves no port", .covers(46))
    func failedRequest() async throws {
        let (uris, continuation) = AsyncStream.makeStream(of: String.self)
        let agent = SystemBrowser(command: .none, environment: [:]) { _ in Issue.record("announced") }
        await #expect(throws: SignInError(.domainMismatch)) {
            try await agent.authorize(timeout: .seconds(60)) { redirectURI in
                continuation.yield(redirectURI)
                throw SignInError(.domainMismatch)
            } judge: { _ in
                RedirectVerdict<Int>.notOurs("")
            }
        }
        var iterator = uris.makeAsyncIterator()
        let uri = try #require(await iterator.next())
        let port = try #require(UInt16(uri.dropFirst("http://127.0.0.1:".count).dropLast()))
        await #expect(throws: LoopbackConnection.Failure.self) { try await LoopbackConnection.open(port: port) }
    }

    @Test("A fixed port is closed before and after, and serves two sign-ins in a row", .covers(46))
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

    @Test("A port that is taken is an error that names it")
    func takenPort() async throws {
        let other = try LoopbackServer.start(on: .ipv4) { _ in .text(status: 200, "") }
        defer { other.stop() }
        let agent = SystemBrowser(command: .none, redirect: LoopbackRedirect(port: other.port), environment: [:])
        await #expect(throws: SignInError(.noListener, detail: "port \(other.port) is in use")) {
            _ = try await SignInRun.start(agent)
        }
    }

    @Test(
        "An authorization address that is no web address is not opened",
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
            _ = try await agent.authorize(timeout: .seconds(60)) { _ in
                url
            } judge: { _ in
                RedirectVerdict<Int>.notOurs("")
            }
        } throws: { SignInError.Code.invalidConfiguration ~= $0 }
    }

    @Test("A redirect path that no request can have is refused", arguments: ["", "callback", "/a?b", "/a#b", "/a b"])
    func badPath(path: String) async throws {
        let agent = SystemBrowser(command: .none, redirect: LoopbackRedirect(path: path), environment: [:])
        await #expect { _ = try await SignInRun.start(agent) } throws: {
            SignInError.Code.invalidConfiguration ~= $0
        }
    }
}
