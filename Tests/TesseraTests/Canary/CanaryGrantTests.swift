// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Secrets of grants without a browser")
struct CanaryGrantTests {
    @Test(
        "No secret of a client is in anything that comes out, by whatever it proves itself",
        .covers(124),
        arguments: ClientAuthentication.allCases
    )
    func authentication(_ method: ClientAuthentication) async throws {
        let run = try CanaryRun()
        try await run.outputs.watching {
            let client = try run.client(authentication: method)
            run.outputs.take(client)
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

    @Test("No secret of a grant is in anything that comes out: exchange, assertion, an extension's own", .covers(124))
    func grants() async throws {
        let run = try CanaryRun()
        let secrets = ["subject", "actor", "assertion"].map { CanaryEndpoints.secret($0) }
        try await run.outputs.watching {
            let client = try run.client()
            // One secret is the beginning of another.
            let actor = secrets[0] + "-and-of-the-actor"
            let access = TokenTypeIdentifier(rawValue: "urn:ietf:params:oauth:token-type:access_token")
            let exchange = TokenRequest.tokenExchange(
                subject: SecurityToken(Secret(secrets[0]), type: access),
                actor: SecurityToken(Secret(actor), type: access)
            )
            let claims = TokenAssertion(issuer: "a", subject: nil, audience: ScriptedProvider.issuer)
            let signed = try claims.signed(by: run.assertionKey, runtime: run.runtime())
            let bearer = TokenRequest.jwtBearer(assertion: signed)
            let own = try TokenRequest.extensionGrant("urn:example:otp", parameters: ["otp_ticket": secrets[2]])
            for request in [exchange, bearer, own] {
                run.outputs.take(request)
                run.outputs.take(try request.message(for: client))
                try await run.exercise("/token") { try await client.send(request) }
            }
            let source = GrantTokenSource.jwtBearer(
                try run.provider(),
                assertion: claims,
                signedBy: run.assertionKey,
                runtime: run.runtime(),
                logger: run.outputs.logger
            )
            run.outputs.take(source)
            try await run.exercise("/token", swallows: 99) {
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

    @Test("No secret of a sign-in on another device is in anything that comes out", .covers(124))
    func device() async throws {
        let run = try CanaryRun()
        try await run.outputs.watching {
            let signIn = try run.signIn(isImpatient: true)
            func session() async throws -> OAuthSession {
                try await signIn.signInOnDevice(scopes: [.openID]) { run.outputs.take($0) }
            }
            try await run.exercise("/device", session)
            try await run.exercise("/token", isPolled: true, swallows: 2, session)
        }
        run.expectTraces([
            ("device_authorization", nil), ("token", "urn:ietf:params:oauth:grant-type:device_code"),
        ])
        run.expectNoSecret(["device_code", "access_token", "refresh_token", "id_token"])
    }

    @Test("No secret of a backchannel authentication is in anything that comes out", .covers(124))
    func backchannel() async throws {
        let run = try CanaryRun()
        let secrets = ["hint", "user-code", "login-hint"].map { CanaryEndpoints.secret($0) }
        try await run.outputs.watching {
            let client = try run.client(isImpatient: true)
            for hint: BackchannelAuthenticationRequest.Hint in [
                .idTokenHint(Secret(secrets[0])), .loginHintToken(Secret(secrets[2])),
            ] {
                let request = BackchannelAuthenticationRequest(
                    scopes: [.openID],
                    hint: hint,
                    userCode: Secret(secrets[1])
                )
                run.outputs.take(request)
                func tokens() async throws -> TokenResponse {
                    let question = try await client.send(request)
                    run.outputs.take(question)
                    return try await client.tokens(for: question)
                }
                try await run.exercise("/ciba", tokens)
                try await run.exercise("/token", isPolled: true, swallows: 2, tokens)
            }
        }
        run.expectTraces([("backchannel_authentication", nil), ("token", "urn:openid:params:grant-type:ciba")])
        run.expectNoSecret(["auth_req_id", "id_token_hint", "login_hint_token", "user_code", "id_token"])
    }
}
