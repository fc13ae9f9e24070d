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
    @Test("Tells what was granted, and asks for more in place")
    func addScopes() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        #expect(user.grantedScopes == ["openid", "email", "profile"])
        let person = program.person()
        let result = try await user.addScopes([Program.drive], presenting: person)
        #expect(result.user === user)
        #expect(user.grantedScopes?.last == Program.drive)
        #expect(person.userAgent.parameter("scope") == "openid email profile \(Program.drive)")
        #expect(person.userAgent.parameter("login_hint") == "ada@example.com")
    }

    @Test("What the person unticks is missing afterwards, and what was granted stays")
    func unticked() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        let person = program.person(granting: [.openID, .email, .profile])
        try await user.addScopes([Program.drive], presenting: person)
        #expect(user.grantedScopes == ["openid", "email", "profile"])
    }

    @Test("Scopes that are granted are not asked for again, in either spelling")
    func alreadyGranted() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        let alias = ["https://www.googleapis.com/auth/userinfo.email"]
        #expect(await code { try await user.addScopes(alias, presenting: program.person()) } == .scopesAlreadyGranted)
    }

    @Test("Another account's answer is refused, and this user keeps what it had")
    func mismatch() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        let token = user.accessToken
        let other = program.person(as: "bob")
        #expect(await code { try await user.addScopes([Program.drive], presenting: other) } == .mismatchWithCurrentUser)
        #expect(user.accessToken == token)
        #expect(user.grantedScopes?.contains(Program.drive) == false)
        #expect(program.google.currentUser === user)
    }

    @Test("A user who is not the current one any more is not asked")
    func formerUser() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        program.google.signOut()
        let person = program.person()
        #expect(
            await code { try await user.addScopes([Program.drive], presenting: person) } == .mismatchWithCurrentUser
        )
        #expect(person.userAgent.authorizationURLs.isEmpty)
    }

    @Test("Claims of the sign-in are asked for again with more scopes")
    func claims() async throws {
        let program = try Program()
        let user = try await program.google.signIn(withPresenting: program.person(), claims: [.authTime()]).user
        let person = program.person()
        try await user.addScopes([Program.drive], presenting: person)
        #expect(person.userAgent.parameter("claims") == #"{"id_token":{"auth_time":null}}"#)
    }

    @Test("Tokens with more than a minute left are left alone; then one request serves however many ask")
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

    @Test("An ID token that ends is refreshed though the access token is good, once where Google sends none")
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

    @Test("A grant that has ended by time is an error of its own, without a request")
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

    @Test("The profile is the ID token's, completed by what Google says about the person; nobody waits for it in vain")
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

    @Test("Somebody else's user information is not taken")
    func foreignProfile() async throws {
        let program = try Program()
        program.network.intercept("/userinfo") { _ in .json(#"{"sub":"bob","name":"Bob"}"#) }
        #expect(try await program.signedIn().profile?.name == "")
    }

    @Test("No description and no dump of anything shows a token")
    func isHidden() async throws {
        var options = ScriptedProvider.Options()
        options.additionalTokenMembers = ["server_code": "secret-code"]
        let program = try Program(options)
        let result = try await program.google.signIn(withPresenting: program.person())
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
