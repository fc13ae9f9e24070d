// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraTesting
internal import TesseraUserAgents
internal import TestTraits
internal import Testing

@Suite("Pasted redirects")
struct PastedRedirectTests {
    /// A browser whose pasted lines and refusals the test holds.
    private struct Desk {
        let agent: SystemBrowser
        let paste: AsyncStream<String>.Continuation
        let refusals: AsyncStream<String>

        init() {
            let (lines, paste) = AsyncStream.makeStream(of: String.self)
            let (refusals, refuse) = AsyncStream.makeStream(of: String.self)
            self.agent = SystemBrowser(
                command: .none,
                pasted: PastedRedirects(lines: { lines }, refuse: { refuse.yield($0) }),
                environment: [:]
            )
            self.paste = paste
            self.refusals = refusals
        }
    }

    @Test("A pasted redirect is judged like one that arrived, and closes the listener")
    func accepted() async throws {
        let desk = Desk()
        let run = try await SignInRun.start(desk.agent)
        let redirect = "http://127.0.0.1:\(run.port)/?code=c&state=right"
        desk.paste.yield("  \(redirect) \r")
        #expect(try await run.outcome.value == redirect)
        #expect(await run.isClosed())
    }

    @Test("An address copied without its scheme is completed")
    func withoutScheme() async throws {
        let desk = Desk()
        let run = try await SignInRun.start(desk.agent)
        desk.paste.yield("127.0.0.1:\(run.port)/?state=right")
        #expect(try await run.outcome.value == "http://127.0.0.1:\(run.port)/?state=right")
    }

    @Test(
        "A bare code, or half an address, is refused with a message that does not repeat it",
        arguments: [
            "4/0AeaYSHADc0de", "code=c0de&state=right", "?code=c0de&state=right", "127.0.0.1/?code=c0de&state=right",
        ]
    )
    func bareCode(line: String) async throws {
        let desk = Desk()
        let run = try await SignInRun.start(desk.agent)
        desk.paste.yield(line)
        var refusals = desk.refusals.makeAsyncIterator()
        let message = try #require(await refusals.next())
        #expect(message.contains("whole address"))
        #expect(message.contains(run.notice.redirectURI))
        #expect(!message.contains("c0de"))
        #expect(run.judged.redirects == [])
        // The listener still waits.
        #expect(try await run.get("/?state=right").status == 200)
        _ = try await run.outcome.value
    }

    @Test("A pasted redirect of another attempt is refused, and the wait goes on", .covers(48))
    func notOurs() async throws {
        let desk = Desk()
        let run = try await SignInRun.start(desk.agent)
        desk.paste.yield("")
        desk.paste.yield("https://evil.example/?code=c0de&state=wrong")
        var refusals = desk.refusals.makeAsyncIterator()
        #expect(await refusals.next() == "This is not the answer to this sign-in: the state is another one")
        desk.paste.yield("http://127.0.0.1:\(run.port)/?state=right")
        _ = try await run.outcome.value
        #expect(run.judged.redirects.count == 2)
    }

    @Test("When nothing more can be pasted the listener still waits")
    func endOfInput() async throws {
        let desk = Desk()
        let run = try await SignInRun.start(desk.agent)
        desk.paste.finish()
        #expect(try await run.get("/?state=right").status == 200)
        _ = try await run.outcome.value
    }
}
