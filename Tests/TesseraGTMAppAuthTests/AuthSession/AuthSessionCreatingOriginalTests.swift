// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import TesseraGTMAppAuth
internal import Testing

@Suite("AuthSession creation, as in GTMAppAuth")
struct AuthSessionCreatingOriginalTests {
    /// Returns a session with values from the app and, if there are claims, an ID token.
    private static func session(
        claims: [String: Any]? = nil,
        userID: String? = nil,
        email: String? = nil,
        verified: String? = nil
    ) throws -> AuthSession {
        var tokens: [String: Any] = ["access_token": "access_token"]
        if let claims { tokens["id_token"] = try SessionSamples.idToken(claims) }
        return AuthSession(
            authState: try SessionSamples.state(tokens),
            userID: userID,
            userEmail: email,
            userEmailIsVerified: verified
        )
    }

    @Test(
        "Has no identity without an ID token and values from the app",
        .original("GTMAppAuth GTMAuthSessionTests.testInitWithOIDAuthState")
    )
    func withoutIdentity() throws {
        let state = try SessionSamples.state(["access_token": "access_token"])
        let session = AuthSession(authState: state)
        #expect(session.authState === state)
        #expect(session.serviceProvider == nil)
        #expect(session.userID == nil)
        #expect(session.userEmail == nil)
        #expect(!session.userEmailIsVerified)
    }

    @Test(
        "Has the values that the app supplies",
        .original("GTMAppAuth GTMAuthSessionTests.testDesignatedInitializer")
    )
    func suppliedIdentity() throws {
        let state = try SessionSamples.state(["access_token": "access_token"])
        let session = AuthSession(
            authState: state,
            serviceProvider: "fooProvider",
            userID: "123456789",
            userEmail: "foo@foo.com",
            userEmailIsVerified: "y"
        )
        #expect(session.authState === state)
        #expect(session.serviceProvider == "fooProvider")
        #expect(session.userID == "123456789")
        #expect(session.userEmail == "foo@foo.com")
        #expect(session.userEmailIsVerified)
    }

    @Test(
        "Prefers the ID token's subject and address",
        .original("GTMAppAuth AuthSession.init(authState:serviceProvider:userID:userEmail:userEmailIsVerified:)")
    )
    func claims() throws {
        let claims = ["sub": "subject", "email": "ada@example.com"]
        let session = try Self.session(claims: claims, userID: "given", email: "given@example.com")
        #expect(session.userID == "subject")
        #expect(session.userEmail == "ada@example.com")
    }

    @Test(
        "Uses the app's address if the ID token has only a subject",
        .original("GTMAppAuth AuthSession.init(authState:serviceProvider:userID:userEmail:userEmailIsVerified:)")
    )
    func missingClaim() throws {
        let session = try Self.session(claims: ["sub": "subject"], userID: "given", email: "given@example.com")
        #expect(session.userID == "subject")
        #expect(session.userEmail == "given@example.com")
    }

    @Test(
        "Reads the ID token of the authorization response if the token response has none",
        .original("GTMAppAuth AuthSession.init(authState:serviceProvider:userID:userEmail:userEmailIsVerified:)")
    )
    func authorizationResponse() throws {
        let idToken = try SessionSamples.idToken(["sub": "subject", "email": "ada@example.com"])
        let state = OIDAuthState(
            authorizationResponse: OIDAuthorizationResponse(
                request: try Samples.authorizationRequest(),
                parameters: ["id_token": idToken]
            ),
            tokenResponse: OIDTokenResponse(
                request: try SessionSamples.tokenRequest(),
                parameters: ["access_token": "access_token"]
            )
        )
        let session = AuthSession(authState: state, userID: "given", userEmail: "given@example.com")
        #expect(session.userID == "subject")
        #expect(session.userEmail == "ada@example.com")
    }

    @Test(
        "Uses the app's values if the ID token is malformed",
        .original("GTMAppAuth AuthSession.init(authState:serviceProvider:userID:userEmail:userEmailIsVerified:)")
    )
    func malformedIDToken() throws {
        let session = AuthSession(
            authState: try SessionSamples.state(["access_token": "access_token", "id_token": "garbage"]),
            userID: "given",
            userEmail: "given@example.com",
            userEmailIsVerified: "y"
        )
        #expect(session.userID == "given")
        #expect(session.userEmail == "given@example.com")
        #expect(session.userEmailIsVerified)
    }

