// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
@testable internal import TesseraGoogleSignIn
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Authorization requests as in GoogleSignIn")
struct GIDAuthorizationOriginalTests {
    private static let emailURL = "https://www.googleapis.com/auth/userinfo.email"
    private static let profileURL = "https://www.googleapis.com/auth/userinfo.profile"

    /// Returns the page that a sign-in opens at Google.
    private static func page(
        _ configuration: GIDConfiguration = GIDConfiguration(clientID: GoogleApp.clientID),
        hint: String? = nil,
        scopes: [String]? = nil,
        nonce: String? = nil,
        claims: Set<GIDClaim>? = nil
    ) async -> ScriptedUserAgent {
        let google = GoogleApp().launched { configuration }
        let userAgent = ScriptedUserAgent { _ in throw SignInError(.canceled) }
        _ = try? await google.signIn(
            withPresenting: Presenter(userAgent),
            hint: hint,
            additionalScopes: scopes,
            nonce: nonce,
            claims: claims
        )
        return userAgent
    }

    @Test("Opens Google's authorization endpoint", .original("GoogleSignIn GIDSignIn.m kAuthorizationURLTemplate"))
    func endpoint() async throws {
        let page = await Self.page()
        let url = try #require(page.authorizationURLs.first)
        #expect(url.hasPrefix("https://accounts.google.com/o/oauth2/v2/auth?"))
        #expect(page.parameter("client_id") == GoogleApp.clientID)
    }

    @Test(
        "Requests a code with a challenge and a random state",
        .original("GoogleSignIn GIDSignIn.m authorizationRequestWithOptions:additionalParameters:")
    )
    func codeFlow() async {
        let page = await Self.page()
        #expect(page.parameter("response_type") == "code")
        #expect(page.parameter("code_challenge_method") == "S256")
        #expect(page.parameter("code_challenge")?.count == 43)
        #expect(page.parameter("state")?.isEmpty == false)
    }

    @Test(
        "Includes the scopes that were granted before",
        .original("GoogleSignIn GIDSignInTest.testOAuthLogin_AdditionalScopes")
    )
    func includesGrantedScopes() async {
        #expect(await Self.page().parameter("include_granted_scopes") == "true")
    }

    @Test(
        "Sends neither a prompt nor the parameters that identify Google's library",
        .original("GoogleSignIn GIDSignInPreferencesTest.testGIDVersion"),
        arguments: ["prompt", "gpsdk", "gidenv", "emm_support", "device_os"]
    )
    func absent(name: String) async {
        #expect(await Self.page().parameter(name) == nil)
    }

    @Test(
        "Requests offline access, without which Google issues no refresh token to some clients",
        .original("GoogleSignIn GIDSignIn.m additionalParametersFromOptions:")
    )
    func offlineAccess() async {
        #expect(await Self.page().parameter("access_type") == "offline")
    }

    @Test(
        "Sends the hint, if there is one",
        .original("GoogleSignIn GIDSignInTest.testOAuthLogin_LoginHint"),
        arguments: ["a@example.com", nil]
    )
    func hint(hint: String?) async {
        #expect(await Self.page(hint: hint).parameter("login_hint") == hint)
    }

    @Test(
        "Sends the hosted domain, if there is one",
        .original("GoogleSignIn GIDSignInTest.testOAuthLogin_HostedDomain"),
        arguments: ["example.com", nil]
    )
    func hostedDomain(domain: String?) async {
        let configuration = GIDConfiguration(clientID: GoogleApp.clientID, hostedDomain: domain)
        #expect(await Self.page(configuration).parameter("hd") == domain)
    }

    @Test(
        "Sends the server's client ID as the audience, if there is one",
        .original("GoogleSignIn GIDSignIn.m kAudienceParameter"),
        arguments: ["server", nil]
    )
    func audience(server: String?) async {
        let configuration = GIDConfiguration(clientID: GoogleApp.clientID, serverClientID: server)
        #expect(await Self.page(configuration).parameter("audience") == server)
    }

    @Test("Does not send the realm to the page", .original("GoogleSignIn GIDSignInTest.testOpenIDRealm"))
    func realm() async {
        let configuration = GIDConfiguration(clientID: GoogleApp.clientID, openIDRealm: "https://example.com")
        let page = await Self.page(configuration)
        #expect(!page.authorizationURLs.isEmpty)
        #expect(page.parameter("openid.realm") == nil)
    }

    @Test(
        "Requests the app's scopes first, then the basic ones that it does not request itself",
        .original("GoogleSignIn GIDScopesTest.testScopesWithBasicProfile_AddScope"),
        arguments: [
            (nil, "openid email profile"), ([], "openid email profile"),
            (["one", "two"], "one two openid email profile"),
            (["profile", "email"], "profile email openid"), (["email", "one"], "email one openid profile"),
            ([profileURL, emailURL], "\(profileURL) \(emailURL) openid"), ([emailURL], "\(emailURL) openid profile"),
        ] as [([String]?, String)]
    )
    func scopes(scopes: [String]?, expected: String) async {
        #expect(await Self.page(scopes: scopes).parameter("scope") == expected)
    }

    @Test(
        "Sends all options of one sign-in",
        .original("GoogleSignIn GIDSignInInternalOptionsTest.testDefaultOptions_withAllParameters")
    )
    func allOptions() async {
        let page = await Self.page(hint: "ada", scopes: ["one", "two"], nonce: "n", claims: [.essentialAuthTime()])
        #expect(page.authorizationURLs.count == 1)
        #expect(page.parameter("login_hint") == "ada")
        #expect(page.parameter("scope") == "one two openid email profile")
        #expect(page.parameter("nonce") == "n")
        #expect(page.parameter("claims") == #"{"id_token":{"auth_time":{"essential":true}}}"#)
    }

    @Test("Sends the app's nonce", .original("GoogleSignIn GIDSignInTest.testManualNonce"))
    func manualNonce() async {
        #expect(await Self.page(nonce: "manual").parameter("nonce") == "manual")
    }

    @Test(
        "Sends a new random nonce with each request",
        .original("GoogleSignIn GIDSignIn.m authorizationRequestWithOptions:additionalParameters:")
    )
    func randomNonce() async throws {
        let program = try Program()
        var nonces: [String?] = []
        for _ in 0..<2 {
            let presenter = program.presenter()
            try await program.google.signIn(withPresenting: presenter)
            nonces.append(presenter.userAgent.parameter("nonce"))
        }
        #expect(nonces.allSatisfy { ($0?.count ?? 0) >= 20 })
        #expect(nonces[0] != nonces[1])
    }

    @Test(
        "Rejects an empty nonce, with which an ID token could be replayed",
        .original("GoogleSignIn GIDSignIn.m authorizationRequestWithOptions:additionalParameters:")
    )
    func emptyNonce() async {
        #expect(await Self.page(nonce: "").authorizationURLs.isEmpty)
    }

    @Test("Rejects an ID token with another nonce", .original("GoogleSignIn GIDSignInTest.testManualNonce"))
    func otherNonce() async throws {
        let program = try Program()
        program.issue([JSONMember(name: "nonce", value: "other")])
        let call = await code { try await program.google.signIn(withPresenting: program.presenter(), nonce: "mine") }
        #expect(call == .unknown)
        #expect(program.google.currentUser == nil)
        #expect(try await program.store.list().isEmpty)
    }
}
