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

@Suite("DPoP-bound sessions")
struct DPoPSessionTests {
    private static func environment(
        _ policy: DPoPPolicy = .required,
        supportsDPoP: Bool = true,
        userAgent: ScriptedUserAgent? = nil,
        insecure: Insecure = []
    ) throws -> TestEnvironment {
        var options = ScriptedProvider.Options()
        options.supportsDPoP = supportsDPoP
        return try TestEnvironment(options, userAgent: userAgent) {
            $0.dpop = policy
            $0.insecure.formUnion(insecure)
        }
    }

    @Test(
        "Uses one DPoP key for the code exchange, refreshes and calls, even after a restart",
        .covers(59, 104)
    )
    func oneKey() async throws {
        let environment = try Self.environment()
        let session = try await environment.session()
        let key = try #require(session.record.dpopKey)
        #expect(session.record.tokens?.tokenType == .dpop)
        #expect(environment.userAgent.parameter("dpop_jkt") == key.thumbprint)
        #expect(try await session.userInfo()["sub"]?.string == "ada")

        let later = try environment.sibling()
        let restored = try #require(try await later.signIn.restore())
        #expect(later.signIn.provider.dpop == .never)
        environment.expire()
        #expect(try await restored.userInfo()["sub"]?.string == "ada")
        #expect(environment.network.refreshes.count == 1)
        let requests = environment.network.requests("/token") + environment.network.requests("/userinfo")
        #expect(requests.count == 4)
        #expect(requests.allSatisfy { $0.provenKey == key.thumbprint })
        #expect(Set(requests.map { $0.proofClaim("jti") }).count == 4)
        #expect(environment.network.requests("/token").allSatisfy { $0.proofClaim("ath") == nil })
        #expect(Set(environment.network.requests("/userinfo").map { $0.proofClaim("ath") }).count == 2)
        #expect(environment.network.requests("/userinfo").allSatisfy { $0.authorizationScheme == "DPoP" })
    }

    @Test("Deletes the DPoP key when the session ends", .covers(104))
    func end() async throws {
        let environment = try Self.environment()
        let session = try await environment.staleSession()
        environment.network.revokeEverything()
        await #expect { try await session.accessToken() } throws: { SessionEndedError.Code.refused ~= $0 }
        let stored = try #require(try await environment.store.load(session.account))
        #expect(stored.tokens == nil)
        #expect(stored.dpopKey == nil)
        #expect(stored.history.endReason == "refused")
    }

    @Test("Retries a request with the nonce the provider requires, and reuses the nonce", .covers(64, 101))
    func nonce() async throws {
        let environment = try Self.environment()
        environment.network.options.providerNonce = "n1"
        let session = try await environment.session()
        #expect(environment.network.requests("/token").map { $0.proofClaim("nonce") } == [nil, "n1"])
        _ = try await session.userInfo()
        #expect(environment.network.requests("/userinfo").map { $0.proofClaim("nonce") } == ["n1"])
        environment.network.options.providerNonce = "n2"
        _ = try await session.userInfo()
        try await session.refresh()
        #expect(environment.network.requests("/userinfo").map { $0.proofClaim("nonce") } == ["n1", "n1", "n2"])
        #expect(environment.network.refreshes.map { $0.proofClaim("nonce") } == ["n2"])
        #expect(session.ended == nil)
    }

    @Test("Fails a refresh but keeps the session if the provider rejects every nonce", .covers(102))
    func endlessNonce() async throws {
        let environment = try Self.environment()
        let session = try await environment.staleSession()
        environment.tokenEndpoint { _ in
            .json(
                #"{"error":"use_dpop_nonce"}"#,
                status: .badRequest,
                headerFields: HTTPField.Name("DPoP-Nonce").map { [$0: "again"] } ?? [:]
            )
        }
        await #expect { try await session.accessToken() } throws: { OAuthError.Code.useDPoPNonce ~= $0 }
        #expect(environment.network.refreshes.count == 2)
        environment.tokenEndpoint(nil)
        _ = try await session.accessToken()
        #expect(session.ended == nil)
    }

    @Test("Retries a user info request once with a nonce, without refreshing the token", .covers(101, 102))
    func userInformation() async throws {
        let environment = try Self.environment()
        let session = try await environment.session()
        let nonce = try #require(HTTPField.Name("DPoP-Nonce"))
        let challenge = #"Basic realm="x", dpop ERROR="Use_DPoP_Nonce""#
        environment.network.intercept("/userinfo") { _ in
            .status(.unauthorized, headerFields: [.wwwAuthenticate: challenge, nonce: "again"])
        }
        await #expect(throws: BearerChallengeError.self) { try await session.userInfo() }
        #expect(environment.network.requests("/userinfo").count == 2)
        environment.network.intercept("/userinfo") { _ in
            .status(.unauthorized, headerFields: [.wwwAuthenticate: challenge])
        }
        await #expect(throws: BearerChallengeError.self) { try await session.userInfo() }
        #expect(environment.network.requests("/userinfo").count == 3)
        #expect(environment.network.refreshes.isEmpty)
        // A rejected token causes one refresh.
        environment.network.intercept("/userinfo", nil)
        environment.network.invalidateAccessTokens()
        #expect(try await session.userInfo()["sub"]?.string == "ada")
        #expect(environment.network.refreshes.count == 1)
    }

