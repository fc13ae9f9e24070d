// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Claims that a program requires")
struct RequiredClaimsTests {
    private static let options = SignInOptions(requiredClaims: ["hd": "example.com"])

    /// From now on ID tokens have this value of `hd`; nil leaves the claim out.
    private static func domain(_ value: JSONNode?, in network: ScriptedProvider, onlyInRefreshes: Bool = false) {
        network.options.idTokens = { claims, isRefresh in
            guard isRefresh || !onlyInRefreshes else { return try network.sign(claims) }
            let others = claims.filter { $0.name != "hd" }
            return try network.sign(others + (value.map { [JSONMember(name: "hd", value: $0)] } ?? []))
        }
    }

    @Test(
        "A refresh whose ID token contradicts one ends the session, also in another process",
        .covers(129),
        .shows(claims: 26),
        arguments: ["other.example", "", "EXAMPLE.COM"] as [JSONNode],
        [false, true]
    )
    func contradiction(_ value: JSONNode, isRestored: Bool) async throws {
        let world = try World()
        let other = try world.sibling()
        var session = try await world.signIn.signIn(scopes: [.openID], options: Self.options)
        if isRestored { session = try #require(try await other.signIn.restore()) }
        world.expire()
        Self.domain(value, in: world.network)
        await #expect(throws: SessionEndedError(.claimChanged)) { try await session.accessToken() }
        #expect(try await world.signIn.restore() == nil)
        let record = try #require(try await world.store.load(session.account))
        #expect(record.tokens == nil)
        #expect(record.history.endReason == "claimChanged")
        #expect(SessionEndedError(of: record, now: world.network.runtime.now()).code == .claimChanged)
    }

    @Test("A claim of another type, or of another spelling that looks the same, is another value", .covers(129))
    func otherValues() async throws {
        let world = try World()
        func tenant(_ value: JSONNode) {
            world.network.options.idTokens = { [network = world.network] claims, _ in
                try network.sign(claims + [JSONMember(name: "tenant", value: value)])
            }
        }
        let options = SignInOptions(requiredClaims: ["tenant": "\u{E9}"])
        tenant("e\u{301}")
        await #expect { try await world.signIn.signIn(scopes: [.openID], options: options) } throws: {
            SignInError.Code.domainMismatch ~= $0
        }
        for value in [7, ["\u{E9}"], "e\u{301}"] as [JSONNode] {
            tenant("\u{E9}")
            let session = try await world.signIn.signIn(scopes: [.openID], options: options)
            tenant(value)
            world.expire()
            await #expect(throws: SessionEndedError(.claimChanged)) { try await session.accessToken() }
        }
    }

    @Test("A claim that a refresh leaves out keeps its value, and is still required of the next one", .covers(129))
    func absence() async throws {
        let world = try World()
        let session = try await world.signIn.signIn(scopes: [.openID], options: Self.options)
        for value in [nil, JSONNode.null, "example.com"] {
            Self.domain(value, in: world.network)
            world.expire()
            _ = try await session.accessToken()
            #expect(session.record.requiredClaims == ["hd": "example.com"])
            #expect(session.identity.hostedDomain == "example.com")
        }
        Self.domain("other.example", in: world.network)
        world.expire()
        await #expect(throws: SessionEndedError(.claimChanged)) { try await session.accessToken() }
    }

    @Test("Without a required claim a refresh may bring any", .covers(129))
    func notRequired() async throws {
        let world = try World()
        let session = try await world.staleSession()
        Self.domain("other.example", in: world.network)
        _ = try await session.accessToken()
    }

