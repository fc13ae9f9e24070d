// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// A forged claim of an ID token.
struct ForgedClaim: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: ProtocolViolationError.Rule
    let change: @Sendable (inout [JSONMember]) -> Void

    init(_ name: String, _ value: JSONNode?, _ rule: ProtocolViolationError.Rule) {
        self.testDescription = "\(name) \(value.map { $0.text() } ?? "missing")"
        self.rule = rule
        self.change = { claims in
            claims.removeAll { $0.name == name }
            if let value { claims.append(JSONMember(name: name, value: value)) }
        }
    }
}

@Suite("ID tokens in sign-in and refresh")
struct IDTokenInFlowTests {
    static let forgedClaims = [
        ForgedClaim("iss", "https://evil.example", .jwtIssuer),
        ForgedClaim("iss", "https://id.example/", .jwtIssuer),
        ForgedClaim("aud", "other-client", .jwtAudience),
        ForgedClaim("aud", ["test-client", "other"], .idTokenAuthorizedParty),
        ForgedClaim("azp", "other-client", .idTokenAuthorizedParty),
        ForgedClaim("nonce", "another", .idTokenNonce),
        ForgedClaim("exp", 1_000, .jwtTime),
        ForgedClaim("iat", 4_000_000_000, .jwtTime),
        ForgedClaim("at_hash", "AAAAAAAAAAAAAAAAAAAAAA", .idTokenHash),
    ]

    @Test(
        "Rejects a sign-in with a forged claim in the ID token, and saves nothing",
        .covers(89, 90, 91, 92, 94),
        arguments: forgedClaims
    )
    func signIn(_ forgedClaim: ForgedClaim) async throws {
        let environment = try TestEnvironment()
        environment.network.options.idTokens = { [network = environment.network] claims, _ in
            var claims = claims
            forgedClaim.change(&claims)
            return try network.sign(claims)
        }
        await #expect { try await environment.session() } throws: { forgedClaim.rule ~= $0 }
        #expect(environment.store.count(.save) == 0)
    }

    @Test(
        "Rejects a sign-in whose ID token has no nonce, subject or valid signature",
        .covers(80, 82, 85, 92)
    )
    func unsigned() async throws {
        let environment = try TestEnvironment()
        let otherKey = try JWSSigningKey.generate(.es256)
        let network = environment.network
        let forgeries: [ScriptedProvider.Options.IDTokens] = [
            { claims, _ in try network.sign(claims.filter { $0.name != "nonce" }) },
            { claims, _ in try network.sign(claims.filter { $0.name != "sub" }) },
            { claims, _ in try otherKey.sign(payload: JSONNode.object(claims).serialized()) },
            { claims, _ in
                let forged = try otherKey.sign(
                    payload: JSONNode.object(claims).serialized(),
                    header: [JSONMember(name: "kid", value: .string(network.signingKey.keyID ?? ""))]
                )
                return forged
            },
            { claims, _ in try network.sign(claims).split(separator: ".").prefix(2).joined(separator: ".") + "." },
            { claims, _ in
                Base64URL.encode(#"{"alg":"none"}"#.utf8) + "." + Base64URL.encode(JSONNode.object(claims).serialized())
                    + "."
            },
            { _, _ in nil },
        ]
        for forgery in forgeries {
            network.options.idTokens = forgery
            await #expect(throws: ProtocolViolationError.self) { try await environment.session() }
        }
        #expect(environment.store.count(.save) == 0)
    }

    static let otherIdentities = [
        ForgedClaim("iss", "https://evil.example", .jwtIssuer),
        ForgedClaim("sub", "eve", .idTokenContinuity),
        ForgedClaim("aud", "other-client", .jwtAudience),
        ForgedClaim("auth_time", 1_600_000_000, .idTokenContinuity),
        ForgedClaim("nonce", "another", .idTokenNonce),
    ]

    @Test(
        "Ends the session if a refreshed ID token is for another user, client or sign-in",
        .covers(95),
        arguments: otherIdentities
    )
    func continuity(_ forgedClaim: ForgedClaim) async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        var events = session.events().makeAsyncIterator()
        environment.network.options.idTokens = { [network = environment.network] claims, isRefresh in
            var claims = claims
            if isRefresh { forgedClaim.change(&claims) }
            return try network.sign(claims)
        }
        await #expect(throws: SessionEndedError(.identityChanged)) { try await session.accessToken() }
        #expect(session.ended?.code == .identityChanged)
        let event = await events.next()
        guard case .ended(let end) = event else {
            Issue.record("the first event is \(String(describing: event))")
            return
        }
        #expect(end.code == .identityChanged)
        #expect(await events.next() == nil)
        #expect(try await environment.signIn.restore() == nil)
        #expect(environment.network.refreshes.count == 1)
    }

    @Test(
        "Keeps the session and the new refresh token if a refreshed ID token is badly signed",
        .covers(85, 94, 115)
    )
    func badSignatureInRefresh() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let otherKey = try JWSSigningKey.generate(.es256)
        environment.network.options.idTokens = { claims, _ in
            try otherKey.sign(payload: JSONNode.object(claims).serialized())
        }
        await #expect(throws: ProtocolViolationError.self) { try await session.accessToken() }
        #expect(session.ended == nil)
        environment.network.options.idTokens = nil
        _ = try await session.accessToken()
        let sent = environment.network.refreshes.compactMap { $0.formValue("refresh_token") }
        #expect(sent.count == 2)
        #expect(Set(sent).count == 2)
    }

    @Test(
        "Refreshes without a new ID token if the provider's keys are unreachable",
        .covers(97)
    )
    func unreachableKeys() async throws {
        struct NetworkIsDown: Error {}
        let environment = try TestEnvironment()
        let session = try await environment.session()
        let idToken = session.idToken
        let later = try environment.sibling()
        let restored = try #require(try await later.signIn.restore())
        environment.expire()
        environment.network.intercept("/keys") { _ in throw NetworkIsDown() }
        let token = try await restored.accessToken()
        #expect(token.text != "secret-access-2")
        #expect(restored.idToken == idToken)
        #expect(try await environment.store.load(session.account)?.tokens?.accessToken == token.secret)
    }
}
