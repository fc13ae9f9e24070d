// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
@testable internal import TesseraGoogleSignIn
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Additional scopes as in GoogleSignIn")
struct GIDAddScopesOriginalTests {
    @Test(
        "Requests the granted and the new scopes with the user's address as the hint",
        .original("GoogleSignIn GIDSignInTest.testAddScopes")
    )
    func request() async throws {
        let program = try Program()
        let user = try await program.signedIn(["one"])
        let presenter = program.presenter()
        try await user.addScopes(["two"], presenting: presenter)
        let scopes = try #require(presenter.userAgent.parameter("scope")).split(separator: " ")
        #expect(Set(scopes) == ["openid", "email", "profile", "one", "two"])
        #expect(presenter.userAgent.parameter("login_hint") == "ada@example.com")
        #expect(presenter.userAgent.parameter("include_granted_scopes") == "true")
        #expect(presenter.userAgent.parameter("audience") == nil)
    }

    @Test(
        "Updates the same user, who remains the current one",
        .original("GoogleSignIn GIDGoogleUserTest.testUpdateAuthState")
    )
    func sameUser() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        let (access, refresh, id) = (user.accessToken, user.refreshToken, user.idToken)
        program.issueProfiles()
        let result = try await user.addScopes([Program.drive], presenting: program.presenter())
        #expect(result.user === user)
        #expect(program.google.currentUser === user)
        #expect(user.grantedScopes?.contains(Program.drive) == true)
        #expect(user.accessToken != access)
        #expect(user.refreshToken != refresh)
        #expect(user.idToken != id)
        #expect(user.profile?.name == "Ada Lovelace")
    }

    @Test(
        "Returns the code for the server",
        .original("GoogleSignIn GIDSignIn.m addCompletionCallback:")
    )
    func serverCode() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        program.network.options.additionalTokenMembers = ["server_code": "4/server"]
        let result = try await user.addScopes([Program.drive], presenting: program.presenter())
        #expect(result.serverAuthCode == "4/server")
    }

    @Test(
        "Uses the server's client ID and the realm of the user's sign-in after a restart",
        .original("GoogleSignIn GIDSignIn.m addScopes:presentingViewController:completion:")
    )
    func ownConfiguration() async throws {
        let configuration = GIDConfiguration(
            clientID: ScriptedProvider.clientID,
            serverClientID: "server",
            openIDRealm: "https://example.com"
        )
        let program = try Program(configuration: configuration)
        _ = try await program.signedIn()
        let next = try program.restarted(GIDConfiguration(clientID: ScriptedProvider.clientID))
        let user = try await next.google.restorePreviousSignIn()
        let presenter = next.presenter()
        _ = program.network.takeRequests()
        try await user.addScopes([Program.drive], presenting: presenter)
        #expect(presenter.userAgent.parameter("audience") == "server")
        let exchange = try #require(program.network.requests("/token").first)
        #expect(exchange.formValue("openid.realm") == "https://example.com")
        // The parameters are stored again with the new tokens.
        let later = try await next.restarted().google.restorePreviousSignIn()
        #expect(later.configuration.serverClientID == "server")
    }

    @Test(
        "Adds scopes without a configuration, with that of the user",
        .original("GoogleSignIn GIDSignIn.m addScopes:presentingViewController:completion:")
    )
    func noConfiguration() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        program.google.configuration = nil
        try await user.addScopes([Program.drive], presenting: program.presenter())
        #expect(user.grantedScopes?.contains(Program.drive) == true)
    }

    @Test(
        "Sends the account's domain even if no domain is configured",
        .original("GoogleSignIn GIDSignIn.m addScopes:presentingViewController:completion:")
    )
    func hostedDomain() async throws {
        let program = try Program()
        let first = program.presenter()
        let user = try await program.google.signIn(withPresenting: first).user
        #expect(first.userAgent.parameter("hd") == nil)
        let presenter = program.presenter()
        try await user.addScopes([Program.drive], presenting: presenter)
        #expect(presenter.userAgent.parameter("hd") == "example.com")
    }

    @Test(
        "Repeats the claims of the sign-in, even after restarts",
        .original("GoogleSignIn GIDSignInTest.testAddScopes_WithPreviouslyRequestedClaims"),
        arguments: [
            ([.authTime()], #"{"auth_time":{"essential":false}}"#),
            ([.essentialAuthTime(), .amr()], #"{"amr":{"essential":false},"auth_time":{"essential":true}}"#),
        ] as [(Set<GIDClaim>, String)]
    )
    func claims(claims: Set<GIDClaim>, json: String) async throws {
        let program = try Program()
        var user = try await program.google.signIn(withPresenting: program.presenter(), claims: claims).user
        var next = program
        for scope in ["one", "two", "three"] {
            let presenter = next.presenter()
            try await user.addScopes([scope], presenting: presenter)
            #expect(presenter.userAgent.parameter("claims") == #"{"id_token":\#(json)}"#)
            next = try next.restarted()
            user = try await next.google.restorePreviousSignIn()
        }
    }

    @Test(
        "Requests no claims that the sign-in did not request",
        .original("GoogleSignIn GIDSignInTest.testAddScopes")
    )
    func noClaims() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        let presenter = program.presenter()
        try await user.addScopes([Program.drive], presenting: presenter)
        #expect(presenter.userAgent.parameter("claims") == nil)
    }

    @Test(
        "Opens no page if all scopes are granted",
        .original("GoogleSignIn GIDSignIn.m addScopes:presentingViewController:completion:"),
        arguments: [["one"], ["one", "email"], [], ["https://www.googleapis.com/auth/userinfo.email"]]
    )
    func alreadyGranted(scopes: [String]) async throws {
        let program = try Program()
        let user = try await program.signedIn(["one", "two"])
        let presenter = program.presenter()
        #expect(
            await code { try await user.addScopes(scopes, presenting: presenter) } == .scopesAlreadyGranted
        )
        #expect(presenter.userAgent.authorizationURLs.isEmpty)
    }

    @Test(
        "Rejects a user who is no longer the current one",
        .original("GoogleSignIn GIDGoogleUserTest.testAddScopes_failure_addScopesToPreviousUser")
    )
    func formerUser() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        try await program.google.signIn(withPresenting: program.presenter(as: "bob"))
        let presenter = program.presenter()
        #expect(
            await code { try await user.addScopes([Program.drive], presenting: presenter) } == .mismatchWithCurrentUser
        )
        #expect(presenter.userAgent.authorizationURLs.isEmpty)
    }

    @Test(
        "Rejects an earlier object of the current account",
        .original("GoogleSignIn GIDGoogleUser.m addScopes:presentingViewController:completion:")
    )
    func earlierObject() async throws {
        let program = try Program()
        let first = try await program.signedIn()
        let second = try await program.signedIn()
        let presenter = program.presenter()
        #expect(
            await code { try await first.addScopes([Program.drive], presenting: presenter) } == .mismatchWithCurrentUser
        )
        #expect(presenter.userAgent.authorizationURLs.isEmpty)
        try await second.addScopes([Program.drive], presenting: presenter)
    }

    @Test(
        "Rejects every user after a sign-out",
        .original("GoogleSignIn GIDGoogleUserTest.testAddScopes_failure_addScopesToPreviousUser_currentUserIsNull")
    )
    func signedOut() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        program.google.signOut()
        let presenter = program.presenter()
        #expect(
            await code { try await user.addScopes([Program.drive], presenting: presenter) } == .mismatchWithCurrentUser
        )
        #expect(presenter.userAgent.authorizationURLs.isEmpty)
    }

    @Test(
        "Allows any user of an instance with several accounts",
        .original("GoogleSignIn GIDGoogleUserTest.testAddScopes_failure_addScopesToPreviousUser")
    )
    func severalAccounts() async throws {
        let program = try Program(storesMultipleAccounts: true)
        let user = try await program.signedIn()
        try await program.google.signIn(withPresenting: program.presenter(as: "bob"))
        try await user.addScopes([Program.drive], presenting: program.presenter())
        #expect(user.grantedScopes?.contains(Program.drive) == true)
    }

    @Test(
        "Changes nothing if the response is for another account",
        .original("GoogleSignIn GIDSignIn.m addScopes:presentingViewController:completion:")
    )
    func otherAccount() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        let access = user.accessToken
        let presenter = program.presenter(as: "bob")
        #expect(
            await code { try await user.addScopes([Program.drive], presenting: presenter) } == .mismatchWithCurrentUser
        )
        #expect(user.accessToken === access)
        #expect(program.google.currentUser === user)
    }
}
