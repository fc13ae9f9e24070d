// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraStores
internal import TesseraTesting
internal import Testing

@Suite("GTMOAuth2 format, as in GTMAppAuth")
struct GTMOAuth2OriginalTests {
    private static let text = """
        access_token=access_token&refresh_token=refresh_token&scope=profile&serviceProvider=fooProvider&\
        userEmail=foo%40foo.com&userEmailIsVerified=y&userID=123456789
        """

    private static func session(scope: String? = "profile", userID: String? = "123456789", verified: String = "y")
        throws -> AuthSession
    {
        var tokens: [String: Any] = ["access_token": "access_token", "refresh_token": "refresh_token"]
        tokens["scope"] = scope
        return AuthSession(
            authState: try SessionSamples.state(tokens),
            serviceProvider: "fooProvider",
            userID: userID,
            userEmail: "foo@foo.com",
            userEmailIsVerified: verified
        )
    }

    private static func restored(
        _ text: String = Self.text,
        redirectURI: String = "https://testRedirectURI.com"
    ) throws -> AuthSession {
        try GTMOAuth2Compatibility.authSession(
            forPersistenceString: text,
            tokenURL: try Samples.url("https://testTokenURL.com"),
            redirectURI: redirectURI,
            clientID: "testClientID",
            clientSecret: "testClientSecret"
        )
    }

    private static func store(_ keychain: RecordingKeychain = RecordingKeychain()) -> KeychainStore {
        KeychainStore(itemName: "testName", keychainHelper: PlatformKeychain(KeychainPasswords(keychain, [])))
    }

    /// Checks that a session has the values of ``text``.
    private static func check(_ session: AuthSession) {
        #expect(session.authState.scope == "profile")
        #expect(session.authState.lastTokenResponse?.accessToken == "access_token")
        #expect(session.authState.refreshToken == "refresh_token")
        #expect(session.serviceProvider == "fooProvider")
        #expect(session.userID == "123456789")
        #expect(session.userEmail == "foo@foo.com")
        #expect(session.userEmailIsVerified)
        #expect(session.canAuthorize)
    }

    @Test(
        "Writes the tokens and the user's details, sorted by key",
        .original("GTMAppAuth GTMOAuth2CompatibilityTests.testPersistenceResponseString")
    )
    func persistenceString() throws {
        let text = GTMOAuth2Compatibility.persistenceResponseString(forAuthSession: try Self.session())
        #expect(text == Self.text)
    }

    @Test(
        "Omits values that the session does not have",
        .original("GTMAppAuth GTMOAuth2Compatibility.persistenceResponseString(forAuthSession:)")
    )
    func missingValues() throws {
        let session = try Self.session(scope: nil, userID: nil)
        let expected = """
            access_token=access_token&refresh_token=refresh_token&serviceProvider=fooProvider&\
            userEmail=foo%40foo.com&userEmailIsVerified=y
            """
        #expect(GTMOAuth2Compatibility.persistenceResponseString(forAuthSession: session) == expected)
    }

    @Test(
        "Writes nothing for a session without values",
        .original("GTMAppAuth GTMOAuth2Compatibility.persistenceResponseString(forAuthSession:)")
    )
    func emptySession() throws {
        let session = AuthSession(
            authState: OIDAuthState(registrationResponse: try Samples.registrationResponse())
        )
        #expect(GTMOAuth2Compatibility.persistenceResponseString(forAuthSession: session) == nil)
    }

    @Test(
        "Writes the app's text for a verified address unchanged",
        .original("GTMAppAuth GTMOAuth2Compatibility.persistenceResponseString(forAuthSession:)"),
        arguments: ["yes", "true", "1", "no", "0"]
    )
    func verifiedText(text: String) throws {
        let session = try Self.session(verified: text)
        let written = try #require(GTMOAuth2Compatibility.persistenceResponseString(forAuthSession: session))
        #expect(written.contains("&userEmailIsVerified=\(text)&"))
        #expect(try Self.restored(written).userEmailIsVerified == session.userEmailIsVerified)
    }

    @Test(
        "Restores a session from a text",
        .original("GTMAppAuth GTMOAuth2CompatibilityTests.testAuthSessionFromKeychainForPersistenceString")
    )
    func restores() throws {
        Self.check(try Self.restored())
    }

