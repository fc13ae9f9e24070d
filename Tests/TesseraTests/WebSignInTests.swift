// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("A web site's sign-in")
struct WebSignInTests {
    private static let callback = "https://site.example/callback"

    /// Two instances of a site over one database.
    private struct Site {
        let world: World
        let sibling: World
        let attempts = InMemoryStore()

        init(_ options: ScriptedProvider.Options = ScriptedProvider.Options()) throws {
            self.world = try World(options)
            self.sibling = try self.world.sibling()
        }

        func web(_ world: World) throws -> WebSignIn {
            WebSignIn(world.signIn, redirectURI: try RedirectURI(WebSignInTests.callback), attempts: self.attempts)
        }

        var one: WebSignIn { get throws { try self.web(self.world) } }
        var other: WebSignIn { get throws { try self.web(self.sibling) } }

        /// The person at the provider: where the browser is sent to in the end.
        func consent(to url: String) throws -> String { try self.world.network.consent(to: url) }
    }

    @Test("The browser comes back to another instance, which has the person's session and the way that they were going")
    func otherInstance() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let path = try #require(LocalPath("/files?page=2"))
        let url = try await site.one.begin(scopes: [.openID, .email, World.drive], in: browser, returningTo: path)
        let arrival = try await site.other.finish(site.consent(to: url), in: browser)
        #expect(arrival.path == path)
        #expect(arrival.session.account.subject == "ada")
        #expect(arrival.session.grantedScopes == [.openID, .email, World.drive])
        #expect(try await site.one.signIn.restore(arrival.session.account)?.account == arrival.session.account)
        let exchange = try #require(site.world.network.requests("/token").first)
        #expect(exchange.formValue("redirect_uri") == Self.callback)
    }

    @Test("The same callback a second time is refused at either instance, and no code is sent again")
    func replay() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser))
        _ = try await site.one.finish(redirect, in: browser)
        for web in [try site.one, try site.other] {
            await #expect { try await web.finish(redirect, in: browser) } throws: { ProtocolViolation.Rule.state ~= $0 }
        }
        #expect(site.world.network.requests("/token").count == 1)
    }

    @Test("Of twenty browsers' requests with the same callback, one signs in")
    func race() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser))
        let (one, other) = (try site.one, try site.other)
        let arrived = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                let web = number.isMultiple(of: 2) ? one : other
                group.addTask { (try? await web.finish(redirect, in: browser)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(arrived == 1 && site.world.network.requests("/token").count == 1)
    }

    @Test("A callback in another browser is refused, and the one that began can still finish")
    func anotherBrowser() async throws {
        let site = try Site()
        let (browser, another) = (try site.one.newBrowser(), try site.one.newBrowser())
        #expect(browser != another)
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser))
        _ = try await site.one.begin(scopes: [.openID], in: another)
        await #expect { try await site.other.finish(redirect, in: another) } throws: {
            ProtocolViolation.Rule.state ~= $0
        }
        #expect(site.world.network.requests("/token").isEmpty)
        #expect(try await site.other.finish(redirect, in: browser).session.account.subject == "ada")
    }

    @Test(
        "What is no answer to an attempt is refused and ends none",
        arguments: ["", "?code=c", "?code=c&state=guess", "?error=access_denied&state=guess", "?state=%ff"]
    )
    func forged(query: String) async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser))
        await #expect {
            try await site.one.finish(Self.callback + query, in: browser)
        } throws: { ProtocolViolation.Rule.state ~= $0 }
        _ = try await site.one.finish(redirect, in: browser)
    }

    @Test("An answer to another address, or of another issuer, is refused even with the right state")
    func wrongAddress() async throws {
        let site = try Site()
        for (from, to) in [
            ("https://site.example/callback", "https://evil.example/callback"), ("id.example", "evil.example"),
        ] {
            let browser = try site.one.newBrowser()
            let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser))
            await #expect(throws: ProtocolViolation.self) {
                try await site.one.finish(redirect.replacing(from, with: to), in: browser)
            }
        }
        #expect(site.world.network.requests("/token").isEmpty)
    }

    @Test("A no of the person's is the provider's error, and a new attempt is open to them")
    func denial() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let denial = try site.world.network.denial(of: await site.one.begin(scopes: [.openID], in: browser))
        await #expect { try await site.other.finish(denial, in: browser) } throws: {
            OAuthError.Code.accessDenied ~= $0
        }
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser))
        _ = try await site.other.finish(redirect, in: browser)
    }

    @Test("Whoever takes longer than they may has to begin again")
    func late() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let options = SignInOptions(timeout: .seconds(60))
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser, options: options))
        site.world.network.clock.advance(by: .seconds(61))
        await #expect { try await site.one.finish(redirect, in: browser) } throws: {
            ProtocolViolation.Rule.state ~= $0
        }
    }

    @Test("One browser may have two attempts at a time, and each finishes by its own redirect")
    func twoTabs() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        var redirects: [(String, LocalPath)] = []
        for path in ["/a", "/b"].compactMap({ LocalPath($0) }) {
            let url = try await site.one.begin(scopes: [.openID], in: browser, returningTo: path)
            redirects.append((try site.consent(to: url), path))
        }
        for (redirect, path) in redirects.reversed() {
            #expect(try await site.other.finish(redirect, in: browser).path == path)
        }
    }

    @Test("Nobody is sent to the provider for what cannot be kept, or by a way on which the cookie does not come back")
    func refusedAtOnce() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        await #expect(throws: InvalidRequest.self) {
            try await site.one.begin(scopes: [.openID], in: browser, options: SignInOptions(responseMode: .formPost))
        }
        await #expect(throws: InvalidRequest.self) { try await site.one.begin(scopes: [World.drive], in: browser) }
        site.world.store.fail(.probe, .full)
        await #expect { try await site.one.begin(scopes: [.openID], in: browser) } throws: {
            StoreError.Code.full ~= $0
        }
    }

    @Test("Bound tokens go on with the attempt's key at the other instance")
    func dpop() async throws {
        var options = ScriptedProvider.Options()
        options.supportsDPoP = true
        let network = try ScriptedProvider(options: options)
        var provider = try network.provider
        provider.dpop = .required
        let (records, attempts) = (InMemoryStore(), InMemoryStore())
        let sites = try (0..<2)
            .map { _ in
                let signIn = SignIn(provider, runtime: network.runtime, store: records, userAgent: network.userAgent())
                return WebSignIn(signIn, redirectURI: try RedirectURI(Self.callback), attempts: attempts)
            }
        let browser = sites[0].newBrowser()
        let redirect = try network.consent(to: await sites[0].begin(scopes: [.openID], in: browser))
        let session = try await sites[1].finish(redirect, in: browser).session
        #expect(session.record.tokens?.tokenType == .dpop && session.record.dpopKey != nil)
        _ = try await session.refresh()
    }

    @Test(
        "A way on leads to this site",
        arguments: ["/", "/files", "/files?a=b&c=%2F", "/a//b", "/~ada/#part", "/%2F/evil.example"]
    )
    func localPath(_ text: String) { #expect(LocalPath(text)?.path == text) }

    @Test(
        "A way on that leads to another site, or may be taken for it, is none",
        arguments: [
            "", "files", "//evil.example", "///evil.example", "/\\evil.example", "\\/evil.example", "/\t/evil.example",
            "/\n/evil.example", "/ /evil.example", "https://evil.example", "javascript:alert(1)",
            "/a\r\nSet-Cookie: b=c",
            "/é", "/\u{0}", "/" + String(repeating: "a", count: 2_048),
        ]
    )
    func foreignPath(_ text: String) { #expect(LocalPath(text) == nil) }
}
