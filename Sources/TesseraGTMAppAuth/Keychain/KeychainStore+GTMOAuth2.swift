// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

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
