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

@Suite("Encrypted ID tokens in sign-in and refresh")
struct EncryptedIDTokenInFlowTests {
    private struct WrongKey: Error {}

    /// Imitates encryption with a token of five parts, the fourth of which contains the ID token.
    private static func seal(_ token: String) -> String {
        Base64URL.encode(#"{"alg":"dir","enc":"none at all"}"#.utf8) + "..AAAA.\(Base64URL.encode(token.utf8)).AAAA"
    }

    private static func open(_ sealed: Secret) throws -> Secret {
        let parts = sealed.withUnredacted { $0.split(separator: ".").map(String.init) }
        guard parts.count == 4, let token = Base64URL.decode(parts[2]) else { throw WrongKey() }
        return Secret(String(decoding: token, as: UTF8.self))
    }

    /// Creates a sign-in that can decrypt ID tokens, and makes the provider encrypt them.
    private static func signIn(_ network: ScriptedProvider, decrypts: Bool = true) throws -> SignIn {
        network.options.idTokens = { [unowned network] claims, _ in Self.seal(try network.sign(claims)) }
        var runtime = network.runtime
        if decrypts { runtime.decrypt = Self.open }
        return SignIn(
            try network.provider,
            runtime: runtime,
            store: InMemoryStore(),
            userAgent: network.userAgent()
        )
    }

    @Test("Validates and stores the decrypted ID token, at sign-in and at each refresh", .covers(95, 96))
    func stored() async throws {
        let network = try ScriptedProvider()
        let signIn = try Self.signIn(network)
        let session = try await signIn.signIn(scopes: [.openID])
        #expect(session.account.subject == "ada")
        let first = try #require(session.idToken)
        #expect(first.withUnredacted { $0.split(separator: ".").count } == 3)
        network.clock.advance(by: .seconds(3_600))
        _ = try await session.accessToken()
        let second = try #require(session.idToken)
        #expect(second != first)
        #expect(second.withUnredacted { $0.split(separator: ".").count } == 3)
        #expect(network.refreshes.count == 1)
    }

    @Test("Decrypts signed user information", .covers(95, 96))
    func userInfo() async throws {
        let network = try ScriptedProvider()
        let signIn = try Self.signIn(network)
        let session = try await signIn.signIn(scopes: [.openID])
        network.intercept("/userinfo") { [unowned network] _ in
            let claims = [
                JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)),
                JSONMember(name: "aud", value: .string(ScriptedProvider.clientID)),
                JSONMember(name: "sub", value: "ada"), JSONMember(name: "name", value: "Ada"),
            ]
            let body = Self.seal(try network.sign(claims))
            return ScriptedResponse(
                HTTPResponse(status: .ok, headerFields: [.contentType: "application/jwt"]),
                body: HTTPBody(body)
            )
        }
        #expect(try await session.userInfo()["name"]?.string == "Ada")
    }

    @Test("Fails the sign-in if no decryption is configured", .covers(96))
    func refused() async throws {
        let network = try ScriptedProvider()
        let signIn = try Self.signIn(network, decrypts: false)
        let error = await #expect(throws: ProtocolViolationError.self) { try await signIn.signIn(scopes: [.openID]) }
        #expect(error?.rule == .jweUnsupported)
        #expect(try await signIn.accounts().isEmpty)
    }

    @Test("Returns no token if a refreshed ID token cannot be decrypted, and keeps the session", .covers(96))
    func undecryptableRefresh() async throws {
        let network = try ScriptedProvider()
        let signIn = try Self.signIn(network)
        let session = try await signIn.signIn(scopes: [.openID])
        network.options.idTokens = { _, _ in "e30.AAAA.AAAA.AAAA.AAAA" }
        network.clock.advance(by: .seconds(3_600))
        let error = await #expect(throws: ProtocolViolationError.self) { try await session.accessToken() }
        #expect(error?.rule == .jweDecryption)
        #expect(session.ended == nil)
    }
}
