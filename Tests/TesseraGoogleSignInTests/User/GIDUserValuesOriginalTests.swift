// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
@testable internal import TesseraGoogleSignIn
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Values of a user as in GoogleSignIn")
struct GIDUserValuesOriginalTests {
    private static let configuration = GIDConfiguration(
        clientID: ScriptedProvider.clientID,
        serverClientID: "server",
        openIDRealm: "https://example.com"
    )

    @Test(
        "Has the scopes of the response in their order",
        .original("GoogleSignIn GIDGoogleUserTest.testInitWithAuthState")
    )
    func grantedScopes() async throws {
        let program = try Program()
        let presenter = program.presenter(granting: ["two", .openID, "one"])
        let user = try await program.google.signIn(withPresenting: presenter, additionalScopes: ["one", "two"]).user
        #expect(user.grantedScopes == ["two", "openid", "one"])
    }

    @Test(
        "Ignores additional spaces between scopes",
        .original("GoogleSignIn GIDGoogleUser.m GIDGrantedScopesFromScopeString")
    )
    func spaces() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        program.expire()
        program.network.intercept("/token") { _ in
            .json(#"{"access_token":"new","token_type":"Bearer","expires_in":3600,"scope":"  a  b "}"#)
        }
        try await user.refreshTokensIfNeeded()
        #expect(user.grantedScopes == ["a", "b"])
    }

    @Test(
        "Has the requested scopes if the response names none, as RFC 6749 defines",
        .original("GoogleSignIn GIDGoogleUser.m GIDGrantedScopesFromScopeString")
    )
    func noScopeMember() async throws {
        let program = try Program()
        program.network.options.includesScopes = false
        #expect(try await program.signedIn(["one"]).grantedScopes == ["one", "openid", "email", "profile"])
    }

