// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraTesting
internal import TesseraUserAgents
internal import TestTraits
internal import Testing

@Suite("Pages shown in the browser")
struct PagesTests {
    @Test(
        "No page contains values of the redirect or leads to another page",
        .covers(51),
        .shows(claims: 13),
        arguments: [
            ("state=right", 200), ("state=right&error=access_denied", 400), ("state=wrong", 400),
        ]
    )
    func nothingOfTheQuery(query: String, status: Int) async throws {
        let run = try await SignInRun.start()
        let reply = try await run.get("/?code=c0deC0de&\(query)&next=https://evil.example/&redirect_uri=//evil.example")
        await run.giveUp()
        #expect(reply.status == status)
        #expect(reply.headers["location"] == nil)
        #expect(reply.headers["refresh"] == nil)
        for word in ["c0deC0de", "evil.example", "state", "http-equiv", "href", "src="] {
            #expect(!reply.body.contains(word), "\(word)")
        }
    }

    @Test(
        "Every page forbids caching, referrers, frames and external content",
        .covers(51),
        .shows(claims: 13),
        arguments: [
            "state=right", "state=right&error=x", "state=wrong",
        ]
    )
    func headers(query: String) async throws {
        let run = try await SignInRun.start()
        let reply = try await run.get("/?\(query)")
        await run.giveUp()
        #expect(reply.headers["cache-control"] == "no-store")
        #expect(reply.headers["referrer-policy"] == "no-referrer")
        #expect(reply.headers["x-content-type-options"] == "nosniff")
        #expect(reply.headers["x-frame-options"] == "DENY")
        let policy = try #require(reply.headers["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; style-src 'nonce-"))
        #expect(policy.contains("frame-ancestors 'none'"))
        let nonce = try #require(policy.split(separator: "'nonce-").last?.prefix { $0 != "'" })
        #expect(nonce.count == 32)
        #expect(reply.body.contains("<script nonce=\"\(nonce)\">history.replaceState"))
        #expect(reply.body.contains("<style nonce=\"\(nonce)\">"))
        #expect(reply.body.split(separator: "<script").count == 2)
    }

    @Test("Each page has its own nonce")
    func nonces() async throws {
        let run = try await SignInRun.start()
        let first = try await run.get("/?1").headers["content-security-policy"]
        let second = try await run.get("/?2").headers["content-security-policy"]
        await run.giveUp()
        #expect(first != second)
    }

    @Test("The completion page shows the user, the app and the granted and missing scopes, escaped")
    func completion() async throws {
        let run = try await SignInRun.start()
        let body = try await run.get("/?state=right").body
        _ = try await run.outcome.value
        for text in [
            "&lt;b&gt;ada&lt;/b&gt;@example.com", "Exämple &amp; Co", "&quot;App&quot;", "Know who you are",
            "drive.readonly", "&lt;i&gt;", "You can close this window",
        ] {
            #expect(body.contains(text), "\(text)")
        }
        #expect(!body.contains("<b>"))
        #expect(!body.contains("<i>"))
    }

    @Test("Escapes the message of a failure and shows its advice")
    func failure() async throws {
        let run = try await SignInRun.start()
        let body = try await run.get("/?state=right&error=x").body
        await run.giveUp()
        #expect(body.contains("&lt;script&gt;alert(&#39;&quot;&amp;&#39;)&lt;/script&gt;"))
        #expect(body.contains("Sign in again when you are ready."))
    }
}
