// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("OIDAuthState")
struct OIDAuthStateTests {
    @Test("Returns a fresh token and refreshes a stale one once for all callers")
    func refreshesOnce() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let state = try await program.state()
            let first = try await state.fresh(program.proof)
            #expect(first != nil)
            #expect(first == state.lastTokenResponse?.accessToken)
            #expect(program.network.refreshes.isEmpty)
            program.expire()
            let proof = program.proof
            let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<40 { group.addTask { try await state.fresh(proof) } }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(!tokens.contains(first))
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test("Refreshes a token that expires within a minute or is marked for refresh")
    func due() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let state = try await program.state()
            program.network.clock.advance(by: .seconds(3_539))
            _ = try await state.fresh(program.proof)
            #expect(program.network.refreshes.isEmpty)
            program.network.clock.advance(by: .seconds(1))
            _ = try await state.fresh(program.proof)
            #expect(program.network.refreshes.count == 1)
            state.setNeedsTokenRefresh()
            _ = try await state.fresh(program.proof)
            #expect(program.network.refreshes.count == 2)
        }
    }

    @Test("Uses a token without an expiration date until it is marked for refresh")
    func withoutEnd() async throws {
        var options = ScriptedProvider.Options()
        options.tokenLifetime = nil
        let program = try AppAuthProgram(options)
        try await program.run {
            let state = try await program.state()
            program.expire()
            for _ in 0..<3 { _ = try await state.fresh(program.proof) }
            #expect(program.network.refreshes.isEmpty)
            state.setNeedsTokenRefresh()
            for _ in 0..<3 { _ = try await state.fresh(program.proof) }
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test("Keeps the scope, refresh token and ID token that a refresh omits")
    func keeps() async throws {
        var options = ScriptedProvider.Options()
        options.rotatesRefreshTokens = false
        let program = try AppAuthProgram(options)
        try await program.run {
            let state = try await program.state()
            let refreshToken = state.refreshToken
            program.network.options.includesScopes = false
            program.network.options.idTokens = { _, _ in nil }
            for _ in 0..<2 {
                program.expire()
                _ = try await state.fresh(program.proof)
            }
            #expect(state.refreshToken == refreshToken)
            #expect(state.scope == "openid email")
            #expect(state.isAuthorized)
            let archive = try NSKeyedArchiver.archivedData(withRootObject: state, requiringSecureCoding: true)
            let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDAuthState.self, from: archive))
            for state in [state, copy] {
                let idToken = try await withCheckedThrowingContinuation { continuation in
                    state.performAction(
                        freshTokens: { _, idToken, error in
                            continuation.resume(with: error.map { .failure($0) } ?? .success(idToken))
                        },
                        dispatchQueue: DispatchQueue(label: "action")
                    )
                }
                #expect(idToken != nil)
            }
        }
    }

    @Test("Reports a transient failure, stays authorized and refreshes on the next call")
    func transient() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let state = try await program.state()
            let listener = Listener()
            state.errorDelegate = listener
            program.expire()
            program.network.intercept("/token") { _ in throw TransportError(.timedOut) }
            let failed = await failure { try await state.fresh(program.proof) }
            #expect(failed?.domain == OIDGeneralErrorDomain)
            #expect(failed?.code == OIDErrorCode.networkError.rawValue)
            program.network.intercept("/token") { _ in
                .json(#"{"error":"temporarily_unavailable"}"#, status: .tooManyRequests)
            }
            let busy = await failure { try await state.fresh(program.proof) }
            #expect(busy?.domain == OIDGeneralErrorDomain)
            #expect(busy?.code == OIDErrorCode.serverError.rawValue)
            #expect(state.isAuthorized)
            #expect(listener.failures == 2)
            #expect(listener.ends == 0)
            program.network.intercept("/token", nil)
            #expect(try await state.fresh(program.proof) != nil)
        }
    }

    @Test("Ends the authorization once after a revoked grant and sends no more requests")
    func revoked() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let state = try await program.state()
            let listener = Listener()
            state.errorDelegate = listener
            state.stateChangeDelegate = listener
            program.expire()
            program.network.revokeEverything()
            let failed = await failure { try await state.fresh(program.proof) }
            #expect(failed?.domain == OIDOAuthTokenErrorDomain)
            #expect(failed?.code == OIDErrorCodeOAuthToken.invalidGrant.rawValue)
            #expect(!state.isAuthorized)
            #expect(listener.ends == 1)
            #expect(listener.changes == 1)
            _ = await failure { try await state.fresh(program.proof) }
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test("Throws if a stale state has no refresh token")
    func noRefreshToken() async throws {
        var options = ScriptedProvider.Options()
        options.issuesRefreshTokens = false
        let program = try AppAuthProgram(options)
        try await program.run {
            let state = try await program.state()
            #expect(state.tokenRefreshRequest() == nil)
            program.expire()
            let failed = await failure { try await state.fresh(program.proof) }
            #expect(failed?.code == OIDErrorCode.tokenRefreshError.rawValue)
        }
    }

    @Test("Restores a state from an archive and continues refreshing")
    func archive() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let state = try await program.state()
            let copy = try AppAuthArchive.unarchive(OIDAuthState.self, from: AppAuthArchive.archive(state))
            #expect(copy.refreshToken == state.refreshToken)
            #expect(copy.scope == state.scope)
            #expect(copy.isAuthorized)
            #expect(copy.lastTokenResponse?.accessToken == state.lastTokenResponse?.accessToken)
            program.expire()
            #expect(try await copy.fresh(program.proof) != nil)
            copy.update(withAuthorizationError: NSError(domain: OIDOAuthTokenErrorDomain, code: -10))
            let ended = try AppAuthArchive.unarchive(OIDAuthState.self, from: AppAuthArchive.archive(copy))
            #expect(!ended.isAuthorized)
            #expect(ended.authorizationError != nil)
        }
    }

    @Test("Shows no token in descriptions and dumps of the state")
    func isHidden() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let state = try await program.state()
            var dumped = ""
            dump(state, to: &dumped)
            for text in [state.description, state.debugDescription, "\(state)", dumped] {
                #expect(!text.contains(program.network.marker))
                #expect(!text.contains("eyJ"))
            }
        }
    }
}
