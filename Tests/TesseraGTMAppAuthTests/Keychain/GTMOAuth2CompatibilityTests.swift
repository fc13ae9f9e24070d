// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraTesting
internal import Testing

@Suite("GTMOAuth2 compatibility")
struct GTMOAuth2CompatibilityTests {
    private static let text = """
        access_token=an%26access&refresh_token=a%20refresh&scope=openid%20email&serviceProvider=Google&\
        userEmail=foo%40foo.com&userEmailIsVerified=y&userID=1
        """

    private static func session(_ text: String = Self.text, redirectURI: String = "urn:ietf:wg:oauth:2.0:oob") throws
        -> AuthSession
    {
        try GTMOAuth2Compatibility.authSession(
            forPersistenceString: text,
            tokenURL: try Samples.url("https://server.example/token"),
            redirectURI: redirectURI,
            clientID: "client",
            clientSecret: "secret"
        )
    }

    @Test("Converts a persistence string to a session and back")
    func roundTrip() throws {
        let session = try Self.session()
        #expect(session.userID == "1")
        #expect(session.userEmail == "foo@foo.com")
        #expect(session.userEmailIsVerified)
        #expect(session.serviceProvider == "Google")
        #expect(session.authState.scope == "openid email")
        #expect(session.authState.refreshToken == "a refresh")
        #expect(session.canAuthorize)
        #expect(session.authState.lastTokenResponse?.accessToken == "an&access")
        #expect(GTMOAuth2Compatibility.persistenceResponseString(forAuthSession: session) == Self.text)
        let empty = AuthSession(authState: OIDAuthState(authorizationResponse: nil))
        #expect(GTMOAuth2Compatibility.persistenceResponseString(forAuthSession: empty) == nil)
    }

    @Test("Reads GTMOAuth2's older names and prefers the newer ones")
    func olderNames() throws {
        let old = try Self.session("email=foo%40foo.com&isVerified=1&refresh_token=r")
        #expect(old.userEmail == "foo@foo.com")
        #expect(old.userEmailIsVerified)
        let both = try Self.session("email=old&isVerified=1&userEmail=new&userEmailIsVerified=n")
        #expect(both.userEmail == "new")
        #expect(!both.userEmailIsVerified)
    }

    @Test("Rejects a redirect URI that is not a URL", arguments: ["", "http://["])
    func redirectURI(_ text: String) {
        #expect(throws: KeychainStore.Error.failedToConvertRedirectURItoURL(text)) {
            try Self.session(redirectURI: text)
        }
    }

    @Test("Refreshes the token of a restored session on first use")
    func refreshes() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let before = try await program.state()
            let text = "access_token=old&refresh_token=\(before.refreshToken ?? "")&scope=openid"
            let session = try GTMOAuth2Compatibility.authSession(
                forPersistenceString: text,
                tokenURL: program.url(ScriptedProvider.issuer + "/token"),
                redirectURI: "com.example.app:/callback",
                clientID: ScriptedProvider.clientID,
                clientSecret: nil
            )
            let delegate = Delegate(parameters: program.proof)
            session.delegate = delegate
            #expect(try await session.accessToken().secret.withUnredacted { $0 } != "old")
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test("Saves and reads the GTMOAuth2 format in the keychain")
    func store() throws {
        let keychain = RecordingKeychain()
        let store = KeychainStore(itemName: "old", keychainHelper: PlatformKeychain(KeychainPasswords(keychain, [])))
        try store.saveWithGTMOAuth2Format(forAuthSession: try Self.session())
        #expect(keychain.items.first.map { String(decoding: $0.item.data, as: UTF8.self) } == Self.text)
        let url = try Samples.url("https://server.example/token")
        let session = try store.retrieveAuthSessionInGTMOAuth2Format(
            tokenURL: url,
            redirectURI: "com.example.app:/callback",
            clientID: "client",
            clientSecret: nil
        )
        #expect(session.authState.refreshToken == "a refresh")
        let google = try store.retrieveAuthSessionForGoogleInGTMOAuth2Format(clientID: "client", clientSecret: "secret")
        #expect(google.authorizedOrigins.map(\.description) == ["https://*.googleapis.com"])
        let empty = AuthSession(authState: OIDAuthState(authorizationResponse: nil))
        #expect(throws: KeychainStore.Error.failedToCreateResponseStringFromAuthSession(empty)) {
            try store.saveWithGTMOAuth2Format(forAuthSession: empty)
        }
        try store.removeAuthSession()
        #expect(throws: KeychainStore.Error.passwordNotFound(forItemName: "old")) {
            try store.retrieveAuthSessionForGoogleInGTMOAuth2Format(clientID: "client", clientSecret: "secret")
        }
    }

    @Test("Reads and writes the GTMOAuth2 format without blocking a task's thread")
    func asynchronous() async throws {
        let keychain = RecordingKeychain()
        let store = KeychainStore(itemName: "old", keychainHelper: PlatformKeychain(KeychainPasswords(keychain, [])))
        try await store.storeAuthSessionWithGTMOAuth2Format(try Self.session())
        #expect(keychain.items.first.map { String(decoding: $0.item.data, as: UTF8.self) } == Self.text)
        let session = try await store.loadAuthSessionInGTMOAuth2Format(
            tokenURL: try Samples.url("https://server.example/token"),
            redirectURI: "com.example.app:/callback",
            clientID: "client",
            clientSecret: nil
        )
        #expect(session.authState.refreshToken == "a refresh")
        let google = try await store.loadAuthSessionForGoogleInGTMOAuth2Format(
            clientID: "client",
            clientSecret: "secret"
        )
        #expect(google.authorizedOrigins.map(\.description) == ["https://*.googleapis.com"])
        #expect(!keychain.wasCalledByTask)
    }
}
