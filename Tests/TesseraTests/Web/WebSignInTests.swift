// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

@Suite("Web sign-in")
struct WebSignInTests {
    private static let callback = "https://site.example/callback"

    /// Two instances of a site that share a database.
    private struct Site {
        let environment: TestEnvironment
        let sibling: TestEnvironment
        let attempts = InMemoryStore()

        init(_ options: ScriptedProvider.Options = ScriptedProvider.Options()) throws {
            self.environment = try TestEnvironment(options)
            self.sibling = try self.environment.sibling()
        }

        func web(_ environment: TestEnvironment) throws -> WebSignIn {
            WebSignIn(
                environment.signIn,
                redirectURI: try RedirectURI(WebSignInTests.callback),
                attempts: self.attempts
            )
        }

        var one: WebSignIn { get throws { try self.web(self.environment) } }
        var other: WebSignIn { get throws { try self.web(self.sibling) } }

        /// Returns the redirect of the provider after the user consents.
        func consent(to url: String) throws -> String { try self.environment.network.consent(to: url) }
    }

    @Test("Finishes a sign-in on another instance, and returns the session and the return path")
    func otherInstance() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let path = try #require(LocalPath("/files?page=2"))
        let url = try await site.one.begin(
            scopes: [.openID, .email, TestEnvironment.drive],
            in: browser,
            returningTo: path
        )
        let result = try await site.other.finish(site.consent(to: url), in: browser)
        #expect(result.path == path)
        #expect(result.session.account.subject == "ada")
        #expect(result.session.grantedScopes.granted == [.openID, .email, TestEnvironment.drive])
        #expect(try await site.one.signIn.restore(result.session.account)?.account == result.session.account)
        let exchange = try #require(site.environment.network.requests("/token").first)
        #expect(exchange.formValue("redirect_uri") == Self.callback)
    }

    @Test(
        "Rejects a replayed callback on every instance without sending the code again",
        .shows(claims: 22)
    )
    func replay() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser))
        _ = try await site.one.finish(redirect, in: browser)
        for web in [try site.one, try site.other] {
            await #expect { try await web.finish(redirect, in: browser) } throws: {
                ProtocolViolationError.Rule.state ~= $0
            }
        }
        #expect(site.environment.network.requests("/token").count == 1)
    }

    @Test("Accepts one of 20 concurrent requests with the same callback", .shows(claims: 22))
    func race() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser))
        let (one, other) = (try site.one, try site.other)
        let successes = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                let web = number.isMultiple(of: 2) ? one : other
                group.addTask { (try? await web.finish(redirect, in: browser)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(successes == 1)
        #expect(site.environment.network.requests("/token").count == 1)
    }

    @Test("Rejects a callback in another browser, and still accepts it in the original one", .shows(claims: 23))
    func anotherBrowser() async throws {
        let site = try Site()
        let (browser, another) = (try site.one.newBrowser(), try site.one.newBrowser())
        #expect(browser != another)
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser))
        _ = try await site.one.begin(scopes: [.openID], in: another)
        await #expect { try await site.other.finish(redirect, in: another) } throws: {
            ProtocolViolationError.Rule.state ~= $0
        }
        #expect(site.environment.network.requests("/token").isEmpty)
        #expect(try await site.other.finish(redirect, in: browser).session.account.subject == "ada")
    }

    @Test(
        "Rejects a callback that matches no attempt, and leaves the attempt pending",
        arguments: ["", "?code=c", "?code=c&state=guess", "?error=access_denied&state=guess", "?state=%ff"]
    )
    func forged(query: String) async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser))
        await #expect {
            try await site.one.finish(Self.callback + query, in: browser)
        } throws: { ProtocolViolationError.Rule.state ~= $0 }
        _ = try await site.one.finish(redirect, in: browser)
    }

    @Test(
        "Rejects a callback to another URL or from another issuer, even with a valid state",
        arguments: [
            ("https://site.example/callback", "https://evil.example/callback"), ("id.example", "evil.example"),
        ]
    )
    func wrongAddress(from: String, to: String) async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser))
        await #expect(throws: ProtocolViolationError.self) {
            try await site.one.finish(redirect.replacing(from, with: to), in: browser)
        }
        #expect(site.environment.network.requests("/token").isEmpty)
    }

    @Test("Reports a denial as the provider's error, and allows a new attempt")
    func denial() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let denial = try site.environment.network.denial(of: await site.one.begin(scopes: [.openID], in: browser))
        await #expect { try await site.other.finish(denial, in: browser) } throws: {
            OAuthError.Code.accessDenied ~= $0
        }
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser))
        _ = try await site.other.finish(redirect, in: browser)
    }

    @Test("Rejects a callback after the timeout of the attempt")
    func late() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let options = SignInOptions.with { $0.timeout = .seconds(60) }
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser, options: options))
        site.environment.network.clock.advance(by: .seconds(61))
        await #expect { try await site.one.finish(redirect, in: browser) } throws: {
            ProtocolViolationError.Rule.state ~= $0
        }
    }

    @Test("Supports two pending attempts in one browser")
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

    @Test("Fails before the redirect if the session cannot be saved or the cookie would be lost")
    func refusedAtOnce() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        await #expect(throws: InvalidRequestError.self) {
            try await site.one.begin(
                scopes: [.openID],
                in: browser,
                options: .with { $0.responseMode = .formPost }
            )
        }
        await #expect(throws: InvalidRequestError.self) {
            try await site.one.begin(scopes: [TestEnvironment.drive], in: browser)
        }
        site.environment.store.fail(.probe, .full)
        await #expect { try await site.one.begin(scopes: [.openID], in: browser) } throws: {
            StoreError.Code.full ~= $0
        }
    }

    @Test(
        "Applies claims required at the start when the sign-in finishes",
        .covers(129),
        .shows(claims: 25),
        arguments: [("example.com", true), ("other.example", false)]
    )
    func requiredClaims(domain: String, isAccepted: Bool) async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let options = SignInOptions(requiredClaims: ["hd": domain])
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser, options: options))
        if isAccepted {
            let session = try await site.other.finish(redirect, in: browser).session
            #expect(session.record.requiredClaims == ["hd": domain])
        } else {
            await #expect { try await site.other.finish(redirect, in: browser) } throws: {
                SignInError.Code.domainMismatch ~= $0
            }
            #expect(site.sibling.store.count(.save) == 0)
        }
    }

    @Test(
        "Accepts additional required claims when the sign-in finishes",
        .covers(129),
        arguments: [["email": "ada@example.com"], ["hd": "example.com"]]
    )
    func requiredClaimsOfBoth(claims: [String: String]) async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let options = SignInOptions(requiredClaims: ["hd": "example.com"])
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser, options: options))
        let end = SignInOptions(requiredClaims: claims)
        let session = try await site.other.finish(redirect, in: browser, options: end).session
        #expect(session.record.requiredClaims == claims.merging(["hd": "example.com"]) { $1 })
    }

    @Test(
        "Rejects claims required at the end that contradict the start or the user",
        .covers(129),
        arguments: [["email": "eve@example.com"], ["hd": "other.example"]]
    )
    func contradictingClaims(claims: [String: String]) async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let options = SignInOptions(requiredClaims: ["hd": "example.com"])
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser, options: options))
        let end = SignInOptions(requiredClaims: claims)
        await #expect(throws: (any Error).self) {
            try await site.other.finish(redirect, in: browser, options: end)
        }
        #expect(site.sibling.store.count(.save) == 0)
    }

    @Test("Applies the other options of the start when the sign-in finishes", .covers(129))
    func otherOptions() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let origin = try OriginPattern("https://files.example")
        let options = SignInOptions.with {
            $0.maxAge = 600
            $0.resources = ["https://api.example/files"]
            $0.additionalTokenParameters = ["tenant": "t1"]
            $0.nonce = Secret("a-nonce-of-the-caller")
            $0.label = "work"
            $0.redirectURI = Self.callback
            $0.authorizedOrigins = [origin]
            $0.clientType = "web"
        }
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser, options: options))
        let record = try await site.other.finish(redirect, in: browser).session.record
        #expect(record.identity.label == "work")
        #expect(record.history.clientType == "web")
        #expect(record.authorizedOrigins.contains(origin))
        #expect(record.resources == ["https://api.example/files"])
        #expect(record.redirectURI == Self.callback)
        let exchange = try #require(site.environment.network.requests("/token").first)
        #expect(exchange.formValue("tenant") == "t1")
        #expect(exchange.formValue("resource") == "https://api.example/files")
        // The pending authorization contains the requirements for the ID token.
        site.environment.network.options.idTokens = { [network = site.environment.network] claims, _ in
            try network.sign(claims.filter { $0.name != "auth_time" })
        }
        let second = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser, options: options))
        await #expect { try await site.other.finish(second, in: browser) } throws: {
            ProtocolViolationError.Rule.idTokenAuthenticationTime ~= $0
        }
    }

    /// Finishes a sign-in with a server's client ID at a site whose ID tokens are for the client "the-server".
    private static func finish(serverClientID: String?) async throws -> OAuthSession {
        let site = try Site()
        site.environment.network.options.idTokens = { [network = site.environment.network] claims, _ in
            let audience: [JSONMember] = [
                JSONMember(name: "aud", value: "the-server"),
                JSONMember(name: "azp", value: .string(ScriptedProvider.clientID)),
            ]
            return try network.sign(claims.filter { !["aud", "azp"].contains($0.name) } + audience)
        }
        let browser = try site.one.newBrowser()
        var options = SignInOptions()
        options.serverClientID = serverClientID
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser, options: options))
        return try await site.other.finish(redirect, in: browser).session
    }

    @Test("Accepts the server client named at the start as the audience of the ID token", .covers(129))
    func serverClient() async throws {
        #expect(try await Self.finish(serverClientID: "the-server").account.subject == "ada")
    }

    @Test(
        "Rejects any other server client as the audience of the ID token",
        .covers(129),
        arguments: ["another-server", nil]
    )
    func otherServerClient(serverClientID: String?) async throws {
        await #expect { try await Self.finish(serverClientID: serverClientID) } throws: {
            ProtocolViolationError.Rule.jwtAudience ~= $0
        }
    }

    @Test("Requires a caller-supplied identity both at the start and at the end", .covers(129))
    func identity() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let options = SignInOptions.with { $0.identity = .caller { _ in "user-7" } }
        func redirect(_ options: SignInOptions) async throws -> String {
            try site.consent(
                to: await site.one.begin(scopes: [.openID, TestEnvironment.drive], in: browser, options: options)
            )
        }
        let first = try await redirect(options)
        await #expect(throws: InvalidRequestError.self) { try await site.other.finish(first, in: browser) }
        let second = try await redirect(SignInOptions())
        await #expect(throws: InvalidRequestError.self) {
            try await site.other.finish(second, in: browser, options: options)
        }
        #expect(site.environment.network.requests("/token").isEmpty)
        let third = try await redirect(options)
        let session = try await site.other.finish(third, in: browser, options: options).session
        #expect(session.account.subject == "user-7")
    }

    @Test("Finishes an attempt of an earlier version with the options passed at the end", .covers(129))
    func earlierAttempt() async throws {
        let site = try Site()
        let browser = try site.one.newBrowser()
        let redirect = try site.consent(to: await site.one.begin(scopes: [.openID], in: browser))
        let state = try #require(DeliveredResponse.redirect(redirect).state)
        let name = browser.withUnredacted { "attempt \($0.utf8.count) \($0) \(state)" }
        let now = site.environment.network.runtime.now()
        let bytes = try #require(try await site.attempts.take(name, now: now))
        let current = try JSONValue(parsing: bytes)
        let members = ["authorization", "path"]
            .compactMap { name in
                current[name].map { JSONMember(name: name, value: .parsed($0)) }
            }
        try await site.attempts.save(
            JSONNode.object(members).serialized(),
            as: name,
            until: now.addingTimeInterval(60),
            now: now
        )
        let options = SignInOptions.with { $0.label = "old" }
        let session = try await site.other.finish(redirect, in: browser, options: options).session
        #expect(session.identity.label == "old")
    }

    @Test("Uses the DPoP key of an attempt that another instance started")
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
        #expect(session.record.tokens?.tokenType == .dpop)
        #expect(session.record.dpopKey != nil)
        _ = try await session.refresh()
    }

    @Test(
        "Accepts a local return path",
        arguments: ["/", "/files", "/files?a=b&c=%2F", "/a//b", "/~ada/#part", "/%2F/evil.example"]
    )
    func localPath(_ text: String) { #expect(LocalPath(text)?.path == text) }

    @Test(
        "Rejects a return path that leads, or may lead, to another site",
        .shows(claims: 24),
        arguments: [
            "", "files", "//evil.example", "///evil.example", "/\\evil.example", "\\/evil.example", "/\t/evil.example",
            "/\n/evil.example", "/ /evil.example", "https://evil.example", "javascript:alert(1)",
            "/a\r\nSet-Cookie: b=c",
            "/é", "/\u{0}", "/" + String(repeating: "a", count: 2_048),
        ]
    )
    func foreignPath(_ text: String) { #expect(LocalPath(text) == nil) }
}
