// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("GIDSignIn restoration and sign-out", .timeLimit(.minutes(1)))
struct GIDRestoringTests {
    @Test(
        "Does not restore a user outside the configured domain",
        arguments: [("example.com", true), ("corp.example", false)]
    )
    func hostedDomain(domain: String, isRestored: Bool) async throws {
        let program = try Program(storesMultipleAccounts: true)
        _ = try await program.signedIn()
        let configuration = GIDConfiguration(clientID: ScriptedProvider.clientID, hostedDomain: domain)
        let google = try program.restarted(configuration).google
        #expect(try await google.previousUsers().isEmpty == !isRestored)
        let code = await code { try await google.restorePreviousSignIn() }
        #expect(code == (isRestored ? nil : .hasNoAuthInKeychain))
        #expect((google.currentUser == nil) == !isRestored)
    }

    @Test("Restores a user without a request while the token is valid for ten minutes")
    func restores() async throws {
        let program = try Program()
        program.issueProfiles()
        let user = try await program.signedIn()
        let next = try program.restarted()
        #expect(next.google.currentUser == nil)
        #expect(next.google.hasPreviousSignIn())
        _ = program.network.takeRequests()
        let restored = try await next.google.restorePreviousSignIn()
        #expect(restored.userID == user.userID)
        #expect(restored.accessToken.isEqual(to: user.accessToken))
        #expect(next.google.currentUser === restored)
        #expect(program.network.requests.isEmpty)
    }

    @Test("Refreshes and saves a token that expires within ten minutes")
    func refreshes() async throws {
        let program = try Program()
        let before = try await program.signedIn().accessToken
        program.network.clock.advance(by: .seconds(3_100))
        let restored = try await program.restarted().google.restorePreviousSignIn()
        #expect(!restored.accessToken.isEqual(to: before))
        #expect(program.network.refreshes.count == 1)
        #expect(try await program.restarted().google.restorePreviousSignIn().accessToken == restored.accessToken)
    }

    @Test("Does not refresh a token early in the background")
    func background() async throws {
        let program = try Program()
        let before = try await program.signedIn().accessToken
        program.network.clock.advance(by: .seconds(3_100))
        var runtime = program.network.runtime
        runtime.suspension = ProcessSuspension(isInBackground: { true }, begin: { _, _ in {} })
        let signIn = SignIn(
            try program.network.provider,
            runtime: runtime,
            store: program.store,
            userAgent: program.network.userAgent()
        )
        let restored = try await GIDSignIn(signIn: signIn).restorePreviousSignIn()
        #expect(restored.accessToken.isEqual(to: before))
        #expect(program.network.refreshes.isEmpty)
        program.expire()
        let later = try await GIDSignIn(signIn: signIn).restorePreviousSignIn()
        #expect(!later.accessToken.isEqual(to: before))
        #expect(program.network.refreshes.count == 1)
    }

    @Test("Restores a user while offline")
    func offline() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        program.expire()
        program.network.intercept("/token") { _ in throw TransportError(.cannotConnect) }
        let restored = try await program.restarted().google.restorePreviousSignIn()
        #expect(restored.userID == "ada")
        #expect(await code { try await restored.refreshTokensIfNeeded() } == .unknown)
        program.network.intercept("/token", nil)
        #expect(await code { try await restored.refreshTokensIfNeeded() } == nil)
    }

    @Test("Restores no user without a session or after a revocation")
    func noSession() async throws {
        let program = try Program()
        #expect(await code { try await program.google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
        _ = try await program.signedIn()
        program.expire()
        program.network.revokeEverything()
        let next = try program.restarted()
        #expect(await code { try await next.google.restorePreviousSignIn() } == .sessionEnded)
        #expect(next.google.currentUser == nil)
        #expect(!next.google.hasPreviousSignIn())
    }

    @Test("Restores no user after a sign-out")
    func signOut() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        program.google.signOut()
        #expect(program.google.currentUser == nil)
        #expect(!program.google.hasPreviousSignIn())
        try await program.untilSessionsAreRemoved()
        #expect(await code { try await program.restarted().google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
    }

    @Test("Removes the stored session on sign-out before a restore")
    func signOutAtStart() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        let next = try program.restarted()
        next.google.signOut()
        try await program.untilSessionsAreRemoved()
    }

    @Test("Cancels a pending sign-in on sign-out")
    func signOutMeanwhile() async throws {
        let program = try Program()
        let (google, network) = (program.google, program.network)
        let slow = Presenter(
            ScriptedUserAgent { url in
                google.signOut()
                return [try network.consent(to: url)]
            }
        )
        #expect(await code { try await google.signIn(withPresenting: slow) } == .canceled)
        #expect(google.currentUser == nil)
        #expect(try await program.store.list().isEmpty)
    }

    @Test("Keeps the user who signed in again while an earlier sign-in was pending")
    func signedInMeanwhile() async throws {
        let program = try Program()
        let (google, network) = (program.google, program.network)
        let slow = Presenter(
            ScriptedUserAgent { url in
                google.signOut()
                _ = try await program.signedIn()
                return [try network.consent(to: url)]
            }
        )
        #expect(await code { try await google.signIn(withPresenting: slow) } == .canceled)
        let user = try #require(google.currentUser)
        #expect(user.session.ended == nil)
        #expect(try await program.store.list() == [user.session.account])
    }

    @Test("Revokes the newest refresh token by POST and signs out on disconnect")
    func disconnect() async throws {
        let program = try Program()
        let refreshToken = try await program.signedIn().refreshToken.tokenString
        try await program.google.disconnect()
        let request = try #require(program.network.requests("/revoke").first)
        #expect(request.head.method == .post)
        #expect(request.head.path == "/revoke")
        #expect(request.formValue("token") == refreshToken)
        #expect(program.google.currentUser == nil)
        #expect(!program.google.hasPreviousSignIn())
    }

    @Test("Keeps the user signed in if the revocation fails and allows a retry")
    func disconnectFails() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        program.network.intercept("/revoke") { _ in throw TransportError(.cannotConnect) }
        #expect(await code { try await program.google.disconnect() } == .unknown)
        #expect(program.google.currentUser != nil)
        #expect(program.google.hasPreviousSignIn())
        program.network.intercept("/revoke", nil)
        #expect(await code { try await program.google.disconnect() } == nil)
        #expect(program.google.currentUser == nil)
    }

    @Test("Removes the user if the access has already been revoked")
    func revokedBefore() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        program.network.intercept("/revoke") { _ in .json(#"{"error":"invalid_token"}"#, status: .badRequest) }
        try await program.google.disconnect()
        #expect(program.google.currentUser == nil)
    }

    @Test("Does nothing on disconnect if no user is signed in")
    func disconnectWithoutUser() async throws {
        let program = try Program()
        #expect(await code { try await program.google.disconnect() } == nil)
        #expect(program.network.requests("/revoke").isEmpty)
    }

    @Test("Keeps several accounts and restores the selected one")
    func several() async throws {
        let program = try Program(storesMultipleAccounts: true)
        for subject in ["ada", "bob"] {
            try await program.google.signIn(withPresenting: program.presenter(as: subject))
            program.network.clock.advance(by: .seconds(1))
        }
        let users = try await program.google.previousUsers()
        #expect(users.map(\.userID) == ["bob", "ada"])
        try await program.google.makeCurrent(try #require(users.last))
        #expect(try await program.restarted().google.restorePreviousSignIn().userID == "ada")
        program.google.signOut()
        while try await program.store.list().count > 1, !Task.isCancelled { await Task.yield() }
        #expect(try await program.google.previousUsers().map(\.userID) == ["bob"])
    }
}