    @Test(
        "Restores the client and the endpoint in the token request",
        .original("GTMAppAuth GTMOAuth2Compatibility.authSession(forPersistenceString:)")
    )
    func tokenRequest() throws {
        let request = try #require(try Self.restored().authState.lastTokenResponse?.request)
        #expect(request.grantType == "token")
        #expect(request.clientID == "testClientID")
        #expect(request.clientSecret == "testClientSecret")
        #expect(request.redirectURL?.absoluteString == "https://testRedirectURI.com")
        #expect(request.scope == "profile")
        #expect(request.refreshToken == "refresh_token")
        #expect(request.configuration.authorizationEndpoint.absoluteString == "https://testTokenURL.com")
        #expect(request.configuration.tokenEndpoint.absoluteString == "https://testTokenURL.com")
    }

    @Test(
        "Refreshes the access token of a restored session before its first use",
        .original("GTMAppAuth GTMOAuth2Compatibility.authSession(forPersistenceString:)")
    )
    func refreshes() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(#"{"access_token":"new","token_type":"Bearer"}"#) }
            let session = try GTMOAuth2Compatibility.authSession(
                forPersistenceString: Self.text,
                tokenURL: program.url(ScriptedProvider.issuer + "/token"),
                redirectURI: "https://testRedirectURI.com",
                clientID: "testClientID",
                clientSecret: nil
            )
            for _ in 0..<2 {
                let request = try SessionSamples.request(ScriptedProvider.issuer + "/me")
                #expect(await session.failure(authorizing: request) == nil)
                #expect(request.authorization == "Bearer new")
            }
            let refreshes = program.network.refreshes
            #expect(refreshes.count == 1)
            #expect(refreshes.first?.formValue("refresh_token") == "refresh_token")
            // A refresh request contains none of the other values from the text.
            #expect(refreshes.first?.formValue("access_token") == nil)
            #expect(refreshes.first?.formValue("userID") == nil)
        }
    }

    @Test(
        "Rejects a redirect URI that is not a URL",
        .original(
            "GTMAppAuth GTMOAuth2CompatibilityTests.testAuthSessionFromKeychainForPersistenceStringFailedWithBadURI"
        ),
        arguments: ["", "http://["]
    )
    func invalidRedirectURI(text: String) {
        #expect(throws: KeychainStore.Error.failedToConvertRedirectURItoURL(text)) {
            try Self.restored(redirectURI: text)
        }
    }

    @Test(
        "Accepts a redirect URI without a scheme",
        .original("GTMAppAuth GTMOAuth2Compatibility.authSession(forPersistenceString:)")
    )
    func relativeRedirectURI() throws {
        let session = try Self.restored(redirectURI: "callback")
        Self.check(session)
        #expect(session.authState.lastTokenResponse?.request.redirectURL?.absoluteString == "callback")
        Self.check(try AppAuthArchive.unarchive(AuthSession.self, from: AppAuthArchive.archive(session)))
    }

    @Test(
        "Keeps the other values of the text as additional parameters of the response",
        .original("GTMAppAuth GTMOAuth2Compatibility.authSession(forPersistenceString:)")
    )
    func additionalParameters() throws {
        let parameters = try #require(try Self.restored().authState.lastTokenResponse?.additionalParameters)
        let expected = [
            "serviceProvider": "fooProvider", "userEmail": "foo@foo.com", "userEmailIsVerified": "y",
            "userID": "123456789",
        ]
        #expect(parameters as? [String: String] == expected)
    }

    @Test(
        "Adds no parameters to the token request of a restored session, unlike GTMAppAuth",
        .original("GTMAppAuth GTMOAuth2Compatibility.authSession(forPersistenceString:)")
    )
    func requestParameters() throws {
        let request = try Self.restored().authState.lastTokenResponse?.request
        #expect(request?.additionalParameters?.isEmpty ?? true)
    }

    @Test(
        "Uses a whole value that contains an equals sign, unlike GTMAppAuth",
        .original("GTMAppAuth GTMOAuth2Compatibility.authSession(forPersistenceString:)")
    )
    func equalsSign() throws {
        #expect(try Self.restored("refresh_token=a=b").authState.refreshToken == "a=b")
    }

    @Test(
        "Reads the address from GTMOAuth2's older keys, unlike GTMAppAuth",
        .original("GTMAppAuth GTMOAuth2Compatibility.authSession(forPersistenceString:)")
    )
    func olderKeys() throws {
        let session = try Self.restored("email=foo%40foo.com&isVerified=1&refresh_token=refresh_token")
        #expect(session.userEmail == "foo@foo.com")
        #expect(session.userEmailIsVerified)
    }

    @Test(
        "Retrieves a session that was saved in GTMOAuth2's format",
        .original("GTMAppAuth GTMOAuth2CompatibilityTests.testAuthSessionFromKeychainForName")
    )
    func store() throws {
        let store = Self.store()
        try store.saveWithGTMOAuth2Format(forAuthSession: Self.session())
        Self.check(
            try store.retrieveAuthSessionInGTMOAuth2Format(
                tokenURL: try Samples.url("https://testTokenURL.com"),
                redirectURI: "https://testRedirectURI.com",
                clientID: "testClientID",
                clientSecret: "testClientSecret"
            )
        )
    }

    @Test(
        "Retrieves a session with Google's current token endpoint",
        .original(
            "GTMAppAuth GTMOAuth2CompatibilityTests.testAuthSessionFromKeychainUsingGoogleOAuthProviderInformation"
        )
    )
    func google() throws {
        let store = Self.store()
        try store.saveWithGTMOAuth2Format(forAuthSession: Self.session())
        let session = try store.retrieveAuthSessionForGoogleInGTMOAuth2Format(clientID: "id", clientSecret: "secret")
        Self.check(session)
        let request = try #require(session.authState.lastTokenResponse?.request)
        #expect(request.redirectURL?.absoluteString == "urn:ietf:wg:oauth:2.0:oob")
        #expect(request.configuration.tokenEndpoint.absoluteString == "https://oauth2.googleapis.com/token")
        #expect(session.authorizedOrigins.map(\.description) == ["https://*.googleapis.com"])
    }

    @Test(
        "Passes GTMAppAuth's accessibility to a custom helper, or none for the file-based keychain",
        .original("GTMAppAuth KeychainStore.saveWithGTMOAuth2Format(forAuthSession:)"),
        arguments: [
            ([], "text testName cku"),
            (
                [.useFileBasedKeychain],
                KeychainLocation.hasFileBasedKeychain ? "text testName" : "text testName cku"
            ),
        ] as [(Set<KeychainAttribute>, String)]
    )
    func accessibility(attributes: Set<KeychainAttribute>, call: String) throws {
        let helper = AppKeychainHelper(keychainAttributes: attributes)
        let store = KeychainStore(itemName: "testName", keychainHelper: helper)
        try store.saveWithGTMOAuth2Format(forAuthSession: Self.session())
        #expect(helper.calls == [call])
        #expect(helper.text("testName") == Self.text)
    }

    @Test(
        "Does not save without an item name",
        .original("GTMAppAuth GTMOAuth2CompatibilityTests.testSaveGTMOAuth2AuthSessionThrowsError")
    )
    func withoutName() throws {
        let store = Self.store()
        store.itemName = ""
        let session = try Self.session()
        #expect(throws: KeychainStore.Error.noService) { try store.saveWithGTMOAuth2Format(forAuthSession: session) }
    }

    @Test(
        "Does not save a session without values",
        .original("GTMAppAuth KeychainStore.saveWithGTMOAuth2Format(forAuthSession:)")
    )
    func saveEmptySession() throws {
        let session = AuthSession(
            authState: OIDAuthState(registrationResponse: try Samples.registrationResponse())
        )
        #expect(throws: KeychainStore.Error.failedToCreateResponseStringFromAuthSession(session)) {
            try Self.store().saveWithGTMOAuth2Format(forAuthSession: session)
        }
    }

    @Test(
        "Does not find a session in GTMOAuth2's format that was removed",
        .original("GTMAppAuth GTMOAuth2CompatibilityTests.testRemoveOAuth2AuthSession")
    )
    func remove() throws {
        let store = Self.store()
        try store.saveWithGTMOAuth2Format(forAuthSession: Self.session())
        try store.removeAuthSession()
        #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "testName")) {
            try store.retrieveAuthSession()
        }
    }
}
