// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("Updates of OIDAuthState")
struct OIDAuthStateUpdatesOriginalTests {
    @Test(
        "A state is authorized after the code exchange and after a refresh",
        .original("AppAuth OIDAuthStateTests.testCodeFlowLifecycle")
    )
    func codeFlow() throws {
        let response = try CodeFlow.authorization()
        let state = OIDAuthState(authorizationResponse: response)
        #expect(state.lastAuthorizationResponse === response)
        #expect(!state.isAuthorized)
        for _ in 0..<2 {
            let tokens = try CodeFlow.tokens()
            state.update(with: tokens, error: nil)
            #expect(state.lastTokenResponse === tokens)
            #expect(state.isAuthorized)
        }
    }

    @Test(
        "The last authorization response is used without unwrapping it",
        .original("AppAuth OIDAuthState.h lastAuthorizationResponse")
    )
    func lastAuthorizationResponse() throws {
        let state: OIDAuthState? = try CodeFlow.state()
        let endpoint = state?.lastAuthorizationResponse.request.configuration.discoveryDocument?.userinfoEndpoint
        #expect(endpoint?.absoluteString == "https://server.example/userinfo")
        #expect(state?.lastAuthorizationResponse.tokenExchangeRequest() != nil)
    }

    @Test(
        "An authorization error ends the authorization",
        .original("AppAuth OIDAuthStateTests.testErrorState")
    )
    func ends() throws {
        let state = try CodeFlow.state()
        state.update(withAuthorizationError: CodeFlow.invalidGrant)
        #expect(!state.isAuthorized)
        #expect((state.authorizationError as NSError?) === CodeFlow.invalidGrant)
    }

    @Test(
        "An authorization error of any kind is passed to both delegates, the change first",
        .original("AppAuth OIDAuthStateTests.testErrorDelegates"),
        arguments: [(OIDOAuthTokenErrorDomain, -10), (OIDOAuthTokenErrorDomain, -9), ("app", 7)]
    )
    func notifies(domain: String, code: Int) throws {
        let (state, calls) = (try CodeFlow.state(), DelegateCalls())
        calls.observe(state)
        state.update(withAuthorizationError: NSError(domain: domain, code: code))
        #expect(calls.names == ["change", "end \(code)"])
    }

    @Test("Each update calls the change delegate once", .original("AppAuth OIDAuthStateTests.testStateChangeDelegates"))
    func changes() throws {
        let (state, calls) = (try CodeFlow.state(), DelegateCalls())
        calls.observe(state)
        state.update(with: try CodeFlow.authorization(), error: nil)
        #expect(calls.names == ["change"])
        state.update(with: try CodeFlow.tokens(), error: nil)
        #expect(calls.names == ["change", "change"])
        state.update(with: try Samples.registrationResponse())
        #expect(calls.names == ["change", "change", "change"])
    }

    @Test(
        "A new authorization response replaces the previous tokens and error",
        .original("AppAuth OIDAuthStateTests.testUpdateWithAuthorizationResponseSuccess"),
        arguments: [("narrow", "narrow"), (nil, "openid email")] as [(String?, String)]
    )
    func authorizationResponse(scope: String?, expected: String) throws {
        let state = try CodeFlow.state()
        state.update(withAuthorizationError: CodeFlow.invalidGrant)
        var parameters: [String: Any] = ["code": "code-2"]
        parameters["scope"] = scope
        let response = try CodeFlow.authorization(parameters)
        state.update(with: response, error: nil)
        #expect(state.lastAuthorizationResponse === response)
        #expect(state.lastTokenResponse == nil)
        #expect(state.refreshToken == nil)
        #expect(state.authorizationError == nil)
        #expect(state.scope == expected)
    }

    @Test(
        "An error of the authorization endpoint ends the authorization",
        .original("AppAuth OIDAuthStateTests.testUpdateWithAuthorizationResponseOAuthError")
    )
    func authorizationError() throws {
        let (state, calls) = (try CodeFlow.state(), DelegateCalls())
        calls.observe(state)
        state.update(with: nil as OIDAuthorizationResponse?, error: CodeFlow.accessDenied)
        #expect((state.authorizationError as NSError?) === CodeFlow.accessDenied)
        #expect(!state.isAuthorized)
        #expect(calls.names == ["change", "end -4"])
    }

    @Test(
        "Any other error is ignored if there is no authorization response",
        .original("AppAuth OIDAuthStateTests.testUpdateWithAuthorizationResponseTransientError"),
        arguments: [CodeFlow.offline, CodeFlow.invalidGrant]
    )
    func ignoredAuthorizationError(error: NSError) throws {
        let (state, calls) = (try CodeFlow.state(), DelegateCalls())
        calls.observe(state)
        state.update(with: nil as OIDAuthorizationResponse?, error: error)
        #expect(state.authorizationError == nil)
        #expect(state.isAuthorized)
        #expect(calls.names.isEmpty)
    }

