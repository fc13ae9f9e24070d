// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Required claims")
struct RequiredClaimsTests {
    private static let options = SignInOptions(requiredClaims: ["hd": "example.com"])

    /// Sets the `hd` claim of new ID tokens.
    ///
    /// With nil, they have no such claim.
    private static func domain(_ value: JSONNode?, in network: ScriptedProvider, onlyInRefreshes: Bool = false) {
        network.options.idTokens = { claims, isRefresh in
            guard isRefresh || !onlyInRefreshes else { return try network.sign(claims) }
            let others = claims.filter { $0.name != "hd" }
            return try network.sign(others + (value.map { [JSONMember(name: "hd", value: $0)] } ?? []))
        }
    }

    @Test(
        "Ends the session if a refreshed ID token contradicts a required claim",
        .covers(129),
        .shows(claims: 26),
        arguments: ["other.example", "", "EXAMPLE.COM"] as [JSONNode],
        [false, true]
    )
    func contradiction(_ value: JSONNode, isRestored: Bool) async throws {
        let environment = try TestEnvironment()
        let other = try environment.sibling()
        var session = try await environment.signIn.signIn(scopes: [.openID], options: Self.options)
        if isRestored { session = try #require(try await other.signIn.restore()) }
        environment.expire()
        Self.domain(value, in: environment.network)
        await #expect(throws: SessionEndedError(.claimChanged)) { try await session.accessToken() }
        #expect(try await environment.signIn.restore() == nil)
        let record = try #require(try await environment.store.load(session.account))
        #expect(record.tokens == nil)
        #expect(record.history.endReason == "claimChanged")
        #expect(SessionEndedError(of: record, now: environment.network.runtime.now()).code == .claimChanged)
    }

    @Test("Compares required claims by type and exact spelling", .covers(129))
    func otherValues() async throws {
        let environment = try TestEnvironment()
        func tenant(_ value: JSONNode) {
            environment.network.options.idTokens = { [network = environment.network] claims, _ in
                try network.sign(claims + [JSONMember(name: "tenant", value: value)])
            }
        }
        let options = SignInOptions(requiredClaims: ["tenant": "\u{E9}"])
        tenant("e\u{301}")
        await #expect { try await environment.signIn.signIn(scopes: [.openID], options: options) } throws: {
            SignInError.Code.domainMismatch ~= $0
        }
        for value in [7, ["\u{E9}"], "e\u{301}"] as [JSONNode] {
            tenant("\u{E9}")
            let session = try await environment.signIn.signIn(scopes: [.openID], options: options)
            tenant(value)
            environment.expire()
            await #expect(throws: SessionEndedError(.claimChanged)) { try await session.accessToken() }
        }
    }

