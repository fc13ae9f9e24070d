// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("A session bound to a key")
struct DPoPSessionTests {
    private static func world(
        _ policy: DPoPPolicy = .required,
        supportsDPoP: Bool = true,
        userAgent: ScriptedUserAgent? = nil,
        insecure: Insecure = []
    ) throws -> World {
        var options = ScriptedProvider.Options()
        options.supportsDPoP = supportsDPoP
        return try World(options, userAgent: userAgent) {
            $0.dpop = policy
            $0.insecure.formUnion(insecure)
        }
    }

    @Test(
        "Proves one key in code exchange, refresh and calls, also after a restart, whatever the policy is then",
        .covers(59, 104)
    )
    func oneKey() async throws {
        let world = try Self.world()
        let session = try await world.session()
        let key = try #require(session.record.dpopKey)
        #expect(session.record.tokens?.tokenType == .dpop)
        #expect(world.userAgent.parameter("dpop_jkt") == key.thumbprint)
        #expect(try await session.userInfo()["sub"]?.string == "ada")

        let later = try world.sibling()
        let restored = try #require(try await later.signIn.restore())
        #expect(later.signIn.provider.dpop == .never)
        world.expire()
        #expect(try await restored.userInfo()["sub"]?.string == "ada")
        #expect(world.network.refreshes.count == 1)
        let proving = world.network.requests("/token") + world.network.requests("/userinfo")
        #expect(proving.count == 4)
        #expect(proving.allSatisfy { $0.provenKey == key.thumbprint })
        #expect(Set(proving.map { $0.proofClaim("jti") }).count == 4)
        #expect(world.network.requests("/token").allSatisfy { $0.proofClaim("ath") == nil })
        #expect(Set(world.network.requests("/userinfo").map { $0.proofClaim("ath") }).count == 2)
        #expect(world.network.requests("/userinfo").allSatisfy { $0.authorizationScheme == "DPoP" })
    }

    @Test("Forgets its key when it ends", .covers(104))
    func end() async throws {
        let world = try Self.world()
        let session = try await world.staleSession()
        world.network.revokeEverything()
        await #expect { try await session.accessToken() } throws: { SessionEndedError.Code.refused ~= $0 }
        let stored = try #require(try await world.store.load(session.account))
        #expect(stored.tokens == nil)
        #expect(stored.dpopKey == nil)
        #expect(stored.history.endReason == "refused")
    }

    @Test("A nonce that the provider wants costs one more request, and is then remembered", .covers(64, 101))
    func nonce() async throws {
        let world = try Self.world()
        world.network.options.providerNonce = "n1"
        let session = try await world.session()
        #expect(world.network.requests("/token").map { $0.proofClaim("nonce") } == [nil, "n1"])
        _ = try await session.userInfo()
        #expect(world.network.requests("/userinfo").map { $0.proofClaim("nonce") } == ["n1"])
        world.network.options.providerNonce = "n2"
        _ = try await session.userInfo()
        try await session.refresh()
        #expect(world.network.requests("/userinfo").map { $0.proofClaim("nonce") } == ["n1", "n1", "n2"])
        #expect(world.network.refreshes.map { $0.proofClaim("nonce") } == ["n2"])
        #expect(session.ended == nil)
    }

    @Test("A refresh that is answered with a demand for a nonce for ever fails, and the session lives on", .covers(102))
    func endlessNonce() async throws {
        let world = try Self.world()
        let session = try await world.staleSession()
        world.tokenEndpoint { _ in
            .json(
                #"{"error":"use_dpop_nonce"}"#,
                status: .badRequest,
                headerFields: HTTPField.Name("DPoP-Nonce").map { [$0: "again"] } ?? [:]
            )
        }
        await #expect { try await session.accessToken() } throws: { OAuthError.Code.useDPoPNonce ~= $0 }
        #expect(world.network.refreshes.count == 2)
        world.tokenEndpoint(nil)
        _ = try await session.accessToken()
        #expect(session.ended == nil)
    }

    @Test("User information: one more request for a nonce, no refresh for it, and no third", .covers(101, 102))
    func userInformation() async throws {
        let world = try Self.world()
        let session = try await world.session()
        let nonce = try #require(HTTPField.Name("DPoP-Nonce"))
        let challenge = #"Basic realm="x", dpop ERROR="Use_DPoP_Nonce""#
        world.network.intercept("/userinfo") { _ in
            .status(.unauthorized, headerFields: [.wwwAuthenticate: challenge, nonce: "again"])
        }
        await #expect(throws: BearerChallengeError.self) { try await session.userInfo() }
        #expect(world.network.requests("/userinfo").count == 2)
        world.network.intercept("/userinfo") { _ in
            .status(.unauthorized, headerFields: [.wwwAuthenticate: challenge])
        }
        await #expect(throws: BearerChallengeError.self) { try await session.userInfo() }
        #expect(world.network.requests("/userinfo").count == 3)
        #expect(world.network.refreshes.isEmpty)
        // A refused token is another matter: one refresh.
        world.network.intercept("/userinfo", nil)
        world.network.invalidateAccessTokens()
        #expect(try await session.userInfo()["sub"]?.string == "ada")
        #expect(world.network.refreshes.count == 1)
    }

