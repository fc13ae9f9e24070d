// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Tessera
@testable internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Sign-out and disconnection as in GoogleSignIn", .timeLimit(.minutes(1)))
struct GIDEndingOriginalTests {
    @Test(
        "Signs the user out at once, without a request",
        .original("GoogleSignIn GIDSignInTest.testSignOut")
    )
    func signOut() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        _ = program.network.takeRequests()
        program.google.signOut()
        #expect(program.google.currentUser == nil)
        #expect(!program.google.hasPreviousSignIn())
        #expect(await code { try await program.google.restorePreviousSignIn() } == .hasNoAuthInKeychain)
        #expect(program.network.requests.isEmpty)
    }

    @Test(
        "Removes a stored session that was not restored",
        .original("GoogleSignIn GIDSignIn.m signOut")
    )
    func signOutBeforeRestore() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        let next = try program.restarted()
        try await next.google.signOutAndWait()
        #expect(try await program.store.list().isEmpty)
    }

    @Test(
        "Allows a new sign-in after a sign-out",
        .original("GoogleSignIn GIDSignIn.m signOut")
    )
    func signInAgain() async throws {
        let program = try Program()
        _ = try await program.signedIn()
        program.google.signOut()
        let user = try await program.signedIn()
        #expect(program.google.currentUser === user)
        #expect(try await program.restarted().google.restorePreviousSignIn().userID == "ada")
    }

    @Test(
        "Revokes the refresh token with a POST request and removes the user and the session",
        .original("GoogleSignIn GIDSignInTest.testDisconnect_accessToken")
    )
    func disconnect() async throws {
        let program = try Program()
        let token = try await program.signedIn().refreshToken.tokenString
        program.google.callbackQueue = DispatchQueue(label: "handlers")
        let error = await withCheckedContinuation { continuation in
            program.google.disconnect { continuation.resume(returning: $0) }
        }
        #expect(error == nil)
        #expect(program.google.currentUser == nil)
        #expect(try await program.store.list().isEmpty)
        let request = try #require(program.network.requests("/revoke").first)
        #expect(program.network.requests("/revoke").count == 1)
        #expect(request.head.method == .post)
        #expect(request.formValue("token") == token)
        #expect(request.query.isEmpty)
    }

    @Test(
        "Revokes the access token if there is no refresh token",
        .original("GoogleSignIn GIDSignInTest.testDisconnect_refreshToken")
    )
    func accessTokenOnly() async throws {
        let program = try Program()
        program.network.options.issuesRefreshTokens = false
        let token = try await program.signedIn().accessToken.tokenString
        try await program.google.disconnect()
        #expect(program.network.requests("/revoke").first?.formValue("token") == token)
    }

    @Test(
        "Keeps the user if the revocation fails",
        .original("GoogleSignIn GIDSignInTest.testDisconnect_errors")
    )
    func failure() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        program.network.intercept("/revoke") { _ in .status(.badRequest) }
        #expect(await code { try await program.google.disconnect() } == .unknown)
        #expect(program.network.requests("/revoke").count == 1)
        #expect(program.google.currentUser === user)
        #expect(try program.restarted().google.hasPreviousSignIn())
    }

    @Test(
        "Revokes a stored session that was not restored",
        .original("GoogleSignIn GIDSignInTest.testDisconnect_accessToken")
    )
    func storedSession() async throws {
        let program = try Program()
        let token = try await program.signedIn().refreshToken.tokenString
        let next = try program.restarted()
        try await next.google.disconnect()
        #expect(program.network.requests("/revoke").first?.formValue("token") == token)
        #expect(try await program.store.list().isEmpty)
    }

    @Test(
        "Sends nothing if there is no token",
        .original("GoogleSignIn GIDSignInTest.testDisconnect_noTokens")
    )
    func noTokens() async throws {
        let program = try Program()
        try await program.google.disconnect()
        #expect(program.network.requests.isEmpty)
    }

    @Test(
        "Disconnects without a completion handler",
        .original("GoogleSignIn GIDSignInTest.testDisconnectNoCallback_accessToken")
    )
    func noHandler() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        program.google.disconnect(completion: nil)
        while user.session.ended == nil || program.google.currentUser != nil { await Task.yield() }
        #expect(program.network.requests("/revoke").count == 1)
    }

    @Test(
        "Handles no URL if no sign-in is pending",
        .original("GoogleSignIn GIDSignInTest.testNotHandleWrongScheme"),
        arguments: [
            "wrong.app:/oauth2callback", "com.googleusercontent.apps.123-abc:/wrong",
            "com.googleusercontent.apps.123-abc:/oauth2callback?code=x&state=y",
            "com.googleusercontent.apps.123-abc:///emmcallback?action=restart_auth", "https://example.com/",
        ]
    )
    func handle(text: String) throws {
        let google = GoogleApp().launched { GIDConfiguration(clientID: GoogleApp.clientID) }
        #expect(!google.handle(try #require(URL(string: text))))
        #expect(google.currentUser == nil)
    }
}
