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

/// One lie of an ID token.
struct Lie: Sendable, CustomTestStringConvertible {
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
    static let lies = [
        Lie("iss", "https://evil.example", .jwtIssuer),
        Lie("iss", "https://id.example/", .jwtIssuer),
        Lie("aud", "other-client", .jwtAudience),
        Lie("aud", ["test-client", "other"], .idTokenAuthorizedParty),
        Lie("azp", "other-client", .idTokenAuthorizedParty),
        Lie("nonce", "another", .idTokenNonce),
        Lie("exp", 1_000, .jwtTime),
        Lie("iat", 4_000_000_000, .jwtTime),
        Lie("at_hash", "AAAAAAAAAAAAAAAAAAAAAA", .idTokenHash),
    ]

    @Test(
        "A sign-in takes no ID token that lies, and keeps nothing of it",
        .covers(89, 90, 91, 92, 94),
        arguments: lies
    )
    func signIn(_ lie: Lie) async throws {
        let world = try World()
        world.network.options.idTokens = { [network = world.network] claims, _ in
            var claims = claims
            lie.change(&claims)
            return try network.sign(claims)
        }
        await #expect { try await world.session() } throws: { lie.rule ~= $0 }
        #expect(world.store.count(.save) == 0)
    }

    @Test(
        "A sign-in takes no ID token without nonce, without subject, or without a good signature",
        .covers(80, 82, 85, 92)
    )
    func unsigned() async throws {
        let world = try World()
        let stranger = try JWSSigningKey.generate(.es256)
        let network = world.network
        let forgeries: [ScriptedProvider.Options.IDTokens] = [
            { claims, _ in try network.sign(claims.filter { $0.name != "nonce" }) },
            { claims, _ in try network.sign(claims.filter { $0.name != "sub" }) },
            { claims, _ in try stranger.sign(payload: JSONNode.object(claims).serialized()) },
            { claims, _ in
                let forged = try stranger.sign(
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
            await #expect(throws: ProtocolViolationError.self) { try await world.session() }
        }
        #expect(world.store.count(.save) == 0)
    }

    static let otherPeople = [
        Lie("iss", "https://evil.example", .jwtIssuer),
        Lie("sub", "eve", .idTokenContinuity),
        Lie("aud", "other-client", .jwtAudience),
        Lie("auth_time", 1_600_000_000, .idTokenContinuity),
        Lie("nonce", "another", .idTokenNonce),
    ]

    @Test(
        "A refresh whose ID token speaks of another person, client or sign-in ends the session",
        .covers(95),
        arguments: otherPeople
    )
    func continuity(_ lie: Lie) async throws {
        let world = try World()
        let session = try await world.staleSession()
        var events = session.events().makeAsyncIterator()
        world.network.options.idTokens = { [network = world.network] claims, isRefresh in
            var claims = claims
            if isRefresh { lie.change(&claims) }
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
        #expect(try await world.signIn.restore() == nil)
        #expect(world.network.refreshes.count == 1)
    }

    @Test(
        "A refresh whose ID token is badly signed gives no token, keeps the session, and loses no refresh token",
        .covers(85, 94, 115)
    )
    func badSignatureInRefresh() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let stranger = try JWSSigningKey.generate(.es256)
        world.network.options.idTokens = { claims, _ in try stranger.sign(payload: JSONNode.object(claims).serialized())
        }
        await #expect(throws: ProtocolViolationError.self) { try await session.accessToken() }
        #expect(session.ended == nil)
        world.network.options.idTokens = nil
        _ = try await session.accessToken()
        let sent = world.network.refreshes.compactMap { $0.formValue("refresh_token") }
        #expect(sent.count == 2)
        #expect(Set(sent).count == 2)
    }

    @Test(
        "A refresh goes on without its ID token when the keys are out of reach, whatever the network throws",
        .covers(97)
    )
    func unreachableKeys() async throws {
        struct NetworkIsDown: Error {}
        let world = try World()
        let session = try await world.session()
        let idToken = session.idToken
        let later = try world.sibling()
        let restored = try #require(try await later.signIn.restore())
        world.expire()
        world.network.intercept("/keys") { _ in throw NetworkIsDown() }
        let token = try await restored.accessToken()
        #expect(token.text != "secret-access-2")
        #expect(restored.idToken == idToken)
        #expect(try await world.store.load(session.account)?.tokens?.accessToken == token.secret)
    }
}
