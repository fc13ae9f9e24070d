// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import Tessera
@testable internal import TesseraGoogleSignIn
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Refreshes as in GoogleSignIn")
struct GIDRefreshingOriginalTests {
    private static func program(tokenLifetime: Int64 = 3_600) throws -> Program {
        var options = ScriptedProvider.Options()
        options.tokenLifetime = tokenLifetime
        return try Program(options)
    }

    @Test(
        "Refreshes once if one of the tokens has expired",
        .original("GoogleSignIn GIDGoogleUserTest.testRefreshTokensIfNeeded (refresh_givenBothTokensExpired)"),
        arguments: [(3_600, 3_610), (600, 610), (100_000, 3_610)] as [(Int64, Int)]
    )
    func expired(tokenLifetime: Int64, seconds: Int) async throws {
        let program = try Self.program(tokenLifetime: tokenLifetime)
        let user = try await program.signedIn()
        let (access, id) = (user.accessToken, user.idToken)
        program.network.clock.advance(by: .seconds(seconds))
        #expect(try await user.refreshTokensIfNeeded() === user)
        #expect(program.network.refreshes.count == 1)
        #expect(user.accessToken != access)
        #expect(user.idToken != id)
    }

    @Test(
        "Sends nothing if both tokens are valid",
        .original("GoogleSignIn GIDGoogleUserTest.testRefreshTokensIfNeeded (noRefresh_givenBothTokensNotExpired)")
    )
    func valid() async throws {
        let program = try Self.program()
        let user = try await program.signedIn()
        let access = user.accessToken
        program.network.clock.advance(by: .seconds(3_000))
        _ = program.network.takeRequests()
        #expect(try await user.refreshTokensIfNeeded() === user)
        #expect(program.network.requests.isEmpty)
        #expect(user.accessToken === access)
    }

    @Test(
        "Refreshes a token that expires in less than 60 seconds",
        .original("GoogleSignIn GIDGoogleUser.m kMinimalTimeToExpire"),
        arguments: [(3_600, 70, 0), (3_600, 61, 0), (3_600, 59, 1), (3_600, 1, 1), (200, 62, 0), (200, 58, 1)]
            as [(Int64, Int64, Int)]
    )
    func threshold(tokenLifetime: Int64, remaining: Int64, refreshes: Int) async throws {
        let program = try Self.program(tokenLifetime: tokenLifetime)
        let user = try await program.signedIn()
        program.network.clock.advance(by: .seconds(tokenLifetime - remaining))
        try await user.refreshTokensIfNeeded()
        #expect(program.network.refreshes.count == refreshes)
    }

    @Test(
        "Calls the handler with the user after the call has returned",
        .original("GoogleSignIn GIDGoogleUser.h refreshTokensIfNeededWithCompletion:")
    )
    func handler() async throws {
        let program = try Self.program()
        let user = try await program.signedIn()
        let queue = DispatchQueue(label: "handlers")
        program.google.callbackQueue = queue
        queue.suspend()
        let refreshed = await withCheckedContinuation { continuation in
            user.refreshTokensIfNeeded { continuation.resume(returning: $1 == nil ? $0 : nil) }
            queue.resume()
        }
        #expect(refreshed === user)
    }

    @Test(
        "Keeps the previous ID token if the response has none",
        .original("GoogleSignIn GIDGoogleUserTest.testRefreshTokens_refresh_givenBothTokensExpired_NoNewIDToken")
    )
    func noNewIDToken() async throws {
        let program = try Self.program()
        let user = try await program.signedIn()
        let id = try #require(user.idToken)
        program.network.options.idTokens = { _, _ in nil }
        program.expire()
        try await user.refreshTokensIfNeeded()
        #expect(user.idToken === id)
    }

    @Test(
        "Keeps the granted scopes if the response names none",
        .original("GoogleSignIn GIDGoogleUser.m grantedScopes")
    )
    func noScope() async throws {
        let program = try Self.program()
        let user = try await program.signedIn()
        let scopes = try #require(user.grantedScopes)
        #expect(!scopes.isEmpty)
        program.network.options.includesScopes = false
        program.expire()
        try await user.refreshTokensIfNeeded()
        #expect(program.network.refreshes.count == 1)
        #expect(user.grantedScopes == scopes)
    }

