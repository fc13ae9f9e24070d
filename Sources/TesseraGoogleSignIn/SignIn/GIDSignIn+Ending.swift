// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera
internal import TesseraGTMAppAuth

extension GIDSignIn {
    /// Signs out the current user in this app, without revoking access at Google.
    ///
    /// When this method returns, no user is signed in, and pending sign-ins end with `canceled`. The stored session and
    /// the item in ``googleSignInStore`` have usually been removed by then. If the removal takes more than 250
    /// milliseconds, for example because a refresh has to finish first, it completes shortly afterward. An item that
    /// cannot be decoded is retained.
    ///
    /// This method blocks the calling thread during that time and cannot report errors. To avoid both, use
    /// ``signOutAndWait()``.
    public func signOut() {
        let user = self.endCurrentUser()
        BlockingWork.begin { try? await self.forget(user) }
    }

    /// Signs out the current user in this app, waiting for the removal but not revoking access at Google.
    ///
    /// The user is signed out as soon as this method is called, even if it throws.
    ///
    /// - Throws: ``GIDSignInError`` `keychain` if an item could not be removed. The user would be restored at the next
    ///   launch, so call this method again.
    public func signOutAndWait() async throws {
        let user = self.endCurrentUser()
        try await self.mapping { try await self.forget(user) }
    }

    /// Revokes the user's access at Google, and then signs out the current user.
    ///
    /// - Parameter completion: Receives nil or a ``GIDSignInError``. After an error, the user is still signed in.
    public func disconnect(completion: (((any Error)?) -> Void)? = nil) {
        self.report(to: completion) { try await self.revoke() }
    }

    /// Revokes the user's access at Google, and then signs out the current user.
    public func disconnect() async throws {
        try await self.mapping { try await self.revoke() }
    }

    private func revoke() async throws {
        let (epoch, known) = self.state.withLock { ($0.epoch, $0.user?.session) }
        guard let session = if let known { known } else { try await self.previousSession(since: epoch) } else {
            return
        }
        do {
            try await session.disconnect(keepsOnFailure: true)
        } catch {
            throw GIDSignInError(mapping: error, isFromFetcher: true)
        }
        self.state.withLock { state in
            state.epoch += 1
            if state.user?.session === session { state.user = nil }
        }
    }

    private func endCurrentUser() -> GIDGoogleUser? {
        self.state.withLock { state in
            defer { state.user = nil }
            state.epoch += 1
            if !self.storesMultipleAccounts { state.pendingSignOuts += 1 }
            return state.user
        }
    }

    /// Removes a user's stored session.
    ///
    /// If only one account is retained, this method removes the sessions of all accounts.
    ///
    /// - Throws: The first error that occurred, after all removals have been attempted.
    private func forget(_ user: GIDGoogleUser?) async throws {
        var failure: (any Error)?
        func attempt(_ removal: () async throws -> Void) async {
            do { try await removal() } catch { failure = failure ?? error }
        }
        // Read the accounts now, because another user may sign in below while a session finishes its refresh.
        var others: [Account] = []
        if !self.storesMultipleAccounts { await attempt { others = try await self.knownSignIn()?.accounts() ?? [] } }
        await attempt { try await self.removeGoogleSignInStore() }
        if let user { await attempt { try await user.session.signOut() } }
        others.removeAll { $0 == user?.session.account }
        if !others.isEmpty { await attempt { try await self.signIn().signOut(others) } }
        if !self.storesMultipleAccounts { self.state.withLock { $0.pendingSignOuts -= 1 } }
        if let failure { throw failure }
    }
}