    @Test("Retains a claim that a refreshed ID token omits, and still requires it", .covers(129))
    func absence() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.signIn.signIn(scopes: [.openID], options: Self.options)
        for value in [nil, JSONNode.null, "example.com"] {
            Self.domain(value, in: environment.network)
            environment.expire()
            _ = try await session.accessToken()
            #expect(session.record.requiredClaims == ["hd": "example.com"])
            #expect(session.identity.hostedDomain == "example.com")
        }
        Self.domain("other.example", in: environment.network)
        environment.expire()
        await #expect(throws: SessionEndedError(.claimChanged)) { try await session.accessToken() }
    }

    @Test("Accepts any claims in a refresh if none are required", .covers(129))
    func notRequired() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        Self.domain("other.example", in: environment.network)
        _ = try await session.accessToken()
    }

    @Test("Adds scopes only if the new ID token satisfies the required claims", .covers(129))
    func addedScopes() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.signIn.signIn(scopes: [.openID], options: Self.options)
        Self.domain("other.example", in: environment.network)
        await #expect { try await environment.signIn.addScopes([TestEnvironment.drive], to: session) } throws: {
            SignInError.Code.domainMismatch ~= $0
        }
        #expect(session.ended == nil)
        #expect(!session.grantedScopes.contains(TestEnvironment.drive))
        Self.domain(nil, in: environment.network)
        try await environment.signIn.addScopes([TestEnvironment.drive], to: session)
        #expect(session.grantedScopes.contains(TestEnvironment.drive))
        #expect(session.record.requiredClaims == ["hd": "example.com"])
        // The caller can require other claims.
        Self.domain("other.example", in: environment.network)
        let options = SignInOptions(requiredClaims: ["hd": "other.example"])
        try await environment.signIn.addScopes(["more"], to: session, options: options)
        #expect(session.record.requiredClaims == ["hd": "other.example"])
    }

    @Test("Signs in again if the stored session lacks a required claim", .covers(129))
    func restoreOrSignIn() async throws {
        let environment = try TestEnvironment()
        _ = try await environment.session([.openID])
        let consents = environment.userAgent.authorizationURLs.count
        // The session was stored without required claims, but its ID token satisfies them.
        _ = try await environment.signIn.restoreOrSignIn(scopes: [.openID], options: Self.options)
        #expect(environment.userAgent.authorizationURLs.count == consents)
        let other = SignInOptions(requiredClaims: ["hd": "other.example"])
        await #expect { try await environment.signIn.restoreOrSignIn(scopes: [.openID], options: other) } throws: {
            SignInError.Code.domainMismatch ~= $0
        }
        Self.domain("other.example", in: environment.network)
        let session = try await environment.signIn.restoreOrSignIn(scopes: [.openID], options: other)
        #expect(session.record.requiredClaims == ["hd": "other.example"])
        #expect(environment.userAgent.authorizationURLs.count == consents + 2)
    }

    /// The API that restores a session.
    enum Restoring: Sendable, CaseIterable {
        case byDefault, byAccount, byHint, orSignIn

        func callAsFunction(_ signIn: SignIn, _ account: Account, _ claims: [String: String]) async throws
            -> OAuthSession?
        {
            switch self {
            case .byDefault: try await signIn.restore(requiredClaims: claims)
            case .byAccount: try await signIn.restore(account, requiredClaims: claims)
            case .byHint: try await signIn.restore(hint: account.subject, requiredClaims: claims)
            case .orSignIn:
                try await signIn.restoreOrSignIn(scopes: [.openID], options: SignInOptions(requiredClaims: claims))
            }
        }
    }

    @Test(
        "Applies a claim that is required at restore to later refreshes",
        .covers(129),
        .shows(claims: 26),
        arguments: Restoring.allCases,
        [false, true]
    )
    func requiredAtRestore(_ restore: Restoring, isElsewhere: Bool) async throws {
        let environment = try TestEnvironment()
        // No claim was required at sign-in.
        let first = try await environment.session([.openID])
        let other = try environment.sibling()
        var session = try #require(try await restore(environment.signIn, first.account, ["hd": "example.com"]))
        #expect(session === first)
        #expect(session.record.requiredClaims == ["hd": "example.com"])
        if isElsewhere { session = try #require(try await other.signIn.restore()) }
        environment.expire()
        Self.domain("other.example", in: environment.network)
        await #expect(throws: SessionEndedError(.claimChanged)) { try await session.accessToken() }
        #expect(try await environment.signIn.restore() == nil)
    }

    @Test(
        "Does not restore a session that lacks a required claim, and leaves it unchanged",
        .covers(129),
        .shows(claims: 26),
        arguments: [("hd", "other.example"), ("hd", "EXAMPLE.COM"), ("hd", ""), ("tenant", "example.com")],
        [Restoring.byDefault, .byAccount, .byHint]
    )
    func missingAtRestore(_ claim: (name: String, value: String), _ restore: Restoring) async throws {
        let environment = try TestEnvironment()
        let first = try await environment.session([.openID])
        let saves = environment.store.count(.save)
        #expect(try await restore(environment.signIn, first.account, [claim.name: claim.value]) == nil)
        #expect(environment.store.count(.save) == saves)
        #expect(first.record.requiredClaims.isEmpty)
        #expect(try await environment.signIn.restore() === first)
    }

    @Test("Saves a claim required at restore once, and preserves the refresh mark", .covers(129))
    func restoreSaves() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session([.openID])
        let mark = RefreshMark(begunAt: environment.network.runtime.now(), generation: session.record.generation)
        try await environment.store.update(session.account) { entry in try await entry.mark(mark) }
        let saves = environment.store.count(.save)
        for _ in 0..<3 { _ = try await environment.signIn.restore(requiredClaims: ["hd": "example.com"]) }
        #expect(environment.store.count(.save) == saves + 1)
        #expect(try await environment.store.load(session.account)?.refreshMark == mark)
    }

    @Test("Preserves a claim required at restore when it saves pending tokens", .covers(129))
    func restoreOverUnsavedTokens() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession([.openID])
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        environment.store.before(.save, nil)
        _ = try #require(try await environment.signIn.restore(requiredClaims: ["hd": "example.com"]))
        _ = try await session.accessToken()
        #expect(session.record.requiredClaims == ["hd": "example.com"])
        #expect(try await environment.store.load(session.account)?.requiredClaims == ["hd": "example.com"])
    }

    @Test(
        "Restores a session by the claims of the sign-in if the newest ID token omits them",
        .covers(129),
        .shows(claims: 26)
    )
    func restoredAfterRefresh() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession([.openID])
        Self.domain(nil, in: environment.network, onlyInRefreshes: true)
        _ = try await session.accessToken()
        let consents = environment.userAgent.authorizationURLs.count
        _ = try await environment.signIn.restoreOrSignIn(scopes: [.openID], options: Self.options)
        #expect(environment.userAgent.authorizationURLs.count == consents)
    }

    @Test("Stores the required claims of adopted credentials", .covers(129))
    func adopted() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session([.openID])
        let granted = ExistingCredentials(
            refreshToken: Secret(try #require(session.refreshTokenText)),
            idToken: session.idToken,
            scopes: [.openID, "not\u{1B}a scope"]
        )
        let adopted = try await environment.sibling().signIn.adopt(granted, options: Self.options)
        #expect(adopted.record.requiredClaims == ["hd": "example.com"])
        #expect(adopted.grantedScopes.requested == [.openID])
    }
}
