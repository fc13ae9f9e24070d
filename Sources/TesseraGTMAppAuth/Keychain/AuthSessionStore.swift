// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Keeps an ``AuthSession`` for the program's next run.
public protocol AuthSessionStore: AnyObject {
    /// Puts a session in place of the one that is kept.
    func save(authSession: AuthSession) throws

    /// Removes the session that is kept; throws where there is none.
    func removeAuthSession() throws

    /// The session that is kept; throws where there is none.
    func retrieveAuthSession() throws -> AuthSession
}

/// The older name of ``AuthSessionStore``.
public typealias GTMAuthSessionStore = AuthSessionStore
