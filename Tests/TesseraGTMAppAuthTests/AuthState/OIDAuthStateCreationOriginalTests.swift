// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("Creation, registration and delegates of OIDAuthState")
struct OIDAuthStateCreationOriginalTests {
    @Test(
        "A registration replaces the authorization and all tokens",
        .original("AppAuth OIDAuthStateTests.testupdateWithRegistrationResponse")
    )
    func registration() throws {
        let (state, calls) = (try CodeFlow.state(), DelegateCalls())
        state.update(withAuthorizationError: CodeFlow.invalidGrant)
        calls.observe(state)
        let registration = try Samples.registrationResponse()
        state.update(with: registration)
        #expect(state.lastRegistrationResponse === registration)
        #expect(state.lastAuthorizationResponse == nil)
        #expect(state.lastTokenResponse == nil)
        #expect(state.refreshToken == nil)
        #expect(state.scope == nil)
        #expect(state.authorizationError == nil)
        #expect(!state.isAuthorized)
        #expect(calls.names == ["change"])
    }

    @Test(
        "A registration of nil resets the state",
        .original("AppAuth OIDAuthState.m updateWithRegistrationResponse:")
    )
    func noRegistration() throws {
        let state = OIDAuthState(
            authorizationResponse: try CodeFlow.authorization(),
            tokenResponse: try CodeFlow.tokens(),
            registrationResponse: try Samples.registrationResponse()
        )
        let calls = DelegateCalls()
        calls.observe(state)
        state.update(with: nil)
        #expect(state.lastRegistrationResponse == nil)
        #expect(state.lastAuthorizationResponse == nil)
        #expect(state.lastTokenResponse == nil)
        #expect(!state.isAuthorized)
        #expect(calls.names == ["change"])
    }

    @Test(
        "A state keeps the three responses it is created from",
        .original("AppAuth OIDAuthState.m initWithAuthorizationResponse:tokenResponse:registrationResponse:")
    )
    func responses() throws {
        let (response, tokens) = (try CodeFlow.authorization(), try CodeFlow.tokens())
        let registration = try Samples.registrationResponse()
        let state = OIDAuthState(
            authorizationResponse: response,
            tokenResponse: tokens,
            registrationResponse: registration
        )
        #expect(state.lastAuthorizationResponse === response)
        #expect(state.lastTokenResponse === tokens)
        #expect(state.lastRegistrationResponse === registration)
        #expect(state.refreshToken == "refresh-1")
        #expect(state.isAuthorized)
    }

    @Test(
        "A state that is created from a registration is not authorized",
        .original("AppAuth OIDAuthState.m initWithRegistrationResponse:")
    )
    func onlyRegistration() throws {
        let registration = try Samples.registrationResponse()
        let state = OIDAuthState(registrationResponse: registration)
        #expect(state.lastRegistrationResponse === registration)
        #expect(!state.isAuthorized)
    }

    @Test(
        "A token of any kind makes a state authorized, even if it has expired",
        .original("AppAuth OIDAuthState.m isAuthorized"),
        arguments: [
            (["access_token": "access-1"], true), (["id_token": "id-1"], true), (["refresh_token": "refresh-1"], true),
            (["access_token": "access-1", "expires_in": "0"], true), (["token_type": "Bearer"], false),
        ]
    )
    func isAuthorized(parameters: [String: String], expected: Bool) throws {
        let state = try CodeFlow.state(parameters, receivedAt: Date(timeIntervalSince1970: 0))
        #expect(state.isAuthorized == expected)
        state.update(withAuthorizationError: CodeFlow.invalidGrant)
        #expect(!state.isAuthorized)
    }

    @Test("A state does not keep its delegates alive", .original("AppAuth OIDAuthState.h stateChangeDelegate"))
    func weakDelegates() throws {
        let state = try CodeFlow.state()
        var calls: DelegateCalls? = DelegateCalls()
        calls?.observe(state)
        #expect(state.stateChangeDelegate === calls)
        #expect(state.errorDelegate === calls)
        calls = nil
        #expect(state.stateChangeDelegate == nil)
        #expect(state.errorDelegate == nil)
    }

    /// A delegate with mutable state that is not protected, like a view controller.
    private class Screen: NSObject, OIDAuthStateChangeDelegate, OIDAuthStateErrorDelegate {
        var changes = 0
        var errors = 0

        func didChange(_ state: OIDAuthState) { self.changes += 1 }

        func authState(_ state: OIDAuthState, didEncounterAuthorizationError error: any Error) { self.errors += 1 }
    }

    @Test(
        "An object with mutable state that implements only the required methods can be the delegate",
        .original("AppAuth OIDAuthStateErrorDelegate.h authState:didEncounterTransientError:")
    )
    func screen() throws {
        let (state, screen) = (try CodeFlow.state(), Screen())
        state.stateChangeDelegate = screen
        state.errorDelegate = screen
        screen.authState(state, didEncounterTransientError: CodeFlow.offline)
        state.update(withAuthorizationError: CodeFlow.invalidGrant)
        #expect(screen.changes == 1)
        #expect(screen.errors == 1)
    }

    @Test(
        "Requesting a refresh does not call the change delegate",
        .original("AppAuth OIDAuthState.m setNeedsTokenRefresh")
    )
    func setNeedsTokenRefresh() throws {
        let (state, calls) = (try CodeFlow.state(), DelegateCalls())
        calls.observe(state)
        state.setNeedsTokenRefresh()
        #expect(calls.names.isEmpty)
    }

    @Test(
        "Two states are equal only if they are the same object",
        .original("AppAuth OIDAuthState.h OIDAuthState")
    )
    func equality() throws {
        let (response, tokens) = (try CodeFlow.authorization(), try CodeFlow.tokens())
        let state = OIDAuthState(authorizationResponse: response, tokenResponse: tokens)
        #expect(state == state as NSObject)
        #expect(state != OIDAuthState(authorizationResponse: response, tokenResponse: tokens))
    }
}