    @Test(
        "Archives the account and no token, and decodes no user of Google's library",
        .original("GoogleSignIn GIDGoogleUser.m encodeWithCoder:")
    )
    func archive() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        #expect(try encodedValue("account", of: user) as? String == user.session.account.id)
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        user.encode(with: archiver)
        archiver.finishEncoding()
        let archive = String(decoding: archiver.encodedData, as: UTF8.self)
        #expect(!archive.contains(program.network.marker))
        #expect(!archive.contains("eyJ"))
        let coder = try OriginalArchive.coder(["authState": "state" as NSString])
        defer { coder.finishDecoding() }
        #expect(GIDGoogleUser(coder: coder) == nil)
    }

    @Test(
        "Has the subject of the ID token",
        .original("GoogleSignIn GIDGoogleUserTest.testInitWithAuthState")
    )
    func userID() async throws {
        let program = try Program()
        #expect(try await program.google.signIn(withPresenting: program.presenter(as: "bob")).user.userID == "bob")
    }

    @Test(
        "Has the account's domain in its configuration even if no domain is configured",
        .original("GoogleSignIn GIDGoogleUserTest.testInitWithAuthState")
    )
    func hostedDomain() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        #expect(user.configuration.clientID == ScriptedProvider.clientID)
        #expect(user.configuration.hostedDomain == "example.com")
        #expect(program.google.configuration?.hostedDomain == nil)
        #expect(
            try await program.restarted().google.restorePreviousSignIn().configuration.hostedDomain == "example.com"
        )
    }

    @Test(
        "Has no domain if the account has none",
        .original("GoogleSignIn GIDConfiguration.h hostedDomain")
    )
    func noHostedDomain() async throws {
        let program = try Program()
        let network = program.network
        network.options.idTokens = { claims, _ in try network.sign(claims.filter { $0.name != "hd" }) }
        #expect(try await program.signedIn().configuration.hostedDomain == nil)
    }

    @Test(
        "Has the server's client ID and the realm of its own sign-in after a restart",
        .original("GoogleSignIn GIDGoogleUser.m updateTokensWithAuthState:")
    )
    func ownConfiguration() async throws {
        let program = try Program(configuration: Self.configuration)
        let user = try await program.signedIn()
        #expect(user.configuration.serverClientID == "server")
        #expect(user.configuration.openIDRealm == "https://example.com")
        let plain = GIDConfiguration(clientID: ScriptedProvider.clientID)
        let restored = try await program.restarted(plain).google.restorePreviousSignIn()
        #expect(restored.configuration.serverClientID == "server")
        #expect(restored.configuration.openIDRealm == "https://example.com")
    }

    @Test(
        "Takes the server's client ID from the ID token of an earlier session",
        .original("GoogleSignIn GIDGoogleUser.m updateTokensWithAuthState:")
    )
    func serverOfIDToken() async throws {
        let program = try Program()
        program.issue([
            JSONMember(name: "aud", value: "server"),
            JSONMember(name: "azp", value: .string(ScriptedProvider.clientID)),
        ])
        _ = try await program.signIn.signIn(scopes: [.openID], forServer: "server")
        #expect(try await program.google.restorePreviousSignIn().configuration.serverClientID == "server")
    }

    @Test(
        "Keeps one configuration object for its lifetime",
        .original("GoogleSignIn GIDGoogleUser.h configuration")
    )
    func fixedConfiguration() async throws {
        let program = try Program(configuration: Self.configuration)
        let user = try await program.signedIn()
        let configuration = user.configuration
        program.google.configuration = GIDConfiguration(clientID: ScriptedProvider.clientID, serverClientID: "other")
        #expect(user.configuration === configuration)
        #expect(user.configuration.serverClientID == "server")
    }

    @Test(
        "Has the tokens of the response and their expiration dates",
        .original("GoogleSignIn GIDGoogleUserTest.testInitWithAuthState")
    )
    func tokens() async throws {
        let program = try Program()
        program.network.options.additionalTokenMembers = ["refresh_token_expires_in": "7200"]
        let now = program.network.clock.date
        let user = try await program.signedIn()
        #expect(user.accessToken.tokenString.hasPrefix("secret-access-"))
        #expect(user.accessToken.expirationDate == now + 3_600)
        #expect(user.refreshToken.tokenString.hasPrefix("secret-refresh-"))
        #expect(user.refreshToken.expirationDate == now + 7_200)
        let idToken = try #require(user.idToken)
        #expect(try IDTokenClaims(unverified: Secret(idToken.tokenString)).subject == "ada")
        #expect(idToken.expirationDate == now + 3_600)
    }

    @Test(
        "Has no expiration dates that the response does not contain",
        .original("GoogleSignIn GIDGoogleUser.m updateTokensWithAuthState:")
    )
    func noDates() async throws {
        let program = try Program()
        program.network.options.tokenLifetime = nil
        let user = try await program.signedIn()
        #expect(user.accessToken.expirationDate == nil)
        #expect(user.refreshToken.expirationDate == nil)
    }

    @Test(
        "Has an empty refresh token if Google issued none",
        .original("GoogleSignIn GIDGoogleUser.h refreshToken")
    )
    func noRefreshToken() async throws {
        let program = try Program()
        program.network.options.issuesRefreshTokens = false
        let user = try await program.signedIn()
        #expect(user.refreshToken.tokenString.isEmpty)
        #expect(user.refreshToken === user.refreshToken)
    }

    @Test(
        "Returns the same token objects as long as the tokens are the same",
        .original("GoogleSignIn GIDGoogleUserTest.testUpdateAuthState_tokensAreNotChanged")
    )
    func tokenIdentity() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        let (access, refresh, id) = (user.accessToken, user.refreshToken, try #require(user.idToken))
        try await user.refreshTokensIfNeeded()
        #expect(user.accessToken === access)
        #expect(user.refreshToken === refresh)
        #expect(user.idToken === id)
    }

    @Test(
        "Returns new objects only for the tokens that a refresh replaced",
        .original("GoogleSignIn GIDGoogleUserTest.testUpdateAuthState")
    )
    func newTokens() async throws {
        let program = try Program()
        program.network.options.rotatesRefreshTokens = false
        let user = try await program.signedIn()
        let (access, refresh, id) = (user.accessToken, user.refreshToken, try #require(user.idToken))
        program.expire()
        try await user.refreshTokensIfNeeded()
        #expect(user.accessToken !== access)
        #expect(user.accessToken === user.accessToken)
        #expect(user.idToken !== id)
        #expect(user.refreshToken === refresh)
    }

    @Test(
        "Returns the same profile object at each read",
        .original("GoogleSignIn GIDGoogleUser.h profile")
    )
    func profileIdentity() async throws {
        let program = try Program()
        program.issueProfiles()
        let user = try await program.signedIn()
        let profile = try #require(user.profile)
        #expect(user.profile === profile)
        program.expire()
        try await user.refreshTokensIfNeeded()
        try await user.addScopes([Program.drive], presenting: program.presenter())
        #expect(user.profile === profile)
    }

    @Test(
        "Authorizes requests with one session object, which is also the result of a call",
        .original("GoogleSignIn GIDGoogleUserTest.testFetcherAuthorizer_returnTheSameInstance")
    )
    func fetcherAuthorizer() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        let session = try #require(user.fetcherAuthorizer as? AuthSession)
        #expect(session.canAuthorize)
        #expect(user.fetcherAuthorizer as AnyObject === session)
        #expect(user.fetcherAuthorizer() as AnyObject === session)
    }

    @Test(
        "Compares users by identity",
        .original("GoogleSignIn GIDGoogleUser.h")
    )
    func equality() async throws {
        let program = try Program(storesMultipleAccounts: true)
        let user = try await program.signedIn()
        let other = try #require(try await program.restarted().google.previousUsers().first)
        #expect(user.userID == other.userID)
        #expect(user != other)
        #expect(user == user)
    }
}
