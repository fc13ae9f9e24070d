// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraMigration

/// Sessions in the format of GTMOAuth2, the predecessor of GTMAppAuth.
extension KeychainStore {
    /// Loads the session that GTMOAuth2 or ``saveWithGTMOAuth2Format(forAuthSession:)`` saved under this store's item
    /// name.
    ///
    /// - Parameters:
    ///   - tokenURL: The token endpoint.
    ///   - redirectURI: The redirect URI used for the sign-in.
    ///   - clientID: The client identifier.
    ///   - clientSecret: The client secret, or nil for a public client.
    /// - Returns: The session. The tokens are refreshed the first time it is used, because the format does not contain
    ///   an expiration date.
    /// - Throws: `passwordNotFound` if there is no item, `unexpectedPasswordData` if the item is not text, or
    ///   `failedToConvertRedirectURItoURL` if the redirect URI is not a URL.
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

    /// Loads a Google session that was saved in GTMOAuth2's format.
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

    /// Saves a session in GTMOAuth2's format, for apps that still use it.
    ///
    /// - Throws: `failedToCreateResponseStringFromAuthSession` if the session has no tokens to save.
    public func saveWithGTMOAuth2Format(forAuthSession authSession: AuthSession) throws {
        guard let text = GTMOAuth2Compatibility.persistenceResponseString(forAuthSession: authSession) else {
            throw Error.failedToCreateResponseStringFromAuthSession(authSession)
        }
        if let accessibility {
            try self.keychainHelper.setPassword(text, forService: self.itemName, accessibility: accessibility)
        } else {
            try self.keychainHelper.setPassword(text, forService: self.itemName)
        }
    }
}

/// Converts sessions to and from the format of GTMOAuth2, the predecessor of GTMAppAuth.
public enum GTMOAuth2Compatibility {
    /// The redirect URI used by GTMOAuth2's Google clients.
    static let nativeClientRedirectURI = "urn:ietf:wg:oauth:2.0:oob"

    /// Returns a string that contains the session's tokens, or nil if there is nothing to save.
    ///
    /// Protect the string as you would protect the tokens.
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

    /// Creates a session from a string in GTMOAuth2's format.
    ///
    /// - Parameters:
    ///   - persistenceString: The string that GTMOAuth2 or GTMAppAuth saved.
    ///   - tokenURL: The token endpoint.
    ///   - redirectURI: The redirect URI used for the sign-in.
    ///   - clientID: The client identifier.
    ///   - clientSecret: The client secret, or nil for a public client.
    /// - Returns: The session. The tokens are refreshed the first time it is used, because the format does not contain
    ///   an expiration date.
    /// - Throws: ``KeychainStore/Error`` `failedToConvertRedirectURItoURL` if the redirect URI is not a URL.
    public static func authSession(
        forPersistenceString persistenceString: String,
        tokenURL: URL,
        redirectURI: String,
        clientID: String,
        clientSecret: String?
    ) throws -> AuthSession {
        guard let redirectURL = URL(string: redirectURI) else {
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
        let now = AppAuthEnvironment.now()
        let state = OIDAuthState(
            authorizationResponse: OIDAuthorizationResponse(
                request: authorization,
                parameters: text.members,
                receivedAt: now
            ),
            tokenResponse: OIDTokenResponse(request: exchange, parameters: text.members, receivedAt: now)
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
