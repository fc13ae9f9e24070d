// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraMigration

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
