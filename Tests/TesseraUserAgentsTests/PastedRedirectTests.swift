// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraTesting
internal import TesseraUserAgents
internal import TestTraits
internal import Testing

@Suite("Pasted redirects")
struct PastedRedirectTests {
    /// A browser with pasted lines and refusals that the test controls.
    private struct PastingBrowser {
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

    @Test("Processes a pasted redirect like a received one and closes the listener")
    func accepted() async throws {
        let browser = PastingBrowser()
        let run = try await SignInRun.start(browser.agent)
        let redirect = "http://127.0.0.1:\(run.port)/?code=c&state=right"
        browser.paste.yield("  \(redirect) \r")
        #expect(try await run.outcome.value == redirect)
        #expect(await run.isClosed())
    }

    @Test("Adds the missing scheme to a pasted address")
    func withoutScheme() async throws {
        let browser = PastingBrowser()
        let run = try await SignInRun.start(browser.agent)
        browser.paste.yield("127.0.0.1:\(run.port)/?state=right")
        #expect(try await run.outcome.value == "http://127.0.0.1:\(run.port)/?state=right")
    }

    @Test(
        "Rejects a bare code or a partial address with a message that does not repeat it",
        arguments: [
            "4/0AeaYSHADc0de", "code=c0de&state=right", "?code=c0de&state=right", "127.0.0.1/?code=c0de&state=right",
        ]
    )
    func bareCode(line: String) async throws {
        let browser = PastingBrowser()
        let run = try await SignInRun.start(browser.agent)
        browser.paste.yield(line)
        var refusals = browser.refusals.makeAsyncIterator()
        let message = try #require(await refusals.next())
        #expect(message.contains("whole address"))
        #expect(message.contains(run.notice.redirectURI))
        #expect(!message.contains("c0de"))
        #expect(run.judged.redirects == [])
        // The listener is still waiting.
        #expect(try await run.get("/?state=right").status == 200)
        _ = try await run.outcome.value
    }

    @Test("Rejects a pasted redirect of another sign-in, and keeps waiting", .covers(48))
    func notOurs() async throws {
        let browser = PastingBrowser()
        let run = try await SignInRun.start(browser.agent)
        browser.paste.yield("")
        browser.paste.yield("https://evil.example/?code=c0de&state=wrong")
        var refusals = browser.refusals.makeAsyncIterator()
        #expect(await refusals.next() == "This redirect does not belong to this sign-in: the state is another one")
        browser.paste.yield("http://127.0.0.1:\(run.port)/?state=right")
        _ = try await run.outcome.value
        #expect(run.judged.redirects.count == 2)
    }

    @Test("The listener keeps waiting after the pasted input ends")
    func endOfInput() async throws {
        let browser = PastingBrowser()
        let run = try await SignInRun.start(browser.agent)
        browser.paste.finish()
        #expect(try await run.get("/?state=right").status == 200)
        _ = try await run.outcome.value
    }
}
