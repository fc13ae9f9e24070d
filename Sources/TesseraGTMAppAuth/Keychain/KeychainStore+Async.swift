// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera

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
}
