// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Concurrent use of an OIDAuthState", .timeLimit(.minutes(5)))
struct OIDAuthStateRaceOriginalTests {
    private static let repetitions = 1_000

    /// Runs `first` and `second` at the same time.
    private static func race(
        _ first: @escaping @Sendable () async -> Void,
        _ second: @escaping @Sendable () async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await first() }
            group.addTask { await second() }
        }
    }

    @Test(
        "Any number of callers share one refresh, and each gets its token once",
        .original("AppAuth OIDAuthState.m performActionWithFreshTokens:additionalRefreshParameters:dispatchQueue:")
    )
    func callers() async throws {
        let program = try AppAuthProgram.withoutSecret { $0.idTokens = { _, _ in nil } }
        try await program.run {
            let (state, calls) = (try await program.state(), DelegateCalls())
            calls.observe(state)
            for _ in 0..<Self.repetitions {
                state.setNeedsTokenRefresh()
                let tokens = await withTaskGroup(of: String?.self) { group in
                    for _ in 0..<4 { group.addTask { await state.arguments().accessToken } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(tokens == Array(repeating: state.lastTokenResponse?.accessToken, count: 4))
            }
            #expect(program.network.refreshes.count == Self.repetitions)
            #expect(calls.names == Array(repeating: "change", count: Self.repetitions))
        }
    }

    @Test(
        "An authorization that ends during a refresh stays ended",
        .original("AppAuth OIDAuthState.m updateWithAuthorizationError:")
    )
    func ended() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state(CodeFlow.tokenMembers)
            let tokens = state.lastTokenResponse
            program.issueTokens()
            for _ in 0..<Self.repetitions {
                state.setNeedsTokenRefresh()
                await Self.race {
                    let arguments = await state.arguments()
                    #expect((arguments.accessToken == nil) == (arguments.error != nil))
                } _: {
                    state.update(withAuthorizationError: CodeFlow.invalidGrant)
                }
                #expect(!state.isAuthorized)
                #expect((state.authorizationError as NSError?) === CodeFlow.invalidGrant)
                state.update(with: tokens, error: nil)
            }
        }
    }

    @Test(
        "The result of a refresh never replaces the tokens of a new sign-in",
        .original("AppAuth OIDAuthState.m updateWithTokenResponse:error:"),
        arguments: [true, false]
    )
    func newSignIn(succeeds: Bool) async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state(CodeFlow.tokenMembers)
            let first = state.lastTokenResponse
            let second = try await program.state(["access_token": "access-3", "refresh_token": "refresh-3"])
                .lastTokenResponse
            for _ in 0..<Self.repetitions {
                let (arrival, gate) = (Gate(), Gate())
                program.network.intercept("/token") { _ in
                    arrival.open()
                    await gate.wait()
                    return succeeds
                        ? .json(#"{"access_token":"access-2","token_type":"Bearer","expires_in":3600}"#)
                        : .json(#"{"error":"invalid_grant"}"#, status: 400)
                }
                state.setNeedsTokenRefresh()
                async let arguments = state.arguments()
                await arrival.wait()
                await Self.race {
                    gate.open()
                } _: {
                    state.update(with: second, error: nil)
                }
                _ = await arguments
                #expect(state.refreshToken == "refresh-3")
                #expect(state.lastTokenResponse === second)
                #expect(state.isAuthorized)
                state.update(with: first, error: nil)
            }
        }
    }

    @Test(
        "A delegate can be removed or released during a refresh",
        .original("AppAuth OIDAuthState.h stateChangeDelegate")
    )
    func removedDelegate() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state(CodeFlow.tokenMembers)
            program.issueTokens()
            for repetition in 0..<Self.repetitions {
                let calls = DelegateCalls()
                var released: DelegateCalls? = DelegateCalls()
                state.stateChangeDelegate = calls
                state.errorDelegate = released
                state.setNeedsTokenRefresh()
                async let arguments = state.arguments()
                released = nil
                if repetition.isMultiple(of: 2) { state.stateChangeDelegate = nil }
                #expect(await arguments.accessToken == "access-2")
                #expect(calls.names.count <= 1)
                #expect(state.errorDelegate == nil)
                if !repetition.isMultiple(of: 2) { #expect(calls.names == ["change"]) }
            }
        }
    }

    @Test(
        "A refresh that is requested during actions happens once",
        .original("AppAuth OIDAuthState.m setNeedsTokenRefresh")
    )
    func requestedRefresh() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state(CodeFlow.tokenMembers)
            program.issueTokens()
            for _ in 0..<Self.repetitions {
                _ = program.network.takeRequests()
                await Self.race {
                    #expect(await state.arguments().error == nil)
                } _: {
                    state.setNeedsTokenRefresh()
                }
                // If the first action ended before the request, this one refreshes the tokens.
                #expect(await state.arguments().error == nil)
                #expect(program.network.refreshes.count == 1)
            }
        }
    }
}