    @Test(
        "An error of the authorization endpoint takes precedence over a response",
        .original("AppAuth OIDAuthStateTests.testUpdateWithAuthorizationResponseBothSuccessAndError")
    )
    func authorizationResponseAndError() throws {
        let state = try CodeFlow.state()
        let response = try CodeFlow.authorization()
        state.update(with: response, error: CodeFlow.accessDenied)
        #expect(state.authorizationError != nil)
        #expect(state.lastAuthorizationResponse !== response)
    }

    @Test(
        "A response takes precedence over any other error",
        .original("AppAuth OIDAuthState.h updateWithAuthorizationResponse:error:")
    )
    func responseAndTransientError() throws {
        let state = try CodeFlow.state()
        let (response, tokens) = (try CodeFlow.authorization(), try CodeFlow.tokens())
        state.update(with: response, error: CodeFlow.offline)
        #expect(state.lastAuthorizationResponse === response)
        state.update(with: tokens, error: CodeFlow.offline)
        #expect(state.lastTokenResponse === tokens)
        #expect(state.authorizationError == nil)
    }

    @Test(
        "A token response without a refresh token and scope keeps the previous ones",
        .original("AppAuth OIDAuthStateTests.testUpdateWithTokenResponseSuccess")
    )
    func tokenResponse() throws {
        let state = try CodeFlow.state()
        let tokens = try CodeFlow.tokens(["access_token": "access-2"])
        state.update(with: tokens, error: nil)
        #expect(state.lastTokenResponse === tokens)
        #expect(state.refreshToken == "refresh-1")
        #expect(state.scope == "openid email")
        #expect(state.isAuthorized)
        #expect(state.authorizationError == nil)
    }

    @Test(
        "A token response with a refresh token and scope replaces the previous ones",
        .original("AppAuth OIDAuthState.m updateWithTokenResponse:error:")
    )
    func rotatedTokenResponse() throws {
        let state = try CodeFlow.state()
        state.update(with: try CodeFlow.tokens(["refresh_token": "refresh-2", "scope": "openid"]), error: nil)
        #expect(state.refreshToken == "refresh-2")
        #expect(state.scope == "openid")
    }

    @Test(
        "An error of the token endpoint ends the authorization, whatever its code and even with a response",
        .original("AppAuth OIDAuthStateTests.testUpdateWithTokenResponseOAuthError"),
        arguments: [-10, -9],
        [false, true]
    )
    func tokenError(code: Int, hasResponse: Bool) throws {
        let (state, calls) = (try CodeFlow.state(), DelegateCalls())
        calls.observe(state)
        let tokens = hasResponse ? try CodeFlow.tokens() : nil
        state.update(with: tokens, error: NSError(domain: OIDOAuthTokenErrorDomain, code: code))
        #expect(!state.isAuthorized)
        #expect((state.authorizationError as NSError?)?.code == code)
        #expect(calls.names == ["change", "end \(code)"])
    }

    @Test(
        "Any other error is ignored if there is no token response",
        .original("AppAuth OIDAuthStateTests.testUpdateWithTokenResponseTransientError"),
        arguments: [CodeFlow.offline, CodeFlow.accessDenied]
    )
    func ignoredTokenError(error: NSError) throws {
        let (state, calls) = (try CodeFlow.state(), DelegateCalls())
        calls.observe(state)
        let tokens = state.lastTokenResponse
        state.update(with: nil as OIDTokenResponse?, error: error)
        #expect(state.isAuthorized)
        #expect(state.authorizationError == nil)
        #expect(state.lastTokenResponse === tokens)
        #expect(calls.names.isEmpty)
    }

    @Test(
        "A successful token response makes an ended authorization valid again",
        .original("AppAuth OIDAuthState.m updateWithTokenResponse:error:")
    )
    func recovers() throws {
        let state = try CodeFlow.state()
        state.update(withAuthorizationError: CodeFlow.invalidGrant)
        state.update(with: try CodeFlow.tokens(), error: nil)
        #expect(state.authorizationError == nil)
        #expect(state.isAuthorized)
    }

    @Test(
        "An ended authorization stays ended after an update without a response",
        .original("AppAuth OIDAuthState.m updateWithTokenResponse:error:"),
        arguments: [nil, CodeFlow.offline]
    )
    func staysEnded(error: NSError?) throws {
        let state = try CodeFlow.state()
        state.update(withAuthorizationError: CodeFlow.invalidGrant)
        state.update(with: nil as OIDTokenResponse?, error: error)
        #expect((state.authorizationError as NSError?) === CodeFlow.invalidGrant)
        #expect(!state.isAuthorized)
    }
}
