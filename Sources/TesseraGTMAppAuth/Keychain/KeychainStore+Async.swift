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

    /// Calls ``retrieveAuthSession(withItemName:)`` without blocking the calling thread; nil is ``itemName``.
    public func loadAuthSession(withItemName itemName: String? = nil) async throws -> AuthSession {
        try await Self.executor.run { try self.retrieveAuthSession(withItemName: itemName ?? self.itemName) }
    }

    /// Calls ``save(authSession:withItemName:)`` without blocking the calling thread; nil is ``itemName``.
    public func storeAuthSession(_ authSession: AuthSession, withItemName itemName: String? = nil) async throws {
        try await Self.executor.run { try self.save(authSession: authSession, withItemName: itemName ?? self.itemName) }
    }

    /// Calls ``removeAuthSession(withItemName:)`` without blocking the calling thread; nil is ``itemName``.
    public func deleteAuthSession(withItemName itemName: String? = nil) async throws {
        try await Self.executor.run { try self.removeAuthSession(withItemName: itemName ?? self.itemName) }
    }

    /// Calls ``retrieveAuthSessionInGTMOAuth2Format(tokenURL:redirectURI:clientID:clientSecret:)`` without blocking the
    /// calling thread.
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

    /// Calls ``retrieveAuthSessionForGoogleInGTMOAuth2Format(clientID:clientSecret:)`` without blocking the calling thread.
    public func loadAuthSessionForGoogleInGTMOAuth2Format(
        clientID: String,
        clientSecret: String?
    ) async throws -> AuthSession {
        try await Self.executor.run {
            try self.retrieveAuthSessionForGoogleInGTMOAuth2Format(clientID: clientID, clientSecret: clientSecret)
        }
    }

    /// Calls ``saveWithGTMOAuth2Format(forAuthSession:)`` without blocking the calling thread.
    public func storeAuthSessionWithGTMOAuth2Format(_ authSession: AuthSession) async throws {
        try await Self.executor.run { try self.saveWithGTMOAuth2Format(forAuthSession: authSession) }
    }
}
