// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Refresh requests of OIDAuthState")
struct OIDAuthStateRequestOriginalTests {
    @Test(
        "Without a refresh token there is no refresh request",
        .original(
            "AppAuth OIDAuthStateTests.testThatRefreshTokenExceptionWillBeRaisedForTokenRequestWithAdditionalParameters"
        )
    )
    func noRefreshToken() throws {
        let state = try CodeFlow.state(["access_token": "access-1"])
        #expect(state.tokenRefreshRequest() == nil)
        #expect(state.tokenRefreshRequest(withAdditionalParameters: ["A": "1"]) == nil)
        #expect(state.tokenRefreshRequest(withAdditionalHeaders: ["B": "2"]) == nil)
        #expect(
            state.tokenRefreshRequest(withAdditionalParameters: ["A": "1"], additionalHeaders: ["B": "2"]) == nil
        )
    }

    @Test(
        "A refresh request has the refresh token and the client of the sign-in",
        .original("AppAuth OIDAuthState.m tokenRefreshRequest")
    )
    func request() throws {
        let state = try CodeFlow.state()
        let request = try #require(state.tokenRefreshRequest())
        #expect(request.grantType == OIDGrantTypeRefreshToken)
        #expect(request.refreshToken == "refresh-1")
        #expect(request.clientID == "app")
        #expect(request.clientSecret == "client-secret-1")
        #expect(request.configuration.tokenEndpoint.absoluteString == "https://server.example/token")
        #expect(request.scope == nil)
        #expect(request.authorizationCode == nil)
        #expect(request.redirectURL == nil)
    }

    @Test(
        "A refresh request has the given parameters and headers",
        .original("AppAuth OIDAuthState.m tokenRefreshRequestWithAdditionalParameters:additionalHeaders:")
    )
    func parametersAndHeaders() throws {
        let state = try CodeFlow.state()
        let parameters = state.tokenRefreshRequest(withAdditionalParameters: ["A": "1"])
        #expect(parameters?.additionalParameters == ["A": "1"])
        let headers = state.tokenRefreshRequest(withAdditionalHeaders: ["B": "2"])
        #expect(headers?.additionalHeaders == ["B": "2"])
        let both = state.tokenRefreshRequest(withAdditionalParameters: ["A": "1"], additionalHeaders: ["B": "2"])
        #expect(both?.additionalParameters == ["A": "1"])
        #expect(both?.additionalHeaders == ["B": "2"])
        #expect(both?.refreshToken == "refresh-1")
    }

    @Test(
        "The additional headers of the code exchange are not sent with a refresh",
        .original("AppAuth OIDAuthState.m tokenRefreshRequestWithAdditionalParameters:")
    )
    func headersOfExchange() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let consent = try await program.consent()
            let exchange = try #require(consent.tokenExchangeRequest(additionalHeaders: ["X-Attestation": "once"]))
            let tokens = try await OIDAuthorizationService.perform(exchange, originalAuthorizationResponse: consent)
            let state = OIDAuthState(authorizationResponse: consent, tokenResponse: tokens)
            #expect(state.tokenRefreshRequest()?.additionalHeaders?["X-Attestation"] == nil)
            program.expire()
            #expect(await state.arguments().accessToken != nil)
            let sent = program.network.requests("/token")
                .map { request in request.head.headerFields.contains { $0.name.rawName == "X-Attestation" } }
            #expect(sent == [true, false])
        }
    }

    @Test(
        "A refresh token is sent to the server that issued it, even if the authorization request names another one",
        .original("AppAuth OIDAuthState.m tokenRefreshRequestWithAdditionalParameters:")
    )
    func issuingServer() throws {
        let other = OIDServiceConfiguration(
            authorizationEndpoint: try Samples.url("https://other.example/authorize"),
            tokenEndpoint: try Samples.url("https://other.example/token")
        )
        let exchange = OIDTokenRequest(configuration: other, grantType: OIDGrantTypeAuthorizationCode, clientID: "b")
        let state = OIDAuthState(
            authorizationResponse: try CodeFlow.authorization(),
            tokenResponse: OIDTokenResponse(request: exchange, parameters: CodeFlow.tokenMembers)
        )
        let request = try #require(state.tokenRefreshRequest())
        #expect(request.configuration.tokenEndpoint.absoluteString == "https://other.example/token")
        #expect(request.clientID == "b")
        #expect(request.clientSecret == nil)
    }
}
