// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Synchronization
internal import Tessera
internal import TesseraGTMAppAuth

extension GIDSignIn {
    /// Signs the current user out here; Google is not told.
    ///
    /// Nobody is signed in when this returns, and sign-ins that are open come to nothing. The session's record is removed:
    /// mostly before this returns, and soon after where a refresh is under way, which has to end first.
    public func signOut() {
        let user = self.state.withLock { state in
            defer { state.user = nil }
            state.epoch += 1
            return state.user
        }
        // At once, as Google's own library does it: who is there still would be taken over at the next start.
        try? self.ancestorStore?.removeAuthSession()
        AtOnce.begin { await self.forget(user) }
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

    /// Removes a user's record; without a user, as after a start, those of all people where only one is kept.
    private func forget(_ user: GIDGoogleUser?) async {
        if let user { try? await user.session.signOut() }
        if !self.keepsSeveralAccounts { try? await self.signIn().signOutAll() }
    }
}
