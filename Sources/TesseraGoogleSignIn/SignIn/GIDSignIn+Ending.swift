// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera
internal import TesseraGTMAppAuth

extension GIDSignIn {
    /// Signs the current user out here; Google is not told.
    ///
    /// No user is signed in when this returns, and sign-ins that are open end with `canceled`. The session's record and the
    /// item of ``ancestorStore`` are removed: usually before this returns, and soon after if that takes more than 250
    /// milliseconds, for example because a refresh has to end first. An item that cannot be decoded stays.
    ///
    /// This call blocks for that time and cannot report an error. ``signOutAndWait()`` does not block and reports it.
    public func signOut() {
        let user = self.endCurrentUser()
        AtOnce.begin { try? await self.forget(user) }
    }

    /// Signs the current user out here and returns when everything is removed; Google is not told.
    ///
    /// No user is signed in from the start of this call, even if it throws.
    ///
    /// - Throws: ``GIDSignInError`` `keychain` where something could not be removed: it would be restored at the next
    ///   start. Call it again.
    public func signOutAndWait() async throws {
        let user = self.endCurrentUser()
        try await self.mapping { try await self.forget(user) }
    }

    /// Revokes what the current user granted, at Google, and signs the user out here when that is done.
    ///
    /// - Parameter completion: gets nil, or a ``GIDSignInError``; then the user is still signed in.
    public func disconnect(completion: (((any Error)?) -> Void)? = nil) {
        self.report(to: completion) { try await self.revoke() }
    }

    /// The same for callers that wait.
    public func disconnect() async throws {
        try await self.mapping { try await self.revoke() }
    }

    private func revoke() async throws {
        let known = self.currentUser?.session
        guard let session = if let known { known } else { try await self.previousSession() } else { return }
        try await session.disconnect(keepsOnFailure: true)
        self.state.withLock { state in
            state.epoch += 1
            if state.user?.session === session { state.user = nil }
        }
    }

    private func endCurrentUser() -> GIDGoogleUser? {
        self.state.withLock { state in
            defer { state.user = nil }
            state.epoch += 1
            return state.user
        }
    }

    /// Removes a user's record; without a user, as after a start, those of all users where only one is stored.
    ///
    /// - Throws: the first error, after everything was tried.
    private func forget(_ user: GIDGoogleUser?) async throws {
        var failure: (any Error)?
        func attempt(_ removal: () async throws -> Void) async {
            do { try await removal() } catch { failure = failure ?? error }
        }
        // Those of now: a session that has to end its refresh first lets a new sign-in come before its end.
        var others: [Account] = []
        if !self.keepsSeveralAccounts { await attempt { others = try await self.signIn().accounts() } }
        await attempt { try await self.forgetAncestor() }
        if let user { await attempt { try await user.session.signOut() } }
        others.removeAll { $0 == user?.session.account }
        if !others.isEmpty { await attempt { try await self.signIn().signOut(others) } }
        if let failure { throw failure }
    }
}
