// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("OIDAuthState.authState(byPresenting:)", .timeLimit(.minutes(1)))
struct OIDAuthStatePresentingOriginalTests {
    /// A presented request whose code is exchanged.
    private struct SignIn {
        let request: OIDAuthorizationRequest
        let states = Outcomes<OIDAuthState>()
        let flow: any OIDExternalUserAgentSession
        let page: String

        init(_ program: AppAuthProgram, responseType: String = OIDResponseTypeCode) async throws {
            self.request = OIDAuthorizationRequest(
                configuration: try await program.configuration(),
                clientId: ScriptedProvider.clientID,
                scopes: ["openid", "email"],
                redirectURL: program.url("com.example.app:/callback"),
                responseType: responseType,
                additionalParameters: nil
            )
            self.page = self.request.authorizationRequestURL().absoluteString
            self.flow = OIDAuthState.authState(
                byPresenting: self.request,
                externalUserAgent: RecordingAgent(),
                callback: self.states.take
            )
        }

        func resume(_ redirect: String) throws -> Bool {
            self.flow.resumeExternalUserAgentFlow(with: try Samples.url(redirect))
        }
    }

    @Test(
        "A sign-in exchanges the code and returns a state with verified tokens",
        .original("AppAuth OIDAuthState.m authStateByPresentingAuthorizationRequest:externalUserAgent:callback:")
    )
    func codeFlow() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let signIn = try await SignIn(program)
            #expect(try signIn.resume(try program.network.consent(to: signIn.page)))
            let state = try await signIn.states.next()
            #expect(state.isAuthorized)
            #expect(state.lastTokenResponse?.idToken != nil)
            #expect(state.lastAuthorizationResponse.request === signIn.request)
        }
    }

    @Test(
        "A sign-in fails if the ID token has another nonce than the request",
        .original("AppAuth OIDRPProfileCode.testRP_nonce_invalid")
    )
    func nonce() async throws {
        let program = try AppAuthProgram.withoutSecret()
        let network = program.network
        network.options.idTokens = { claims, _ in
            try network.sign(claims.map { $0.name == "nonce" ? JSONMember(name: "nonce", value: "other") : $0 })
        }
        try await program.run {
            let signIn = try await SignIn(program)
            #expect(try signIn.resume(try network.consent(to: signIn.page)))
            let error = await signIn.states.error()
            #expect(error?.code == OIDErrorCode.idTokenFailedValidationError.rawValue)
        }
    }

    @Test(
        "A failed exchange is reported with the domain of the token endpoint",
        .original("AppAuth OIDAuthState.m authStateByPresentingAuthorizationRequest:externalUserAgent:callback:")
    )
    func failedExchange() async throws {
        let program = try AppAuthProgram.withoutSecret()
        program.network.intercept("/token") { _ in .json(#"{"error":"invalid_grant"}"#, status: .badRequest) }
        try await program.run {
            let signIn = try await SignIn(program)
            #expect(try signIn.resume(try program.network.consent(to: signIn.page)))
            let error = await signIn.states.error()
            #expect(error?.domain == OIDOAuthTokenErrorDomain)
            #expect(error?.code == OIDErrorCodeOAuthToken.invalidGrant.rawValue)
        }
    }

    @Test(
        "A denied authorization is reported without an exchange",
        .original("AppAuth OIDAuthState.m authStateByPresentingAuthorizationRequest:externalUserAgent:callback:")
    )
    func denied() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let signIn = try await SignIn(program)
            #expect(try signIn.resume(try program.network.denial(of: signIn.page)))
            let error = await signIn.states.error()
            #expect(error?.domain == OIDOAuthAuthorizationErrorDomain)
            #expect(error?.code == OIDErrorCodeOAuthAuthorization.accessDenied.rawValue)
            #expect(program.network.requests("/token").isEmpty)
        }
    }

    @Test(
        "A cancellation after the redirect has no effect, and the result of the exchange is reported",
        .original("AppAuth OIDAuthState.m authStateByPresentingAuthorizationRequest:externalUserAgent:callback:")
    )
    func canceledDuringExchange() async throws {
        let program = try AppAuthProgram.withoutSecret()
        let (arrival, gate) = (Gate(), Gate())
        program.network.intercept("/token") { _ in
            arrival.open()
            await gate.wait()
            return nil
        }
        try await program.run {
            let signIn = try await SignIn(program)
            #expect(try signIn.resume(try program.network.consent(to: signIn.page)))
            await arrival.wait()
            signIn.flow.cancel()
            gate.open()
            #expect(try await signIn.states.next().isAuthorized)
            #expect(signIn.states.count == 1)
        }
    }

    @Test(
        "The hybrid flow returns a state with only the authorization response",
        .original("AppAuth OIDAuthState.m authStateByPresentingAuthorizationRequest:externalUserAgent:callback:")
    )
    func hybrid() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let signIn = try await SignIn(program, responseType: "code id_token")
            let now = Int64(program.network.clock.date.timeIntervalSince1970)
            let hash = try #require(TokenHash.compute(of: "the-code", algorithm: .es256))
            let idToken = try program.network.sign([
                JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)),
                JSONMember(name: "sub", value: "ada"),
                JSONMember(name: "aud", value: .string(ScriptedProvider.clientID)),
                JSONMember(name: "iat", value: .integer(now)),
                JSONMember(name: "exp", value: .integer(now + 3_600)),
                JSONMember(name: "nonce", value: .string(try #require(signIn.request.nonce))),
                JSONMember(name: "c_hash", value: .string(hash)),
            ])
            let state = try #require(signIn.request.state)
            let redirect = "com.example.app:/callback#code=the-code&id_token=\(idToken)&state=\(state)"
            #expect(try signIn.resume(redirect))
            let result = try await signIn.states.next()
            #expect(result.lastAuthorizationResponse.authorizationCode == "the-code")
            #expect(result.lastAuthorizationResponse.idToken == idToken)
            #expect(result.lastTokenResponse == nil)
            #expect(program.network.requests("/token").isEmpty)
        }
    }
}