    @Test("More scopes are added only by an answer that contradicts nothing", .covers(129))
    func addedScopes() async throws {
        let world = try World()
        let session = try await world.signIn.signIn(scopes: [.openID], options: Self.options)
        Self.domain("other.example", in: world.network)
        await #expect { try await world.signIn.addScopes([World.drive], to: session) } throws: {
            SignInError.Code.domainMismatch ~= $0
        }
        #expect(session.ended == nil)
        #expect(!session.grant.contains(World.drive))
        Self.domain(nil, in: world.network)
        try await world.signIn.addScopes([World.drive], to: session)
        #expect(session.grant.contains(World.drive))
        #expect(session.record.requiredClaims == ["hd": "example.com"])
        // The caller may require something else from now on.
        Self.domain("other.example", in: world.network)
        let options = SignInOptions(requiredClaims: ["hd": "other.example"])
        try await world.signIn.addScopes(["more"], to: session, options: options)
        #expect(session.record.requiredClaims == ["hd": "other.example"])
    }

    @Test("A session without the claims that are required now is not restored: the user signs in again", .covers(129))
    func restoreOrSignIn() async throws {
        let world = try World()
        _ = try await world.session([.openID])
        let consents = world.userAgent.authorizationURLs.count
        // The session was stored without a requirement, and its user has the claim.
        _ = try await world.signIn.restoreOrSignIn(scopes: [.openID], options: Self.options)
        #expect(world.userAgent.authorizationURLs.count == consents)
        let other = SignInOptions(requiredClaims: ["hd": "other.example"])
        await #expect { try await world.signIn.restoreOrSignIn(scopes: [.openID], options: other) } throws: {
            SignInError.Code.domainMismatch ~= $0
        }
        Self.domain("other.example", in: world.network)
        let session = try await world.signIn.restoreOrSignIn(scopes: [.openID], options: other)
        #expect(session.record.requiredClaims == ["hd": "other.example"])
        #expect(world.userAgent.authorizationURLs.count == consents + 2)
    }

    /// How a session is restored.
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
        "A claim that is required at restore stays required of the session, also in another process",
        .covers(129),
        .shows(claims: 26),
        arguments: Restoring.allCases,
        [false, true]
    )
    func requiredAtRestore(_ restore: Restoring, isElsewhere: Bool) async throws {
        let world = try World()
        // The program did not require anything when the user signed in.
        let first = try await world.session([.openID])
        let other = try world.sibling()
        var session = try #require(try await restore(world.signIn, first.account, ["hd": "example.com"]))
        #expect(session === first)
        #expect(session.record.requiredClaims == ["hd": "example.com"])
        if isElsewhere { session = try #require(try await other.signIn.restore()) }
        world.expire()
        Self.domain("other.example", in: world.network)
        await #expect(throws: SessionEndedError(.claimChanged)) { try await session.accessToken() }
        #expect(try await world.signIn.restore() == nil)
    }

    @Test(
        "A session without a claim that is required at restore is not restored, and stays as it is",
        .covers(129),
        .shows(claims: 26),
        arguments: [("hd", "other.example"), ("hd", "EXAMPLE.COM"), ("hd", ""), ("tenant", "example.com")],
        [Restoring.byDefault, .byAccount, .byHint]
    )
    func missingAtRestore(_ claim: (name: String, value: String), _ restore: Restoring) async throws {
        let world = try World()
        let first = try await world.session([.openID])
        let saves = world.store.count(.save)
        #expect(try await restore(world.signIn, first.account, [claim.name: claim.value]) == nil)
        #expect(world.store.count(.save) == saves)
        #expect(first.record.requiredClaims.isEmpty)
        #expect(try await world.signIn.restore() === first)
    }

    @Test("A requirement that the session has already saves nothing at restore; a refresh mark is left", .covers(129))
    func restoreSaves() async throws {
        let world = try World()
        let session = try await world.session([.openID])
        let mark = RefreshMark(begunAt: world.network.runtime.now(), generation: session.record.generation)
        try await world.store.update(session.account) { entry in try await entry.mark(mark) }
        let saves = world.store.count(.save)
        for _ in 0..<3 { _ = try await world.signIn.restore(requiredClaims: ["hd": "example.com"]) }
        #expect(world.store.count(.save) == saves + 1)
        #expect(try await world.store.load(session.account)?.refreshMark == mark)
    }

    @Test("A requirement at restore is not lost with tokens that could not be saved before", .covers(129))
    func restoreOverUnsavedTokens() async throws {
        let world = try World()
        let session = try await world.staleSession([.openID])
        world.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        world.store.before(.save, nil)
        _ = try #require(try await world.signIn.restore(requiredClaims: ["hd": "example.com"]))
        _ = try await session.accessToken()
        #expect(session.record.requiredClaims == ["hd": "example.com"])
        #expect(try await world.store.load(session.account)?.requiredClaims == ["hd": "example.com"])
    }

    @Test(
        "A claim that the newest ID token lacks is the one of the sign-in when a session is restored",
        .covers(129),
        .shows(claims: 26)
    )
    func restoredAfterRefresh() async throws {
        let world = try World()
        let session = try await world.staleSession([.openID])
        Self.domain(nil, in: world.network, onlyInRefreshes: true)
        _ = try await session.accessToken()
        let consents = world.userAgent.authorizationURLs.count
        _ = try await world.signIn.restoreOrSignIn(scopes: [.openID], options: Self.options)
        #expect(world.userAgent.authorizationURLs.count == consents)
    }

    @Test("A grant that is adopted keeps what was required of it", .covers(129))
    func adopted() async throws {
        let world = try World()
        let session = try await world.session([.openID])
        let grant = ExistingGrant(
            refreshToken: Secret(try #require(session.refreshTokenText)),
            idToken: session.idToken,
            scopes: [.openID, "not\u{1B}a scope"]
        )
        let adopted = try await world.sibling().signIn.adopt(grant, options: Self.options)
        #expect(adopted.record.requiredClaims == ["hd": "example.com"])
        #expect(adopted.grant.requested == [.openID])
    }
}
