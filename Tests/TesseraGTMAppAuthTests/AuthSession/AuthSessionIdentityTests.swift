// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("AuthSession user identity")
struct AuthSessionIdentityTests {
    private static func session(verified: String?, idToken: [String: Any]? = nil) throws -> AuthSession {
        var parameters: [String: Any] = ["access_token": "a"]
        if let idToken {
            var claims: [String: Any] = ["iss": "https://server.example", "aud": "app", "exp": 2e9, "iat": 1e9]
            claims.merge(idToken) { _, new in new }
            let parts = try [["alg": "none"], claims].map { try JSONSerialization.data(withJSONObject: $0) }
            parameters["id_token"] = parts.map { Self.base64URL($0) }.joined(separator: ".") + "."
        }
        let tokens = OIDTokenResponse(request: try Samples.tokenRequest(), parameters: parameters)
        return AuthSession(
            authState: OIDAuthState(authorizationResponse: nil, tokenResponse: tokens),
            serviceProvider: "Example",
            userID: "given",
            userEmail: "given@example.com",
            userEmailIsVerified: verified
        )
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    @Test("Uses the identity set by the app if there is no ID token")
    func given() throws {
        let session = try Self.session(verified: "y")
        #expect(session.serviceProvider == "Example")
        #expect(session.userID == "given")
        #expect(session.userEmail == "given@example.com")
        #expect(session.userEmailIsVerified)
    }

    @Test(
        "Treats strings that start with y or t, and nonzero numbers, as verified",
        arguments: [
            ("t", true), ("true", true), ("y", true), ("yes", true), ("YES", true), (" +007", true), ("1", true),
            ("f", false), ("no", false), ("0", false), ("", false), ("00", false),
        ]
    )
    func verifiedTexts(_ text: String, _ isTrue: Bool) throws {
        #expect(try Self.session(verified: text).userEmailIsVerified == isTrue)
        let claims = ["sub": "s", "email_verified": text]
        #expect(try Self.session(verified: nil, idToken: claims).userEmailIsVerified == isTrue)
    }

    @Test("Prefers the subject, email and verification of the ID token")
    func idToken() throws {
        let claims: [String: Any] = ["sub": "subject", "email": "ada@example.com", "email_verified": true]
        let session = try Self.session(verified: "n", idToken: claims)
        #expect(session.userID == "subject")
        #expect(session.userEmail == "ada@example.com")
        #expect(session.userEmailIsVerified)
        let other: [String: Any] = ["sub": "subject", "email_verified": false]
        #expect(try !Self.session(verified: "y", idToken: other).userEmailIsVerified)
    }

    @Test("Does not apply the app's email verification to the ID token's email")
    func otherAddress() throws {
        let session = try Self.session(verified: "y", idToken: ["sub": "subject", "email": "other@example.com"])
        #expect(session.userEmail == "other@example.com")
        #expect(!session.userEmailIsVerified)
        let copy = try AppAuthArchive.unarchive(AuthSession.self, from: try AppAuthArchive.archive(session))
        #expect(!copy.userEmailIsVerified)
        let text = try #require(GTMOAuth2Compatibility.persistenceResponseString(forAuthSession: session))
        let other = try GTMOAuth2Compatibility.authSession(
            forPersistenceString: text,
            tokenURL: try Samples.url("https://server.example/token"),
            redirectURI: "com.example.app:/callback",
            clientID: "app",
            clientSecret: nil
        )
        #expect(other.userEmail == "other@example.com")
        #expect(!other.userEmailIsVerified)
    }

    @Test("Shows no token or email in descriptions and dumps")
    func secrecy() throws {
        let session = try Self.session(verified: "y")
        var dumped = ""
        dump(session, to: &dumped)
        for text in ["\(session)", String(reflecting: session), dumped] {
            #expect(!text.contains("given@"), "\(text)")
            #expect(!text.contains("access-secret"), "\(text)")
        }
    }

    @Test("Archives the client secret of a session, which later refreshes require")
    func archivedSecret() async throws {
        let network = try ScriptedProvider()
        let provider = try network.provider
        let secret = try #require(provider.client.clientSecret).withUnredacted { $0 }
        let signIn = SignIn(provider, runtime: network.runtime, store: InMemoryStore(), userAgent: network.userAgent())
        let session = try await signIn.signIn(scopes: [.openID])
        let authorizer = AuthSession(session)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: authorizer, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: AuthSession.self, from: archive))
        #expect(copy.authState.tokenRefreshRequest()?.clientSecret == secret)
    }

    @Test("Shares refreshes and the session end with the session it was created from")
    func shared() async throws {
        let network = try ScriptedProvider()
        let signIn = SignIn(
            try network.provider,
            runtime: network.runtime,
            store: InMemoryStore(),
            userAgent: network.userAgent()
        )
        let session = try await signIn.signIn(scopes: [.openID, .email])
        let authorizer = AuthSession(session)
        #expect(authorizer.canAuthorize)
        #expect(authorizer.userID == session.account.subject)
        #expect(authorizer.authorizedOrigins == session.authorizedOrigins)
        #expect(authorizer.authState.scope?.contains("openid") == true)
        #expect(try await authorizer.accessToken() == session.accessToken())
        network.clock.advance(by: .seconds(3_600))
        async let one = authorizer.accessToken()
        async let other = session.accessToken()
        let refreshed = try await one
        #expect(try await other == refreshed)
        #expect(network.refreshes.count == 1)
        network.clock.advance(by: .seconds(60))
        #expect(authorizer.primeForRefresh())
        let tokens = try await withThrowingTaskGroup(of: AccessToken.self) { group in
            for _ in 0..<10 { group.addTask { try await authorizer.accessToken() } }
            return try await group.reduce(into: Set<AccessToken>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(!tokens.contains(refreshed))
        #expect(network.refreshes.count == 2)
        network.revokeEverything()
        network.clock.advance(by: .seconds(3_600))
        let failed = await failure { try await authorizer.accessToken() }
        #expect(failed?.domain == OIDOAuthTokenErrorDomain)
        #expect(failed?.code == OIDErrorCodeOAuthToken.invalidGrant.rawValue)
        #expect(!authorizer.canAuthorize)
        #expect(authorizer.authState.authorizationError != nil)
    }
}
