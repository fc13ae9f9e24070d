// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Refresh of an OIDAuthState", .timeLimit(.minutes(1)))
struct OIDAuthStateRefreshOriginalTests {
    @Test(
        "Concurrent actions share one refresh, and each is called on its own queue",
        .original("AppAuth OIDAuthState.m performActionWithFreshTokens:additionalRefreshParameters:dispatchQueue:")
    )
    func sharedRefresh() async throws {
        let program = try AppAuthProgram.withoutSecret()
        let key = DispatchSpecificKey<Int>()
        try await program.run {
            let state = try await program.state()
            program.expire()
            let results = await withTaskGroup(of: (number: Int?, token: String?).self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let queue = DispatchQueue(label: "action \(number)")
                        queue.setSpecific(key: key, value: number)
                        return await withCheckedContinuation { continuation in
                            state.performAction(
                                freshTokens: { token, _, _ in
                                    continuation.resume(returning: (DispatchQueue.getSpecific(key: key), token))
                                },
                                dispatchQueue: queue
                            )
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(results.map(\.number)) == Set(0..<20))
            #expect(Set(results.map(\.token)) == [state.lastTokenResponse?.accessToken])
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test(
        "A shared refresh uses the additional parameters of the first caller",
        .original("AppAuth OIDAuthState.m performActionWithFreshTokens:additionalRefreshParameters:dispatchQueue:")
    )
    func firstParameters() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state()
            program.expire()
            let (arrival, gate) = (Gate(), Gate())
            program.network.intercept("/token") { _ in
                arrival.open()
                await gate.wait()
                return nil
            }
            async let first = state.arguments(["caller": "first"])
            await arrival.wait()
            async let second = state.arguments(["caller": "second"])
            gate.open()
            let tokens = await [first.accessToken, second.accessToken]
            #expect(tokens[0] == tokens[1])
            #expect(program.network.refreshes.map { $0.formValue("caller") } == ["first"])
        }
    }

    @Test(
        "A refresh sends the refresh token and the client, but no scope, code or redirect URI",
        .original("AppAuth OIDAuthState.m tokenRefreshRequestWithAdditionalParameters:")
    )
    func parameters() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state()
            let refreshToken = state.refreshToken
            program.expire()
            _ = await state.arguments(["A": "1"])
            let request = try #require(program.network.refreshes.first)
            #expect(request.formValue("grant_type") == "refresh_token")
            #expect(request.formValue("refresh_token") == refreshToken)
            #expect(request.formValue("client_id") == ScriptedProvider.clientID)
            #expect(request.formValue("A") == "1")
            for name in ["scope", "code", "redirect_uri", "code_verifier"] {
                #expect(request.formValue(name) == nil, "\(name)")
            }
        }
    }

    @Test(
        "A refresh authenticates a client that has a secret with HTTP Basic",
        .original("AppAuth OIDTokenRequest.m URLRequest")
    )
    func basicAuthentication() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state(["refresh_token": "refresh-1"], clientSecret: "client-secret")
            program.issueTokens()
            #expect(await state.arguments().accessToken == "access-2")
            let request = try #require(program.network.refreshes.first)
            let credentials = Data("\(ScriptedProvider.clientID):client-secret".utf8).base64EncodedString()
            #expect(request.head.headerFields[.authorization] == "Basic \(credentials)")
            #expect(request.formValue("client_secret") == nil)
        }
    }

    @Test(
        "A successful refresh calls the change delegate once, on the main queue, before the action",
        .original("AppAuth OIDAuthState.m performActionWithFreshTokens:additionalRefreshParameters:dispatchQueue:")
    )
    func notifiesBeforeAction() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let (state, calls) = (try await program.state(), DelegateCalls())
            calls.observe(state)
            let before = state.lastTokenResponse
            program.expire()
            let names = await withCheckedContinuation { continuation in
                state.performAction(
                    freshTokens: { _, _, _ in continuation.resume(returning: calls.names) },
                    dispatchQueue: DispatchQueue(label: "action")
                )
            }
            #expect(names == ["change"])
            #expect(calls.areOnMainQueue == [true])
            #expect(state.lastTokenResponse !== before)
            #expect(state.lastTokenResponse?.request.grantType == OIDGrantTypeRefreshToken)
        }
    }

    @Test(
        "A network error during a refresh is reported as transient on the main queue, and the next action refreshes",
        .original("AppAuth OIDAuthState.m performActionWithFreshTokens:additionalRefreshParameters:dispatchQueue:")
    )
    func networkError() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let (state, calls) = (try await program.state(), DelegateCalls())
            calls.observe(state)
            program.expire()
            program.network.intercept("/token") { _ in throw TransportError(.timedOut) }
            let failed = await state.arguments()
            #expect(failed.error?.domain == OIDGeneralErrorDomain)
            #expect(failed.error?.code == OIDErrorCode.networkError.rawValue)
            #expect(calls.names == ["failure -5"])
            #expect(calls.areOnMainQueue == [true])
            #expect(state.isAuthorized)
            #expect(state.authorizationError == nil)
            program.network.intercept("/token", nil)
            #expect(await state.arguments().accessToken != nil)
            #expect(calls.names == ["failure -5", "change"])
        }
    }

    @Test(
        "A failed refresh passes only the error to the action, not the expired tokens",
        .original("AppAuth OIDAuthState.m performActionWithFreshTokens:additionalRefreshParameters:dispatchQueue:")
    )
    func noStaleTokens() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state()
            program.expire()
            program.network.intercept("/token") { _ in throw TransportError(.timedOut) }
            let failed = await state.arguments()
            #expect(failed.accessToken == nil)
            #expect(failed.idToken == nil)
            #expect(failed.error != nil)
        }
    }

    @Test(
        "A rejected refresh token ends the authorization and calls the delegates on the main queue",
        .original("AppAuth OIDAuthState.m performActionWithFreshTokens:additionalRefreshParameters:dispatchQueue:")
    )
    func invalidGrant() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let (state, calls) = (try await program.state(), DelegateCalls())
            calls.observe(state)
            program.expire()
            program.network.revokeEverything()
            let failed = await state.arguments()
            #expect(failed.accessToken == nil)
            #expect(failed.idToken == nil)
            #expect(failed.error?.domain == OIDOAuthTokenErrorDomain)
            #expect(failed.error?.code == OIDErrorCodeOAuthToken.invalidGrant.rawValue)
            #expect((state.authorizationError as NSError?)?.code == OIDErrorCodeOAuthToken.invalidGrant.rawValue)
            #expect(!state.isAuthorized)
            #expect(calls.names == ["change", "end -10"])
            #expect(calls.areOnMainQueue == [true, true])
        }
    }

    @Test(
        "A refresh that fails because of the client or a busy server does not end the authorization",
        .original("AppAuth OIDAuthState.m performActionWithFreshTokens:additionalRefreshParameters:dispatchQueue:"),
        arguments: [("invalid_client", 401), ("temporarily_unavailable", 429)]
    )
    func otherOAuthError(code: String, status: Int) async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let (state, calls) = (try await program.state(), DelegateCalls())
            calls.observe(state)
            program.expire()
            program.network.intercept("/token") { _ in .json(#"{"error":"\#(code)"}"#, status: .init(code: status)) }
            #expect(await state.arguments().error != nil)
            #expect(state.isAuthorized)
            #expect(state.authorizationError == nil)
            #expect(calls.names.count == 1)
            #expect(calls.names.first?.hasPrefix("failure") == true)
        }
    }

    @Test(
        "An ended authorization reports its error without a request, even if it has a refresh token",
        .original("AppAuth OIDAuthState.m performActionWithFreshTokens:additionalRefreshParameters:dispatchQueue:")
    )
    func ended() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state()
            state.update(withAuthorizationError: CodeFlow.invalidGrant)
            let failed = await state.arguments()
            #expect(failed.accessToken == nil)
            #expect(failed.error === CodeFlow.invalidGrant)
            #expect(state.refreshToken != nil)
            #expect(program.network.refreshes.isEmpty)
        }
    }

    @Test(
        "A refresh with an expired ID token keeps only the new refresh token",
        .original("AppAuth OIDAuthorizationService.m performTokenRequest:originalAuthorizationResponse:callback:")
    )
    func expiredIDToken() async throws {
        let program = try AppAuthProgram.withoutSecret()
        let network = program.network
        network.options.idTokens = { claims, isRefresh in
            let expired = claims.map { $0.name == "exp" && isRefresh ? JSONMember(name: "exp", value: 1) : $0 }
            return try network.sign(expired)
        }
        try await program.run {
            let (state, calls) = (try await program.state(), DelegateCalls())
            calls.observe(state)
            let (tokens, refreshToken) = (state.lastTokenResponse, state.refreshToken)
            program.expire()
            let failed = await state.arguments()
            #expect(failed.error?.code == OIDErrorCode.idTokenFailedValidationError.rawValue)
            #expect(failed.accessToken == nil)
            #expect(state.lastTokenResponse === tokens)
            #expect(state.refreshToken != refreshToken)
            #expect(state.isAuthorized)
            #expect(calls.names == ["change", "failure -15"])
        }
    }
}
