// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("OIDAuthState changes during a refresh", .timeLimit(.minutes(1)))
struct OIDAuthStateChangedTests {
    /// Refreshes a token and delays the response until `change` has run.
    private func refreshing(
        refused: Bool = false,
        _ change: (OIDAuthState, AppAuthProgram) async throws -> Void
    ) async throws -> (state: OIDAuthState, program: AppAuthProgram, listener: Listener, token: String?) {
        let program = try AppAuthProgram()
        let listener = Listener()
        let (arrival, gate) = (Gate(), Gate())
        return try await program.run {
            let state = try await program.state()
            program.expire()
            program.network.intercept("/token") { _ in
                arrival.open()
                await gate.wait()
                return refused ? .json(#"{"error":"invalid_grant"}"#, status: 400) : nil
            }
            let proof = program.proof
            async let token = state.fresh(proof)
            await arrival.wait()
            try await change(state, program)
            state.stateChangeDelegate = listener
            state.errorDelegate = listener
            gate.open()
            return (state, program, listener, try? await token)
        }
    }

    private func signIn(_ state: OIDAuthState, _ program: AppAuthProgram) async throws {
        let consent = try await program.consent()
        let request = try #require(consent.tokenExchangeRequest())
        let tokens = OIDTokenResponse(
            request: request,
            parameters: ["access_token": "access-2", "refresh_token": "refresh-2", "expires_in": 3_600],
            receivedAt: program.network.clock.date
        )
        state.update(with: consent, error: nil)
        state.update(with: tokens, error: nil)
    }

    @Test("Stays unauthorized if the authorization ended during a refresh", .covers(156))
    func ended() async throws {
        let (state, _, listener, token) = try await self.refreshing { state, _ in
            state.update(withAuthorizationError: NSError(domain: "signed out", code: 1))
        }
        #expect(token == nil)
        #expect(!state.isAuthorized)
        #expect((state.authorizationError as NSError?)?.domain == "signed out")
        #expect(listener.changes == 0)
    }

    @Test(
        "Keeps the tokens of a user who signs in during another user's refresh",
        .covers(156),
        arguments: [false, true]
    )
    func changed(refused: Bool) async throws {
        let (state, _, listener, token) = try await self.refreshing(refused: refused) { state, program in
            try await self.signIn(state, program)
        }
        #expect(token == nil)
        #expect(state.refreshToken == "refresh-2")
        #expect(state.lastTokenResponse?.accessToken == "access-2")
        #expect(state.isAuthorized)
        #expect(listener.changes == 0)
        #expect(listener.ends == 0)
    }

    /// Refreshes a token with an ID token from `idTokens` and returns the result.
    private func refreshed(
        _ idTokens: @escaping @Sendable (ScriptedProvider, [JSONMember]) throws -> String
    ) async throws -> (state: OIDAuthState, before: String?, error: NSError?, listener: Listener) {
        let program = try AppAuthProgram()
        let listener = Listener()
        return try await program.run {
            let state = try await program.state()
            state.errorDelegate = listener
            let before = state.refreshToken
            let network = program.network
            network.options.idTokens = { claims, _ in try idTokens(network, claims) }
            program.expire()
            do {
                _ = try await state.fresh(program.proof)
                return (state, before, nil, listener)
            } catch {
                return (state, before, error as NSError, listener)
            }
        }
    }

    @Test(
        "Ends the authorization if a refreshed ID token is for another user or sign-in",
        .covers(95),
        arguments: [("sub", "mallory"), ("nonce", "another"), ("aud", "another"), ("iss", "https://another.example")]
    )
    func anotherUser(name: String, value: String) async throws {
        let (state, before, error, listener) = try await self.refreshed { network, claims in
            let others = claims.filter { $0.name != name }
            return try network.sign(others + [JSONMember(name: name, value: .string(value))])
        }
        #expect(error?.code == OIDErrorCode.idTokenFailedValidationError.rawValue)
        #expect(!state.isAuthorized)
        #expect(state.refreshToken == before)
        #expect(AuthSession(authState: state).userEmail == nil)
        #expect(listener.ends == 1)
    }

    @Test("Saves only the refresh token if the refreshed ID token has a forged signature", .covers(95))
    func forged() async throws {
        let (state, before, error, listener) = try await self.refreshed { network, claims in
            let parts = try network.sign(claims).split(separator: ".")
            let other = try network.sign(claims + [JSONMember(name: "x", value: true)]).split(separator: ".")
            return [parts[0], parts[1], other[2]].joined(separator: ".")
        }
        #expect(error?.code == OIDErrorCode.idTokenFailedValidationError.rawValue)
        #expect(state.isAuthorized)
        #expect(state.refreshToken != before)
        #expect(listener.ends == 0)
        #expect(listener.failures == 1)
    }

    @Test("Keeps the ID token of the sign-in if the keys are unavailable during a refresh")
    func keysOutOfReach() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let state = try await program.state()
            let (refreshToken, idToken) = (state.refreshToken, state.lastTokenResponse?.idToken)
            program.network.intercept("/keys") { _ in throw TransportError(.cannotConnect) }
            program.expire()
            let token = try await state.fresh(program.proof)
            #expect(token == state.lastTokenResponse?.accessToken)
            #expect(state.refreshToken != refreshToken)
            #expect(state.lastTokenResponse?.idToken == nil)
            #expect(idToken != nil)
            #expect(AuthSession(authState: state).userEmail == "ada@example.com")
        }
    }
}