    @Test("Two people have two keys, and who signs in again has a new one; more scopes keep the key", .covers(104))
    func keys() async throws {
        let agent = ScriptedUserAgent.Later()
        let world = try Self.world(userAgent: agent.agent)
        var keys: [DPoPKey?] = []
        for person in ["ada", "bob", "ada"] {
            agent.script { [try world.network.consent(to: $0, as: person)] }
            let session = try await world.session()
            keys.append(session.record.dpopKey)
            agent.script { [try world.network.consent(to: $0, as: person)] }
            try await world.signIn.addScopes([World.drive], to: session)
            #expect(session.record.dpopKey == keys.last)
            #expect(try await session.userInfo()["sub"]?.string == person)
        }
        #expect(Set(keys).count == 3)
        #expect(!keys.contains(nil))
    }

    @Test(
        "Without its key a session is over and says so; its token goes nowhere, least of all as Bearer",
        .covers(104),
        .shows(claims: 34)
    )
    func lostKey() async throws {
        let world = try Self.world()
        var record = try await world.session().record
        record.dpopKey = nil
        let lost = record
        try await world.store.update(record.account) { try await $0.save(lost) }
        let later = try world.sibling()
        let restored = try #require(try await later.signIn.restore())
        let requests = world.network.requests.count
        for _ in 0..<2 {
            let error = await #expect(throws: SessionEndedError.self) { try await restored.accessToken() }
            #expect(error?.code == .keyLost)
            #expect(error?.recoverySuggestion == "Sign in again.")
            await #expect(throws: SessionEndedError.self) { try await restored.userInfo() }
        }
        #expect(world.network.requests.count == requests)
        #expect(try await later.signIn.restore() == nil)
        #expect(!world.network.requests.contains { $0.authorizationScheme == "Bearer" })
    }

    @Test(
        "Where the provider does not take our proofs nobody is asked: an error before the browser opens",
        .covers(105),
        arguments: [#"["RS256"]"#, "[]", nil]
    )
    func algorithm(_ supported: String?) async throws {
        let world = try Self.world()
        try Self.announce(supported, world)
        await #expect { try await world.session() } throws: { ProtocolViolationError.Rule.dpopAlgorithm ~= $0 }
        #expect(world.userAgent.authorizationURLs.isEmpty)
        #expect(world.network.requests("/token").isEmpty)
    }

    @Test(
        "Where supported, tokens are bound; elsewhere they are bearer tokens, as by the policy never",
        .covers(105),
        arguments: [
            (.never, true, .bearer), (.whenSupported, true, .dpop), (.whenSupported, false, .bearer),
            (.required, true, .dpop),
        ] as [(DPoPPolicy, Bool, TokenType)]
    )
    func policies(policy: DPoPPolicy, supportsDPoP: Bool, expected: TokenType) async throws {
        let world = try Self.world(policy, supportsDPoP: supportsDPoP)
        let session = try await world.session()
        #expect(session.record.tokens?.tokenType == expected)
        #expect((session.record.dpopKey != nil) == (expected == .dpop))
        #expect(session.record.provider.dpop == policy)
        #expect(try await session.userInfo()["sub"]?.string == "ada")
    }

    @Test("Where the provider supports other algorithms alone, tokens are bearer tokens", .covers(105))
    func otherAlgorithms() async throws {
        let other = try Self.world(.whenSupported)
        try Self.announce(#"["RS256"]"#, other)
        #expect(try await other.session().record.dpopKey == nil)
    }

    @Test(
        "A bearer token in place of a bound one is refused, at sign-in and at refresh",
        .covers(68),
        .shows(claims: 34),
        arguments: [.whenSupported, .required] as [DPoPPolicy]
    )
    func downgrade(policy: DPoPPolicy) async throws {
        let world = try Self.world(policy)
        world.network.options.supportsDPoP = true
        world.tokenEndpoint { _ in .json(Self.bearer) }
        await #expect { try await world.session() } throws: { ProtocolViolationError.Rule.tokenType ~= $0 }
        world.tokenEndpoint(nil)
        let session = try await world.staleSession()
        world.tokenEndpoint { _ in .json(Self.bearer) }
        await #expect { try await session.accessToken() } throws: { ProtocolViolationError.Rule.tokenType ~= $0 }
        #expect(session.ended == nil)
    }

    @Test("A bearer token in place of a bound one is accepted where it is permitted", .covers(68))
    func permittedDowngrade() async throws {
        let permissive = try Self.world(supportsDPoP: false, insecure: .bearerInsteadOfDPoP)
        let session = try await permissive.session()
        #expect(session.record.tokens?.tokenType == .bearer)
        #expect(session.record.dpopKey == nil)
        #expect(try await session.userInfo()["sub"]?.string == "ada")
        #expect(permissive.network.requests("/userinfo").allSatisfy { $0.authorizationScheme == "Bearer" })
        #expect(permissive.network.requests("/userinfo").allSatisfy { $0.proofText == nil })
    }

    private static let bearer = #"{"access_token":"a","token_type":"Bearer","expires_in":3600}"#

    private static func announce(_ algorithms: String?, _ world: World) throws {
        let member = algorithms.map { #","dpop_signing_alg_values_supported":\#($0)"# } ?? ""
        let document = #"""
            {"issuer":"\#(ScriptedProvider.issuer)","authorization_endpoint":"\#(ScriptedProvider.issuer)/authorize",
            "token_endpoint":"\#(ScriptedProvider.issuer)/token","jwks_uri":"\#(ScriptedProvider.issuer)/keys",
            "token_endpoint_auth_methods_supported":["client_secret_post"]\#(member)}
            """#
        world.network.intercept("/.well-known/openid-configuration") { _ in .json(document) }
    }
}
