// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
internal import TesseraSupport

/// Asynchronous variants of GTMAppAuth's methods.
///
/// The names differ from GTMAppAuth's. If they were the same, Swift would prefer the asynchronous variants in
/// asynchronous functions, and apps written for GTMAppAuth would not compile.
extension KeychainStore {
    /// A dedicated executor, because the keychain can block while it prompts the user.
    private static let executor = BlockingExecutor()

    /// Loads a session without blocking the calling thread.
    ///
    /// The default for `itemName` is the store's item name.
    public func loadAuthSession(withItemName itemName: String? = nil) async throws -> AuthSession {
        try await Self.executor.run { try self.retrieveAuthSession(withItemName: itemName ?? self.itemName) }
    }

    /// Saves a session without blocking the calling thread.
    ///
    /// The default for `itemName` is the store's item name.
    public func storeAuthSession(_ authSession: AuthSession, withItemName itemName: String? = nil) async throws {
        try await Self.executor.run { try self.save(authSession: authSession, withItemName: itemName ?? self.itemName) }
    }

    /// Removes a session without blocking the calling thread.
    ///
    /// The default for `itemName` is the store's item name.
    public func deleteAuthSession(withItemName itemName: String? = nil) async throws {
        try await Self.executor.run { try self.removeAuthSession(withItemName: itemName ?? self.itemName) }
    }

    /// Loads a session in GTMOAuth2's format without blocking the calling thread.
    ///
    /// See ``retrieveAuthSessionInGTMOAuth2Format(tokenURL:redirectURI:clientID:clientSecret:)``.
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

    /// Loads a Google session in GTMOAuth2's format without blocking the calling thread.
    public func loadAuthSessionForGoogleInGTMOAuth2Format(
        clientID: String,
        clientSecret: String?
    ) async throws -> AuthSession {
        try await Self.executor.run {
            try self.retrieveAuthSessionForGoogleInGTMOAuth2Format(clientID: clientID, clientSecret: clientSecret)
        }
    }

    /// Saves a session in GTMOAuth2's format without blocking the calling thread.
    public func storeAuthSessionWithGTMOAuth2Format(_ authSession: AuthSession) async throws {
        try await Self.executor.run { try self.saveWithGTMOAuth2Format(forAuthSession: authSession) }
    }
}
