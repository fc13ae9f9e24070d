// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Secret redaction in grants without a browser")
struct CanaryGrantTests {
    @Test(
        "Leaks no client credentials with any client authentication method",
        .covers(124),
        arguments: ClientAuthentication.allCases
    )
    func authentication(_ method: ClientAuthentication) async throws {
        let run = try CanaryRun()
        try await run.outputs.watching {
            let client = try run.client(authentication: method)
            run.outputs.record(client)
            try await run.exercise("/token") {
                try await client.send(TokenRequest.clientCredentials(scopes: ["read"]))
            }
        }
        run.expectTraces([("token", "client_credentials")])
        let proof: Set<String> =
            switch method {
            case .clientSecretPost: ["client_secret"]
            case .clientSecretBasic: ["authorization"]
            case .clientSecretJWT, .privateKeyJWT: ["client_assertion"]
            case .publicClient, .tlsClientAuth, .selfSignedTLSClientAuth: []
            }
        run.expectNoSecret(proof.union(["access_token"]))
    }

    @Test("Leaks no secret of a token exchange, a JWT bearer grant or an extension grant", .covers(124))
    func grants() async throws {
        let run = try CanaryRun()
        let secrets = ["subject", "actor", "assertion"].map { CanaryEndpoints.secret($0) }
        try await run.outputs.watching {
            let client = try run.client()
            // One secret is a prefix of another.
            let actor = secrets[0] + "-and-of-the-actor"
            let access = TokenTypeIdentifier(rawValue: "urn:ietf:params:oauth:token-type:access_token")
            let exchange = TokenRequest.tokenExchange(
                subject: SecurityToken(Secret(secrets[0]), type: access),
                actor: SecurityToken(Secret(actor), type: access)
            )
            let claims = TokenAssertion(issuer: "a", subject: nil, audience: ScriptedProvider.issuer)
            let signed = try claims.signed(by: run.assertionKey, runtime: run.runtime())
            let bearer = TokenRequest.jwtBearer(assertion: signed)
            let custom = try TokenRequest.extensionGrant("urn:example:otp", parameters: ["otp_ticket": secrets[2]])
            for request in [exchange, bearer, custom] {
                run.outputs.record(request)
                run.outputs.record(try request.message(for: client))
                try await run.exercise("/token") { try await client.send(request) }
            }
            let source = CredentialTokenSource.jwtBearer(
                try run.provider(),
                assertion: claims,
                signedBy: run.assertionKey,
                runtime: run.runtime(),
                logger: run.outputs.logger
            )
            run.outputs.record(source)
            try await run.exercise("/token", toleratedFaults: 99) {
                run.network.clock.advance(by: .seconds(3_600))
                return try await source.accessToken()
            }
        }
        run.expectTraces([
            ("token", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("token", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("token", "urn:example:otp"),
        ])
        run.expectNoSecret(["subject_token", "actor_token", "assertion", "otp_ticket", "access_token"])
    }

    @Test("Leaks no secret of a device sign-in", .covers(124))
    func device() async throws {
        let run = try CanaryRun()
        try await run.outputs.watching {
            let signIn = try run.signIn(advancesClock: true)
            func session() async throws -> OAuthSession {
                try await signIn.signInOnDevice(scopes: [.openID]) { run.outputs.record($0) }
            }
            try await run.exercise("/device", session)
            try await run.exercise("/token", isPolled: true, toleratedFaults: 2, session)
        }
        run.expectTraces([
            ("device_authorization", nil), ("token", "urn:ietf:params:oauth:grant-type:device_code"),
        ])
        run.expectNoSecret(["device_code", "access_token", "refresh_token", "id_token"])
    }

    @Test("Leaks no secret of a backchannel authentication", .covers(124))
    func backchannel() async throws {
        let run = try CanaryRun()
        let secrets = ["hint", "user-code", "login-hint"].map { CanaryEndpoints.secret($0) }
        try await run.outputs.watching {
            let client = try run.client(advancesClock: true)
            for hint: BackchannelAuthenticationRequest.Hint in [
                .idTokenHint(Secret(secrets[0])), .loginHintToken(Secret(secrets[2])),
            ] {
                let request = BackchannelAuthenticationRequest(
                    scopes: [.openID],
                    hint: hint,
                    userCode: Secret(secrets[1])
                )
                run.outputs.record(request)
                func tokens() async throws -> TokenResponse {
                    let response = try await client.send(request)
                    run.outputs.record(response)
                    return try await client.tokens(for: response)
                }
                try await run.exercise("/ciba", tokens)
                try await run.exercise("/token", isPolled: true, toleratedFaults: 2, tokens)
            }
        }
        run.expectTraces([("backchannel_authentication", nil), ("token", "urn:openid:params:grant-type:ciba")])
        run.expectNoSecret(["auth_req_id", "id_token_hint", "login_hint_token", "user_code", "id_token"])
    }
}
