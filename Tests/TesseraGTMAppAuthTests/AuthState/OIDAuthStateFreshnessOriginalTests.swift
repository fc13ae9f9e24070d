// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import TesseraGTMAppAuth
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Freshness of an OIDAuthState's tokens", .timeLimit(.minutes(1)))
struct OIDAuthStateFreshnessOriginalTests {
    @Test(
        "An action gets fresh tokens without a request",
        .original("AppAuth OIDAuthStateTests.testIsTokenFreshWithFreshToken")
    )
    func fresh() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state()
            let arguments = await state.arguments()
            #expect(arguments.accessToken == state.lastTokenResponse?.accessToken)
            #expect(arguments.idToken == state.lastTokenResponse?.idToken)
            #expect(arguments.accessToken != nil)
            #expect(arguments.idToken != nil)
            #expect(arguments.error == nil)
            #expect(program.network.refreshes.isEmpty)
        }
    }

    @Test(
        "A token that expires at once is refreshed",
        .original("AppAuth OIDAuthStateTests.testIsTokenFreshWithExpiredToken")
    )
    func expired() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state(
                ["access_token": "access-1", "refresh_token": "refresh-1", "expires_in": 0]
            )
            program.issueTokens()
            #expect(await state.arguments().accessToken == "access-2")
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test(
        "A token is refreshed when it expires within one minute",
        .original("AppAuth OIDAuthState.m isTokenFresh"),
        arguments: [(61, 0), (60, 1)]
    )
    func margin(secondsLeft: Int, refreshes: Int) async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state()
            program.network.clock.advance(by: .seconds(3_600 - secondsLeft))
            _ = await state.arguments()
            #expect(program.network.refreshes.count == refreshes)
        }
    }

    @Test(
        "An access token without an expiration date is always fresh",
        .original("AppAuth OIDAuthStateTests.testIsTokenFreshHandlesTokenWithoutExpirationTime")
    )
    func noExpirationDate() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state(["access_token": "access-1", "refresh_token": "refresh-1"])
            program.network.clock.advance(by: .seconds(1_000_000_000))
            #expect(await state.arguments().accessToken == "access-1")
            #expect(program.network.refreshes.isEmpty)
        }
    }

    @Test(
        "A requested refresh happens once, even if the token is fresh",
        .original("AppAuth OIDAuthStateTests.testIsTokenFreshRespectsTokenRefreshOverride")
    )
    func requestedRefresh() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state()
            let before = state.lastTokenResponse?.accessToken
            state.setNeedsTokenRefresh()
            let after = await state.arguments().accessToken
            #expect(after != before)
            #expect(await state.arguments().accessToken == after)
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test(
        "An ID token without an access token is fresh until the expiration date",
        .original("AppAuth OIDAuthState.m isTokenFresh")
    )
    func onlyIDToken() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state(
                ["id_token": "id-1", "refresh_token": "refresh-1", "expires_in": 3_600]
            )
            let arguments = await state.arguments()
            #expect(arguments.accessToken == nil)
            #expect(arguments.idToken == "id-1")
            #expect(arguments.error == nil)
            #expect(program.network.refreshes.isEmpty)
            program.issueTokens()
            program.expire()
            #expect(await state.arguments().accessToken == "access-2")
        }
    }

    @Test(
        "A requested refresh happens after an update with a token response, too",
        .original("AppAuth OIDAuthState.m setNeedsTokenRefresh")
    )
    func requestedRefreshAfterUpdate() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state()
            state.setNeedsTokenRefresh()
            state.update(with: state.lastTokenResponse, error: nil)
            _ = await state.arguments()
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test(
        "A refresh that was requested before a new sign-in does not happen",
        .original("AppAuth OIDAuthState.m setNeedsTokenRefresh")
    )
    func requestedRefreshBeforeSignIn() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state()
            state.setNeedsTokenRefresh()
            let signedIn = try await program.state(["access_token": "access-3"])
            state.update(with: signedIn.lastAuthorizationResponse, error: nil)
            state.update(with: signedIn.lastTokenResponse, error: nil)
            let arguments = await state.arguments()
            #expect(arguments.accessToken == "access-3")
            #expect(arguments.error == nil)
            #expect(program.network.refreshes.isEmpty)
        }
    }

    @Test(
        "An action is called on the main queue after performAction returns, even if the token is fresh",
        .original("AppAuth OIDAuthState.m performActionWithFreshTokens:")
    )
    func mainQueue() async throws {
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state()
            let events = await MainActor.run {
                let events = AsyncStream.makeStream(of: String.self)
                state.performAction { _, _, _ in
                    events.continuation.yield(MainQueue.isCurrent ? "main" : "other")
                    events.continuation.finish()
                }
                events.continuation.yield("returned")
                return events.stream
            }
            #expect(await events.reduce(into: []) { $0.append($1) } == ["returned", "main"])
        }
    }

    @Test(
        "An action is called on the given queue",
        .original("AppAuth OIDAuthState.h performActionWithFreshTokens:additionalRefreshParameters:dispatchQueue:")
    )
    func queue() async throws {
        let program = try AppAuthProgram.withoutSecret()
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "action")
        queue.setSpecific(key: key, value: true)
        try await program.run {
            let state = try await program.state()
            let isOnQueue = await withCheckedContinuation { continuation in
                state.performAction(
                    freshTokens: { _, _, _ in
                        continuation.resume(returning: DispatchQueue.getSpecific(key: key))
                    },
                    dispatchQueue: queue
                )
            }
            #expect(isOnQueue == true)
        }
    }

    @Test(
        "An expired token without a refresh token is an error that no delegate gets",
        .original("AppAuth OIDAuthState.m performActionWithFreshTokens:")
    )
    func noRefreshToken() async throws {
        let program = try AppAuthProgram.withoutSecret { $0.issuesRefreshTokens = false }
        try await program.run {
            let (state, calls) = (try await program.state(), DelegateCalls())
            calls.observe(state)
            program.expire()
            let arguments = await state.arguments()
            #expect(arguments.accessToken == nil)
            #expect(arguments.idToken == nil)
            #expect(arguments.error?.domain == OIDGeneralErrorDomain)
            #expect(arguments.error?.code == OIDErrorCode.tokenRefreshError.rawValue)
            #expect(calls.names.isEmpty)
            #expect(state.isAuthorized)
        }
    }
}