    @Test(
        "Leaves the tokens unchanged if the refresh fails",
        .original("GoogleSignIn GIDGoogleUserTest.testRefreshTokensIfNeeded (noRefresh_givenRefreshErrors)")
    )
    func failure() async throws {
        let program = try Self.program()
        let user = try await program.signedIn()
        let (access, refresh, id) = (user.accessToken, user.refreshToken, try #require(user.idToken))
        program.expire()
        program.network.intercept("/token") { _ in throw TransportError(.cannotConnect) }
        #expect(await code { try await user.refreshTokensIfNeeded() } == .unknown)
        #expect(user.accessToken === access)
        #expect(user.refreshToken === refresh)
        #expect(user.idToken === id)
    }

    @Test(
        "Does not refresh with a refresh token that has expired",
        .original("GoogleSignIn GIDGoogleUser.m refreshTokensIfNeededWithCompletion:"),
        arguments: [(3_000, nil), (3_610, .refreshTokenExpired)] as [(Int, GIDSignInError.Code?)]
    )
    func expiredRefreshToken(seconds: Int, expected: GIDSignInError.Code?) async throws {
        let program = try Self.program()
        program.network.options.additionalTokenMembers = ["refresh_token_expires_in": "2000"]
        let user = try await program.signedIn()
        program.network.clock.advance(by: .seconds(seconds))
        #expect(await code { try await user.refreshTokensIfNeeded() } == expected)
        #expect(program.network.refreshes.isEmpty)
    }

    @Test(
        "Uses an access token without a lifetime for an hour",
        .original("GoogleSignIn GIDGoogleUser.m refreshTokensIfNeededWithCompletion:")
    )
    func noLifetime() async throws {
        let program = try Program()
        program.network.options.tokenLifetime = nil
        let user = try await program.signedIn()
        for _ in 0..<3 { try await user.refreshTokensIfNeeded() }
        #expect(program.network.refreshes.isEmpty)
    }

    @Test(
        "Sends the server's client ID, but not the realm, with each refresh",
        .original("GoogleSignIn GIDGoogleUser.m refreshTokensIfNeededWithCompletion:")
    )
    func parameters() async throws {
        let configuration = GIDConfiguration(
            clientID: ScriptedProvider.clientID,
            serverClientID: "server",
            openIDRealm: "https://example.com"
        )
        let program = try Program(configuration: configuration)
        program.issue([
            JSONMember(name: "aud", value: "server"),
            JSONMember(name: "azp", value: .string(ScriptedProvider.clientID)),
        ])
        let user = try await program.signedIn()
        program.expire()
        try await user.refreshTokensIfNeeded()
        let request = try #require(program.network.refreshes.first)
        #expect(request.formValue("audience") == "server")
        #expect(request.formValue("openid.realm") == nil)
    }

    @Test(
        "Does not change the profile, even if the new ID token has fewer claims",
        .original("GoogleSignIn GIDGoogleUser.m refreshTokensIfNeededWithCompletion:")
    )
    func profile() async throws {
        let program = try Self.program()
        program.issueProfiles()
        let user = try await program.signedIn()
        let profile = try #require(user.profile)
        program.network.options.idTokens = nil
        program.expire()
        try await user.refreshTokensIfNeeded()
        #expect(program.network.refreshes.count == 1)
        #expect(user.profile === profile)
        #expect(user.profile?.givenName == "Ada")
        #expect(user.profile?.familyName == "Lovelace")
    }

    @Test(
        "Uses a new refresh token for the next refresh and after a restart",
        .original("AppAuth OIDAuthState.m updateWithTokenResponse:error:")
    )
    func rotation() async throws {
        let program = try Self.program()
        let user = try await program.signedIn()
        let first = user.refreshToken.tokenString
        program.expire()
        try await user.refreshTokensIfNeeded()
        let second = user.refreshToken.tokenString
        #expect(second != first)
        program.expire()
        try await program.restarted().google.restorePreviousSignIn()
        #expect(program.network.refreshes.map { $0.formValue("refresh_token") } == [first, second])
    }
}
