// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
internal import TesseraSupport

/// The calls of GTMAppAuth for asynchronous code.
///
/// They have names of their own: in an asynchronous function Swift would choose an asynchronous function of the same name,
/// and programs that were written for GTMAppAuth would not compile.
extension KeychainStore {
    /// The keychain may ask the user: nothing else waits for that.
    private static let executor = BlockingExecutor()

    /// Returns the session that is stored, without blocking the calling thread.
    ///
    /// - Parameter itemName: the item; nil is ``itemName``.
    /// - Returns: the session.
    /// - Throws: the same as ``retrieveAuthSession(withItemName:)``.
    public func loadAuthSession(withItemName itemName: String? = nil) async throws -> AuthSession {
        try await Self.executor.run { try self.retrieveAuthSession(withItemName: itemName ?? self.itemName) }
    }

    /// Replaces the session that is stored, without blocking the calling thread.
    ///
    /// - Parameters:
    ///   - authSession: the new session.
    ///   - itemName: the item; nil is ``itemName``.
    /// - Throws: the same as ``save(authSession:withItemName:)``.
    public func storeAuthSession(_ authSession: AuthSession, withItemName itemName: String? = nil) async throws {
        try await Self.executor.run { try self.save(authSession: authSession, withItemName: itemName ?? self.itemName) }
    }

    /// Removes the session that is stored, without blocking the calling thread.
    ///
    /// - Parameter itemName: the item; nil is ``itemName``.
    /// - Throws: the same as ``removeAuthSession(withItemName:)``.
    public func deleteAuthSession(withItemName itemName: String? = nil) async throws {
        try await Self.executor.run { try self.removeAuthSession(withItemName: itemName ?? self.itemName) }
    }

    /// Returns the session that GTMOAuth2 stored, without blocking the calling thread.
    ///
    /// - Parameters:
    ///   - tokenURL: the token endpoint.
    ///   - redirectURI: the redirect URI of the sign-in.
    ///   - clientID: the client.
    ///   - clientSecret: its secret; nil where it has none.
    /// - Returns: the session; its first use refreshes the token, since the format knows no time.
    /// - Throws: the same as
    ///   ``retrieveAuthSessionInGTMOAuth2Format(tokenURL:redirectURI:clientID:clientSecret:)``.
    public func loadAuthSessionInGTMOAuth2Format(
        tokenURL: URL,
        redirectURI: String,
        clientID: String,
        clientSecret: String?
    ) async throws -> AuthSession {
        try await Self.executor.run {
            try self.retrieveAuthSessionInGTMOAuth2Format(
                tokenURL: tokenURL,
                redirectURI: redirectURI,
                clientID: clientID,
                clientSecret: clientSecret
            )
        }
    }

    /// Returns the session that GTMOAuth2 stored for Google, without blocking the calling thread.
    ///
    /// - Parameters:
    ///   - clientID: the client.
    ///   - clientSecret: its secret; nil where it has none.
    /// - Returns: the session; its first use refreshes the token, since the format knows no time.
    /// - Throws: the same as ``retrieveAuthSessionForGoogleInGTMOAuth2Format(clientID:clientSecret:)``.
    public func loadAuthSessionForGoogleInGTMOAuth2Format(
        clientID: String,
        clientSecret: String?
    ) async throws -> AuthSession {
        try await Self.executor.run {
            try self.retrieveAuthSessionForGoogleInGTMOAuth2Format(clientID: clientID, clientSecret: clientSecret)
        }
    }

    /// Replaces the session that is stored in GTMOAuth2's format, without blocking the calling thread.
    ///
    /// - Parameter authSession: the new session.
    /// - Throws: the same as ``saveWithGTMOAuth2Format(forAuthSession:)``.
    public func storeAuthSessionWithGTMOAuth2Format(_ authSession: AuthSession) async throws {
        try await Self.executor.run { try self.saveWithGTMOAuth2Format(forAuthSession: authSession) }
    }
}
