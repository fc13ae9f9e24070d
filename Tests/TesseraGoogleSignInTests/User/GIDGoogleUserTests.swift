// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGoogleSignIn
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("GIDGoogleUser")
struct GIDGoogleUserTests {
    @Test("Reports the granted scopes and adds scopes to the same user")
    func addScopes() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        #expect(user.grantedScopes == ["openid", "email", "profile"])
        let presenter = program.presenter()
        let result = try await user.addScopes([Program.drive], presenting: presenter)
        #expect(result.user === user)
        #expect(user.grantedScopes?.last == Program.drive)
        #expect(presenter.userAgent.parameter("scope") == "openid email profile \(Program.drive)")
        #expect(presenter.userAgent.parameter("login_hint") == "ada@example.com")
    }

    @Test("Keeps the granted scopes if the user declines additional ones")
    func unticked() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        let presenter = program.presenter(granting: [.openID, .email, .profile])
        try await user.addScopes([Program.drive], presenting: presenter)
        #expect(user.grantedScopes == ["openid", "email", "profile"])
    }

    @Test("Rejects scopes that are already granted, in either spelling")
    func alreadyGranted() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        let alias = ["https://www.googleapis.com/auth/userinfo.email"]
        let presenter = program.presenter()
        #expect(await code { try await user.addScopes(alias, presenting: presenter) } == .scopesAlreadyGranted)
    }

    @Test("Rejects the response of another account and keeps the user's tokens")
    func mismatch() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        let token = user.accessToken
        let other = program.presenter(as: "bob")
        #expect(await code { try await user.addScopes([Program.drive], presenting: other) } == .mismatchWithCurrentUser)
        #expect(user.accessToken == token)
        #expect(user.grantedScopes?.contains(Program.drive) == false)
        #expect(program.google.currentUser === user)
    }

    @Test("Rejects additional scopes for a user who is no longer current")
    func formerUser() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        program.google.signOut()
        let presenter = program.presenter()
        #expect(
            await code { try await user.addScopes([Program.drive], presenting: presenter) } == .mismatchWithCurrentUser
        )
        #expect(presenter.userAgent.authorizationURLs.isEmpty)
    }

    @Test("Repeats the claims of the sign-in when it adds scopes")
    func claims() async throws {
        let program = try Program()
        let user = try await program.google.signIn(withPresenting: program.presenter(), claims: [.authTime()]).user
        let presenter = program.presenter()
        try await user.addScopes([Program.drive], presenting: presenter)
        #expect(presenter.userAgent.parameter("claims") == #"{"id_token":{"auth_time":{"essential":false}}}"#)
    }

    @Test("Refreshes expiring tokens once for all callers")
    func refresh() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        let before = user.accessToken
        program.network.clock.advance(by: .seconds(3_500))
        try await user.refreshTokensIfNeeded()
        #expect(user.accessToken == before)
        program.network.clock.advance(by: .seconds(50))
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await user.refreshTokensIfNeeded() } }
            try await group.waitForAll()
        }
        #expect(user.accessToken != before)
        #expect(program.network.refreshes.count == 1)
        #expect(try await program.restarted().google.restorePreviousSignIn().accessToken == user.accessToken)
    }

    @Test("Refreshes an expired ID token once even if the access token is valid")
    func idToken() async throws {
        var options = ScriptedProvider.Options()
        options.tokenLifetime = 100_000
        let program = try Program(options)
        let user = try await program.signedIn()
        let before = try #require(user.idToken)
        program.expire()
        try await user.refreshTokensIfNeeded()
        #expect(user.idToken != before)
        #expect(program.network.refreshes.count == 1)
        program.expire()
        program.network.options.idTokens = { _, _ in nil }
        for _ in 0..<3 { try await user.refreshTokensIfNeeded() }
        #expect(program.network.refreshes.count == 2)
    }

    @Test("Reports an expired refresh token without a request")
    func refreshTokenExpired() async throws {
        let program = try Program()
        program.network.options.additionalTokenMembers = [:]
        let user = try await program.signedIn()
        #expect(user.refreshToken.expirationDate == nil)
        try await program.store.update(user.session.account) { entry in
            guard var record = try await entry.load() else { return }
            record.history.refreshTokenExpiresAt = program.network.clock.date.addingTimeInterval(600)
            try await entry.save(record)
        }
        program.network.clock.advance(by: .seconds(601))
        let restored = try await program.restarted().google.restorePreviousSignIn()
        program.expire()
        _ = program.network.takeRequests()
        #expect(await code { try await restored.refreshTokensIfNeeded() } == .refreshTokenExpired)
        #expect(program.network.refreshes.isEmpty)
    }

    @Test("Completes the profile from userinfo and tolerates its failure")
    func profile() async throws {
        let program = try Program()
        program.network.intercept("/userinfo") { _ in
            .json(
                #"{"sub":"ada","name":"Ada L","given_name":"Ada","picture":"https://lh3.googleusercontent.com/a/x=s96-c"}"#
            )
        }
        let profile = try #require(try await program.signedIn().profile)
        #expect(profile.email == "ada@example.com")
        #expect(profile.name == "Ada L")
        #expect(profile.givenName == "Ada")
        #expect(profile.familyName == nil)
        #expect(profile.hasImage)
        #expect(
            profile.imageURL(withDimension: 200)?.absoluteString == "https://lh3.googleusercontent.com/a/x=s200"
        )
        program.network.intercept("/userinfo") { _ in throw TransportError(.timedOut) }
        #expect(try await program.signedIn().profile?.email == "ada@example.com")
    }

    @Test("Ignores user information of another user")
    func foreignProfile() async throws {
        let program = try Program()
        program.network.intercept("/userinfo") { _ in .json(#"{"sub":"bob","name":"Bob"}"#) }
        #expect(try await program.signedIn().profile?.name == "")
    }

    @Test("Shows no token in descriptions and dumps of users and results")
    func isHidden() async throws {
        var options = ScriptedProvider.Options()
        options.additionalTokenMembers = ["server_code": "secret-code"]
        let program = try Program(options)
        let result = try await program.google.signIn(withPresenting: program.presenter())
        let user = result.user
        let values: [Any] = [result, user, user.accessToken, user.refreshToken, user.idToken as Any, program.google]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [String(describing: value), String(reflecting: value), dumped] {
                #expect(!text.contains(program.network.marker), "\(type(of: value))")
                #expect(!text.contains("eyJ"), "\(type(of: value))")
            }
        }
    }
}