    @Test("Creates a DPoP key for each user and sign-in, and retains it when scopes are added", .covers(104))
    func keys() async throws {
        let agent = ScriptedUserAgent.Replaceable()
        let environment = try Self.environment(userAgent: agent.agent)
        var keys: [DPoPKey?] = []
        for user in ["ada", "bob", "ada"] {
            agent.script { [try environment.network.consent(to: $0, as: user)] }
            let session = try await environment.session()
            keys.append(session.record.dpopKey)
            agent.script { [try environment.network.consent(to: $0, as: user)] }
            try await environment.signIn.addScopes([TestEnvironment.drive], to: session)
            #expect(session.record.dpopKey == keys.last)
            #expect(try await session.userInfo()["sub"]?.string == user)
        }
        #expect(Set(keys).count == 3)
        #expect(!keys.contains(nil))
    }

    @Test(
        "Ends a session whose DPoP key is lost, and never sends its token as a bearer token",
        .covers(104),
        .shows(claims: 34)
    )
    func lostKey() async throws {
        let environment = try Self.environment()
        var record = try await environment.session().record
        record.dpopKey = nil
        let lost = record
        try await environment.store.update(record.account) { try await $0.save(lost) }
        let later = try environment.sibling()
        let restored = try #require(try await later.signIn.restore())
        let requests = environment.network.requests.count
        for _ in 0..<2 {
            let error = await #expect(throws: SessionEndedError.self) { try await restored.accessToken() }
            #expect(error?.code == .keyLost)
            #expect(error?.recoverySuggestion == "Sign in again.")
            await #expect(throws: SessionEndedError.self) { try await restored.userInfo() }
        }
        #expect(environment.network.requests.count == requests)
        #expect(try await later.signIn.restore() == nil)
        #expect(!environment.network.requests.contains { $0.authorizationScheme == "Bearer" })
    }

    @Test(
        "Fails before opening the browser if the provider does not support the proof algorithm",
        .covers(105),
        arguments: [#"["RS256"]"#, "[]", nil]
    )
    func algorithm(_ supported: String?) async throws {
        let environment = try Self.environment()
        try Self.announce(supported, environment)
        await #expect { try await environment.session() } throws: { ProtocolViolationError.Rule.dpopAlgorithm ~= $0 }
        #expect(environment.userAgent.authorizationURLs.isEmpty)
        #expect(environment.network.requests("/token").isEmpty)
    }

    @Test(
        "Uses bound or bearer tokens according to the DPoP policy and the provider's support",
        .covers(105),
        arguments: [
            (.never, true, .bearer), (.whenSupported, true, .dpop), (.whenSupported, false, .bearer),
            (.required, true, .dpop),
        ] as [(DPoPPolicy, Bool, TokenType)]
    )
    func policies(policy: DPoPPolicy, supportsDPoP: Bool, expected: TokenType) async throws {
        let environment = try Self.environment(policy, supportsDPoP: supportsDPoP)
        let session = try await environment.session()
        #expect(session.record.tokens?.tokenType == expected)
        #expect((session.record.dpopKey != nil) == (expected == .dpop))
        #expect(session.record.provider.dpop == policy)
        #expect(try await session.userInfo()["sub"]?.string == "ada")
    }

    @Test("Uses bearer tokens if the provider supports only other algorithms", .covers(105))
    func otherAlgorithms() async throws {
        let other = try Self.environment(.whenSupported)
        try Self.announce(#"["RS256"]"#, other)
        #expect(try await other.session().record.dpopKey == nil)
    }

    @Test(
        "Rejects a bearer token in place of a bound token, at sign-in and at refresh",
        .covers(68),
        .shows(claims: 34),
        arguments: [.whenSupported, .required] as [DPoPPolicy]
    )
    func downgrade(policy: DPoPPolicy) async throws {
        let environment = try Self.environment(policy)
        environment.network.options.supportsDPoP = true
        environment.tokenEndpoint { _ in .json(Self.bearer) }
        await #expect { try await environment.session() } throws: { ProtocolViolationError.Rule.tokenType ~= $0 }
        environment.tokenEndpoint(nil)
        let session = try await environment.staleSession()
        environment.tokenEndpoint { _ in .json(Self.bearer) }
        await #expect { try await session.accessToken() } throws: { ProtocolViolationError.Rule.tokenType ~= $0 }
        #expect(session.ended == nil)
    }

    @Test("Accepts a bearer token in place of a bound token if permitted", .covers(68))
    func permittedDowngrade() async throws {
        let permissive = try Self.environment(supportsDPoP: false, insecure: .bearerInsteadOfDPoP)
        let session = try await permissive.session()
        #expect(session.record.tokens?.tokenType == .bearer)
        #expect(session.record.dpopKey == nil)
        #expect(try await session.userInfo()["sub"]?.string == "ada")
        #expect(permissive.network.requests("/userinfo").allSatisfy { $0.authorizationScheme == "Bearer" })
        #expect(permissive.network.requests("/userinfo").allSatisfy { $0.proofText == nil })
    }

    private static let bearer = #"{"access_token":"a","token_type":"Bearer","expires_in":3600}"#

    private static func announce(_ algorithms: String?, _ environment: TestEnvironment) throws {
        let member = algorithms.map { #","dpop_signing_alg_values_supported":\#($0)"# } ?? ""
        let document = #"""
            {"issuer":"\#(ScriptedProvider.issuer)","authorization_endpoint":"\#(ScriptedProvider.issuer)/authorize",
            "token_endpoint":"\#(ScriptedProvider.issuer)/token","jwks_uri":"\#(ScriptedProvider.issuer)/keys",
            "token_endpoint_auth_methods_supported":["client_secret_post"]\#(member)}
            """#
        environment.network.intercept("/.well-known/openid-configuration") { _ in .json(document) }
    }
}
