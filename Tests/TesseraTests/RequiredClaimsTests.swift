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
        "A refresh whose ID token contradicts one ends the session, also in another process (129)",
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
        await #expect(throws: SessionEnded(.claimChanged)) { try await session.accessToken() }
        #expect(try await world.signIn.restore() == nil)
        let record = try #require(try await world.store.load(session.account))
        #expect(record.tokens == nil && record.history.endReason == "claimChanged")
        #expect(SessionEnded(of: record, now: world.network.runtime.now()).code == .claimChanged)
    }

    @Test("A claim of another type, or of another spelling that looks the same, is another value (129)")
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
            await #expect(throws: SessionEnded(.claimChanged)) { try await session.accessToken() }
        }
    }

    @Test("A claim that a refresh leaves out keeps its value, and is still required of the next one (129)")
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
        await #expect(throws: SessionEnded(.claimChanged)) { try await session.accessToken() }
    }

    @Test("Without a required claim a refresh may bring any (129)")
    func notRequired() async throws {
        let world = try World()
        let session = try await world.staleSession()
        Self.domain("other.example", in: world.network)
        _ = try await session.accessToken()
    }

    @Test("More scopes are added only by an answer that contradicts nothing (129)")
    func addedScopes() async throws {
        let world = try World()
        let session = try await world.signIn.signIn(scopes: [.openID], options: Self.options)
        Self.domain("other.example", in: world.network)
        await #expect { try await world.signIn.addScopes([World.drive], to: session) } throws: {
            SignInError.Code.domainMismatch ~= $0
        }
        #expect(session.ended == nil && !session.grant.contains(World.drive))
        Self.domain(nil, in: world.network)
        try await world.signIn.addScopes([World.drive], to: session)
        #expect(session.grant.contains(World.drive) && session.record.requiredClaims == ["hd": "example.com"])
        // The caller may require something else from now on.
        Self.domain("other.example", in: world.network)
        let options = SignInOptions(requiredClaims: ["hd": "other.example"])
        try await world.signIn.addScopes(["more"], to: session, options: options)
        #expect(session.record.requiredClaims == ["hd": "other.example"])
    }

    @Test("A session without the claims that are required now is not restored: the user signs in again (129)")
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

    @Test(
        "A claim that the newest ID token lacks is the one of the sign-in when a session is restored (129)",
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

    @Test("A grant that is adopted keeps what was required of it (129)")
    func adopted() async throws {
        let world = try World()
        let session = try await world.session([.openID])
        let grant = ExistingGrant(
            refreshToken: Secret(try #require(session.refreshTokenText)),
            idToken: session.idToken,
            scopes: [.openID, "not\u{1B}a scope"]
        )
        let adopted = try await world.sibling().signIn.adopt(grant, options: Self.options)
        #expect(adopted.record.requiredClaims == ["hd": "example.com"] && adopted.grant.requested == [.openID])
    }
}
