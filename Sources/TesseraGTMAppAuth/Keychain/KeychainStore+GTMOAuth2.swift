// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraMigration

/// Sessions in the format of GTMOAuth2, the ancestor of GTMAppAuth.
extension KeychainStore {
    /// The session that GTMOAuth2, or ``saveWithGTMOAuth2Format(forAuthSession:)``, has kept under this item's name.
    ///
    /// - Parameters:
    ///   - tokenURL: the token endpoint.
    ///   - redirectURI: the redirect URI of the sign-in.
    ///   - clientID: the client.
    ///   - clientSecret: its secret; nil where it has none.
    /// - Returns: the session; its first use refreshes the token, since the format knows no time.
    /// - Throws: `passwordNotFound`, `unexpectedPasswordData`, `failedToConvertRedirectURItoURL`.
    public func retrieveAuthSessionInGTMOAuth2Format(
        tokenURL: URL,
        redirectURI: String,
        clientID: String,
        clientSecret: String?
    ) throws -> AuthSession {
        try GTMOAuth2Compatibility.authSession(
            forPersistenceString: try self.keychainHelper.password(forService: self.itemName),
            tokenURL: tokenURL,
            redirectURI: redirectURI,
            clientID: clientID,
            clientSecret: clientSecret
        )
    }

    /// The same for Google.
    public func retrieveAuthSessionForGoogleInGTMOAuth2Format(
        clientID: String,
        clientSecret: String?
    ) throws -> AuthSession {
        try self.retrieveAuthSessionInGTMOAuth2Format(
            tokenURL: AuthSession.configurationForGoogle().tokenEndpoint,
            redirectURI: GTMOAuth2Compatibility.nativeClientRedirectURI,
            clientID: clientID,
            clientSecret: clientSecret
        )
    }

    /// Keeps a session in that format, for a program of before.
    ///
    /// - Throws: `failedToCreateResponseStringFromAuthSession` for a session with nothing to keep.
    public func saveWithGTMOAuth2Format(forAuthSession authSession: AuthSession) throws {
        guard let text = GTMOAuth2Compatibility.persistenceResponseString(forAuthSession: authSession) else {
            throw Error.failedToCreateResponseStringFromAuthSession(authSession)
        }
        try self.keychainHelper.setPassword(text, forService: self.itemName)
    }
}

/// Sessions to and from the text in which GTMOAuth2, the ancestor of GTMAppAuth, keeps them.
public enum GTMOAuth2Compatibility {
    /// What GTMOAuth2's Google clients were redirected to.
    static let nativeClientRedirectURI = "urn:ietf:wg:oauth:2.0:oob"

    /// A session as text, with its tokens: as secret as they are; nil where it has nothing to keep.
    public static func persistenceResponseString(forAuthSession authSession: AuthSession) -> String? {
        typealias Key = GTMOAuth2PersistenceString.Key
        var text = GTMOAuth2PersistenceString()
        text[Key.accessToken] = authSession.authState.lastTokenResponse?.accessToken
        text[Key.refreshToken] = authSession.authState.refreshToken
        text[Key.scope] = authSession.authState.scope
        text[Key.serviceProvider] = authSession.serviceProvider
        text[Key.userEmail] = authSession.userEmail
        text[Key.userEmailIsVerified] = authSession.userEmailIsVerifiedText
        text[Key.userID] = authSession.userID
        return text.isEmpty ? nil : text.encoded
    }

    /// The session of a text.
    ///
    /// - Parameters:
    ///   - persistenceString: what GTMOAuth2 or GTMAppAuth has kept.
    ///   - tokenURL: the token endpoint.
    ///   - redirectURI: the redirect URI of the sign-in.
    ///   - clientID: the client.
    ///   - clientSecret: its secret; nil where it has none.
    /// - Returns: the session; its first use refreshes the token, since the format knows no time.
    /// - Throws: ``KeychainStore/Error`` `failedToConvertRedirectURItoURL`.
    public static func authSession(
        forPersistenceString persistenceString: String,
        tokenURL: URL,
        redirectURI: String,
        clientID: String,
        clientSecret: String?
    ) throws -> AuthSession {
        guard let redirectURL = URL(string: redirectURI), redirectURL.scheme != nil else {
            throw KeychainStore.Error.failedToConvertRedirectURItoURL(redirectURI)
        }
        typealias Key = GTMOAuth2PersistenceString.Key
        let text = GTMOAuth2PersistenceString(parsing: persistenceString)
        let configuration = OIDServiceConfiguration(authorizationEndpoint: tokenURL, tokenEndpoint: tokenURL)
        let authorization = OIDAuthorizationRequest(
            configuration: configuration,
            clientId: clientID,
            clientSecret: clientSecret,
            scope: text[Key.scope],
            redirectURL: redirectURL,
            responseType: OIDResponseTypeCode,
            state: nil,
            nonce: nil,
            codeVerifier: nil,
            codeChallenge: nil,
            codeChallengeMethod: nil,
            additionalParameters: nil
        )
        let exchange = OIDTokenRequest(
            configuration: configuration,
            grantType: "token",
            redirectURL: redirectURL,
            clientID: clientID,
            clientSecret: clientSecret,
            scope: text[Key.scope],
            refreshToken: text[Key.refreshToken]
        )
        let members = [Key.accessToken, Key.refreshToken, Key.scope].compactMap { key in text[key].map { (key, $0) } }
        let parameters = Dictionary(uniqueKeysWithValues: members)
        let state = OIDAuthState(
            authorizationResponse: OIDAuthorizationResponse(request: authorization, parameters: parameters),
            tokenResponse: OIDTokenResponse(request: exchange, parameters: parameters)
        )
        state.setNeedsTokenRefresh()
        return AuthSession(
            authState: state,
            serviceProvider: text[Key.serviceProvider],
            userID: text[Key.userID],
            userEmail: text[Key.userEmail] ?? text[Key.email],
            userEmailIsVerified: text[Key.userEmailIsVerified] ?? text[Key.isVerified]
        )
    }
}
