// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("OIDAuthorizationService")
struct OIDAuthorizationServiceTests {
    @Test("Discovers the endpoints and rejects a document of another issuer")
    func discovery() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let configuration = try await program.configuration()
            #expect(configuration.tokenEndpoint.absoluteString == "https://id.example/token")
            #expect(configuration.issuer?.absoluteString == ScriptedProvider.issuer)
            program.network.intercept("/.well-known/openid-configuration") { _ in
                .json(AppAuthProgram.document(issuer: "https://evil.example"))
            }
            let failed = await failure { try await program.configuration() }
            #expect(failed?.code == OIDErrorCode.invalidDiscoveryDocument.rawValue)
            program.network.intercept("/.well-known/openid-configuration") { _ in .status(.notFound) }
            #expect(await failure { try await program.configuration() }?.code == OIDErrorCode.networkError.rawValue)
        }
    }

    @Test("Exchanges a code with the app's additional header fields")
    func exchange() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let response = try await program.consent()
            let request = try #require(
                response.tokenExchangeRequest(
                    withAdditionalParameters: program.proof,
                    additionalHeaders: ["X-Program": "1"]
                )
            )
            let tokens = try await OIDAuthorizationService.perform(request, originalAuthorizationResponse: response)
            #expect(tokens.accessToken != nil)
            #expect(tokens.idToken != nil)
            #expect(tokens.refreshToken != nil)
            let sent = try #require(program.network.requests("/token").first)
            #expect(sent.head.headerFields.contains { $0.name.rawName == "X-Program" && $0.value == "1" })
            #expect(sent.formValue("code_verifier") == response.request.codeVerifier)
        }
    }

    @Test(
        "Rejects an ID token with another nonce, audience or issuer",
        arguments: [("nonce", "forged"), ("aud", "other"), ("iss", "https://evil.example")]
    )
    func idTokens(name: String, value: String) async throws {
        let program = try AppAuthProgram()
        let signer = program.network
        signer.options.idTokens = { claims, _ in
            try signer.sign(claims.map { $0.name == name ? .init(name: name, value: .string(value)) : $0 })
        }
        let failed = await program.run { await failure { try await program.state() } }
        #expect(failed?.code == OIDErrorCode.idTokenFailedValidationError.rawValue, "\(name)")
    }

    @Test("Rejects an ID token signed with another key")
    func forgedIDToken() async throws {
        let program = try AppAuthProgram()
        let stranger = try ScriptedProvider()
        program.network.options.idTokens = { claims, _ in try stranger.sign(claims) }
        let failed = await program.run { await failure { try await program.state() } }
        #expect(failed?.code == OIDErrorCode.idTokenFailedValidationError.rawValue)
    }

    @Test("Discovers the keys of the issuer in a manual configuration")
    func byHand() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let known = try await program.configuration()
            let byHand = OIDServiceConfiguration(
                authorizationEndpoint: known.authorizationEndpoint,
                tokenEndpoint: known.tokenEndpoint,
                issuer: known.issuer
            )
            let state = try await program.state()
            let request = OIDTokenRequest(
                configuration: byHand,
                grantType: OIDGrantTypeRefreshToken,
                authorizationCode: nil,
                redirectURL: nil,
                clientID: ScriptedProvider.clientID,
                clientSecret: nil,
                scope: nil,
                refreshToken: state.refreshToken,
                codeVerifier: nil,
                additionalParameters: program.proof
            )
            #expect(try await OIDAuthorizationService.perform(request).idToken != nil)
        }
    }

    @Test("Reports an OAuth error with AppAuth's code and the server's response")
    func refusal() async throws {
        let program = try AppAuthProgram()
        await program.run {
            program.network.intercept("/token") { _ in
                .json(#"{"error":"invalid_client","error_description":"no"}"#, status: .unauthorized)
            }
            do {
                _ = try await program.state()
                Issue.record("The request should have failed.")
            } catch {
                let error = error as NSError
                #expect(error.domain == OIDOAuthTokenErrorDomain)
                #expect(error.code == OIDErrorCodeOAuthToken.invalidClient.rawValue)
                let response = error.userInfo[OIDOAuthErrorResponseErrorKey] as? [String: Any]
                #expect(response?[OIDOAuthErrorFieldErrorDescription] as? String == "no")
            }
        }
    }
}
