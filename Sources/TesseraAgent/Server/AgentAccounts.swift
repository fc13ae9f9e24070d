// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera

/// Whose tokens an agent gives: the door to the sessions of one store.
public protocol AgentAccounts: Sendable {
    /// Every account that is kept here, signed in or not.
    func records() async throws -> [SessionRecord]

    /// The account that a program means by a name; nil means the one that is meant where nobody names one.
    ///
    /// - Throws: ``AgentError``: `loginRequired` where there is none, `accountSelectionRequired` where there are several;
    ///   what the store throws.
    func record(named name: String?) async throws -> SessionRecord

    /// A sign-in over the store and the network that the record's session needs.
    func signIn(for record: SessionRecord) -> SignIn
}