    @Test(
        "Reads the app's text for a verified address as NSString.boolValue does",
        .original("GTMAppAuth AuthSessionTests.testUserEmailIsVerified"),
        arguments: [
            (nil, false), ("", false), ("n", false), ("no", false), ("f", false), ("false", false), ("0", false),
            ("00", false), ("t", true), ("true", true), ("y", true), ("yes", true), ("1", true), ("Y", true),
            ("T", true), (" +007", true), ("-1", true),
        ] as [(String?, Bool)]
    )
    func verifiedText(_ text: String?, _ isVerified: Bool) throws {
        #expect(try Self.session(email: "foo@foo.com", verified: text).userEmailIsVerified == isVerified)
    }

    @Test(
        "Prefers a textual email_verified claim to the app's text",
        .original("GTMAppAuth AuthSession.userEmailIsVerified"),
        arguments: [("true", "n", true), ("false", "y", false)]
    )
    func verifiedClaim(_ claim: String, _ given: String, _ isVerified: Bool) throws {
        let claims = ["sub": "subject", "email": "foo@foo.com", "email_verified": claim]
        let session = try Self.session(claims: claims, email: "foo@foo.com", verified: given)
        #expect(session.userEmailIsVerified == isVerified)
    }

    @Test(
        "Reads a Boolean email_verified claim, which GTMAppAuth ignores",
        .original("GTMAppAuth AuthSession.userEmailIsVerified"),
        arguments: [(true, nil), (true, "n"), (false, nil), (false, "y")] as [(Bool, String?)]
    )
    func verifiedFlag(_ claim: Bool, _ given: String?) throws {
        let claims: [String: Any] = ["sub": "subject", "email": "foo@foo.com", "email_verified": claim]
        let session = try Self.session(claims: claims, email: "foo@foo.com", verified: given)
        #expect(session.userEmailIsVerified == claim)
    }

    @Test(
        "Applies the app's text for a verified address only to the app's address",
        .original("GTMAppAuth AuthSession.userEmailIsVerified"),
        arguments: ["y@e.example", nil]
    )
    func verifiedOther(_ email: String?) throws {
        let claims = ["sub": "subject", "email": "x@e.example"]
        let session = try Self.session(claims: claims, email: email, verified: "y")
        #expect(session.userEmail == "x@e.example")
        #expect(!session.userEmailIsVerified)
        #expect(try Self.session(claims: claims, email: "x@e.example", verified: "y").userEmailIsVerified)
    }

    @Test(
        "Takes the identity from the newest ID token, unlike GTMAppAuth",
        .original("GTMAppAuth AuthSession.userEmail")
    )
    func newestIDToken() throws {
        let session = try Self.session(claims: ["sub": "subject", "email": "first@example.com"])
        #expect(session.userEmail == "first@example.com")
        let idToken = try SessionSamples.idToken(["sub": "subject", "email": "second@example.com"])
        let response = OIDTokenResponse(
            request: try SessionSamples.tokenRequest(),
            parameters: ["access_token": "other", "id_token": idToken]
        )
        session.authState.update(with: response, error: nil)
        #expect(session.userEmail == "second@example.com")
    }

    @Test(
        "Authorizes only requests to known origins until the app changes this",
        .original("GTMAppAuth AuthSession.shouldAuthorizeAllRequests")
    )
    func allRequests() throws {
        let session = try Self.session()
        #expect(!session.shouldAuthorizeAllRequests)
        session.shouldAuthorizeAllRequests = true
        #expect(session.shouldAuthorizeAllRequests)
    }

    @Test("Holds the delegate weakly", .original("GTMAppAuth AuthSession.delegate"))
    func weakDelegate() throws {
        let session = try Self.session()
        var delegate: Delegate? = Delegate()
        session.delegate = delegate
        #expect(session.delegate === delegate)
        delegate = nil
        #expect(session.delegate == nil)
    }

    @Test("Holds the fetcher service weakly", .original("GTMAppAuth AuthSession.fetcherService"))
    func weakService() throws {
        let session = try Self.session()
        var service: GTMSessionFetcherService? = GTMSessionFetcherService()
        session.fetcherService = service
        #expect(session.fetcherService === service)
        service = nil
        #expect(session.fetcherService == nil)
    }

    @Test("Is equal only to itself", .original("GTMAppAuth AuthSession"))
    func identity() throws {
        let state = try SessionSamples.state(["access_token": "access_token"])
        let (session, other) = (AuthSession(authState: state), AuthSession(authState: state))
        #expect(session.isEqual(session))
        #expect(!session.isEqual(other))
    }

    @Test("Has GTMAppAuth's archive keys", .original("GTMAppAuth AuthSession.authStateKey"))
    func archiveKeys() {
        #expect(AuthSession.authStateKey == "authState")
        #expect(AuthSession.serviceProviderKey == "serviceProvider")
        #expect(AuthSession.userIDKey == "userID")
        #expect(AuthSession.userEmailKey == "userEmail")
        #expect(AuthSession.userEmailIsVerifiedKey == "userEmailIsVerified")
    }
}
