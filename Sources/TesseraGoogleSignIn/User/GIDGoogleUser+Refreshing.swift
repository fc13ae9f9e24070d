// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension GIDGoogleUser {
    /// Refreshes the tokens when the access token or the ID token ends within 60 seconds; else does nothing.
    ///
    /// However many callers wait, Google is asked once; new tokens are saved before anybody gets them.
    ///
    /// - Parameter completion: gets this user, or a ``GIDSignInError``: `refreshTokenExpired` and `sessionEnded` where the
    ///   person has to sign in again; after any other the user is still signed in.
    public func refreshTokensIfNeeded(completion: @escaping (GIDGoogleUser?, (any Error)?) -> Void) {
        self.signIn.report(to: completion) { try await self.freshen() }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: ``GIDSignInError``.
    @discardableResult
    public func refreshTokensIfNeeded() async throws -> GIDGoogleUser {
        try await self.signIn.mapping { try await self.freshen() }
    }
}
