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

@Suite("Secret redaction in values and keys")
struct CanaryValueTests {
    private struct DecryptionError: Error, CustomStringConvertible { let description: String }

    @Test("Leaks no access token while a resource server validates it", .covers(124))
    func accessToken() async throws {
        let run = try CanaryRun()
        let validClaims: [JSONMember] = [
            JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)), JSONMember(name: "sub", value: "ada"),
            JSONMember(name: "aud", value: "https://api.example"), JSONMember(name: "iat", value: 1_700_000_000),
            JSONMember(name: "exp", value: 1_700_000_060), JSONMember(name: "jti", value: "j"),
            JSONMember(name: "client_id", value: "test-client"),
        ]
        let policy = AccessTokenPolicy(
            issuer: try Issuer(ScriptedProvider.issuer),
            audiences: ["https://api.example"],
            algorithms: [.es256]
        )
        try await run.outputs.watching {
            let keys = KeySetCache(
                try Endpoint("https://id.example/keys", name: "jwks_uri"),
                runtime: try run.client().runtime
            )
            for name in ["", "iss", "aud", "exp", "sub", "client_id", "jti"] {
                let claims = validClaims.map { $0.name == name ? JSONMember(name: name, value: ["wrong"]) : $0 }
                let text = try run.network.signingKey.sign(
                    payload: JSONNode.object(claims).serialized(),
                    type: "at+jwt"
                )
                run.canaries.add("access token", text)
                for text in [text, text + "x", String(text.dropLast(30))] {
                    var request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/")
                    request.headerFields[.authorization] = "Bearer " + text
                    let presented = try PresentedAccessToken(request)
                    run.outputs.record(presented)
                    let token = await run.outputs.record { try await keys.validate(presented.token, policy: policy) }
                    run.outputs.attempt { try token?.confirm(presented, keyThumbprint: "x") }
                    run.outputs.attempt { try token?.require(["write"]) }
                }
                request(run, "Bearer \(text) again")
            }
        }
        run.expectNoSecret(["access token"])
    }

    private func request(_ run: CanaryRun, _ field: String) {
        var request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/")
        request.headerFields[.authorization] = field
        do { run.outputs.record(try PresentedAccessToken(request)) } catch { run.outputs.record(error) }
    }

    @Test("Reports only the type of an error that the decryption of an ID token throws", .covers(124, 96))
    func decryption() async throws {
        let run = try CanaryRun()
        let parts = [#"{"alg":"dir","enc":"A256GCM"}"#, "key", "iv", CanaryEndpoints.secret("encrypted"), "tag"]
        let encrypted = parts.map { Base64URL.encode($0.utf8) }.joined(separator: ".")
        run.canaries.add("encrypted", encrypted)
        // This key is not part of an exchange, so the redaction of an exchange cannot recognize it.
        let key = CanaryEndpoints.secret("decryption-key")
        run.canaries.add("decryption key", key)
        run.network.options.idTokens = { _, _ in encrypted }
        try await run.outputs.watching {
            var runtime = run.runtime()
            for isGiven in [true, false] {
                let decryption: JWTPolicy.Decryption = { token in
                    throw DecryptionError(description: key + token.withUnredacted { $0 })
                }
                runtime.decrypt = isGiven ? decryption : nil
                let signIn = SignIn(
                    try run.provider(),
                    runtime: runtime,
                    store: run.store,
                    userAgent: run.browser.agent,
                    logger: run.outputs.logger
                )
                for _ in 0..<8 { await run.outputs.record { try await signIn.signIn(scopes: [.openID]) } }
            }
        }
        #expect(run.outputs.errors == 16)
        #expect(run.outputs.texts.contains { $0.contains("jwe.decryption") })
        run.expectNoSecret(["id_token", "code"])
    }

    @Test("Leaks no key or secret into the description of a value", .covers(124))
    func values() async throws {
        let run = try CanaryRun()
        let key = run.assertionKey
        let secret = CanaryEndpoints.secret("client-secret-long-enough-for-HMAC")
        run.canaries.add("secret", secret)
        let client = OAuthClient(clientID: "client", clientSecret: Secret(secret), assertionKey: key)
        let dpop = DPoPKey(key)
        let prover = DPoPProver(dpop, runtime: run.runtime())
        let array = try JSONValue(parsing: Array(#"["\#(secret)"]"#.utf8))
        let object = try JSONValue(parsing: Array(#"{"\#(secret)": {"a": "\#(secret)"}}"#.utf8))
        let values: [any Sendable] = [
            key, dpop, dpop.pem, prover, client, JWSMACKey(secret: Array(secret.utf8)),
            ClientIdentity(certificateChain: "chain", privateKey: Secret(key.pemRepresentation)),
            DeliveredResponse.redirect("https://app.example/cb?code=\(secret)"),
            DeliveredResponse.formPost(to: "https://app.example/cb", body: "code=\(secret)"),
            AccessToken(Secret(secret), dpop: prover, expiresAt: nil), HTTPBody(secret), array, object,
            IDTokenPolicy.NonceRule.absentOrEqual(Secret(secret)), TokenRequest.refresh(Secret(secret)),
            TransportError(.tls, underlying: DecryptionError(description: secret)),
        ]
        for value in values { run.outputs.record(value) }
        run.outputs.record(try JSONValue(parsing: Array(#""\#(secret)""#.utf8)))
        run.outputs.record(array.elements as Any)
        run.outputs.record(object.members as Any)
        for text in [secret, "\(key.pemRepresentation.dropLast(40))"] {
            run.outputs.attempt { try DPoPKey(pem: Secret(text)) }
            run.outputs.attempt { try JWSSigningKey(pem: text) }
        }
        let jws = try key.sign(payload: Array(#"{"nonce": "\#(secret)"}"#.utf8))
        run.canaries.add("jws", jws)
        run.outputs.record(try CompactJWS(parsing: jws))
        try await Self.claims(run, secret)
        run.expectNoSecret(["secret", "private key of the client", "jws"])
    }

    /// Records an ID token, whose claims may be printed except for the nonce.
    private static func claims(_ run: CanaryRun, _ nonce: String) async throws {
        let token = try run.network.sign([
            JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)), JSONMember(name: "sub", value: "ada"),
            JSONMember(name: "aud", value: "test-client"), JSONMember(name: "iat", value: 1_700_000_000),
            JSONMember(name: "exp", value: 1_700_000_060), JSONMember(name: "nonce", value: .string(nonce)),
        ])
        let policy = IDTokenPolicy(
            issuer: try Issuer(ScriptedProvider.issuer),
            clientID: "test-client",
            algorithms: [.es256],
            nonce: .equal(Secret(nonce))
        )
        let keys = KeySetCache(try Endpoint("https://id.example/keys", name: "jwks_uri"), runtime: run.runtime())
        run.canaries.add("ID token", token)
        run.outputs.record(policy)
        run.outputs.record(try await keys.validate(Secret(token), policy: policy))
    }
}
