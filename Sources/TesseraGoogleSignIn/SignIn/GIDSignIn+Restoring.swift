// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth

extension GIDSignIn {
    /// How long an access token has to serve still, so that a restored user can begin without the network.
    private static let restoredValidity = Duration.seconds(600)

    /// Whether a user is signed in here, or was when the program ran last, whatever the user's domain.
    ///
    /// This call does not use the network. It reads the store and blocks its thread as long as that takes; it returns false
    /// where the store cannot be read, also because the device has not been unlocked since it was started.
    /// ``previousSignInExists()`` does not block and reports that. Before iOS 18 and macOS 15, a task that does not run on the
    /// main actor must not call this: it takes a thread away from all other tasks.
    public func hasPreviousSignIn() -> Bool {
        if let user = self.currentUser { return user.session.ended == nil }
        return AtOnce.result { try await self.findsPreviousSignIn() } ?? false
    }

    /// Returns whether a user is signed in here, or was when the program ran last, without blocking the calling thread.
    ///
    /// This call does not use the network. It has a name of its own: in an asynchronous function Swift would choose it over
    /// the synchronous ``hasPreviousSignIn()``, and code that was written for Google's library would not compile.
    ///
    /// - Throws: ``GIDSignInError`` `keychain`, as ``restorePreviousSignIn(completion:)``: whether there is a user is not
    ///   known then.
    public func previousSignInExists() async throws -> Bool {
        if let user = self.currentUser { return user.session.ended == nil }
        return try await self.mapping { try await self.findsPreviousSignIn() }
    }

    private func findsPreviousSignIn() async throws -> Bool {
        if try await self.signIn().restore() != nil { return true }
        return try await self.ancestorGrant() != nil
    }

    /// Makes the user of the program's last run the current one, without any interaction.
    ///
    /// A user who signed in with Google's own library is taken over, once; that needs the network: see ``ancestorStore``.
    ///
    /// A `keychain` error means that it is not known whether there is a user. Two causes need different reactions, and
    /// ``GIDSignInError/underlyingError`` tells them apart:
    ///
    /// - a `StoreError` with the code `deviceLocked`: the device has not been unlocked since it was started, for example
    ///   when the system starts an app in the background. Restore again when it has been unlocked
    ///   (`UIApplication.protectedDataDidBecomeAvailableNotification`). The error's `isRetryable` is true.
    /// - a `KeychainStore.Error`: the item that Google's library stored cannot be decoded. It stays in the keychain, also
    ///   after ``signOut()``, and a new sign-in works. `ancestorStore?.removeAuthSession()` removes it.
    ///
    /// - Parameter completion: gets the user, or a ``GIDSignInError``: `hasNoAuthInKeychain` where no user was signed in, or
    ///   none of the configuration's `hostedDomain`, `sessionEnded` where Google revoked the grant, `keychain` as above. A
    ///   missing network is not an error: the user is restored, and the next call that needs a token reports it.
    public func restorePreviousSignIn(completion: ((GIDGoogleUser?, (any Error)?) -> Void)? = nil) {
        self.report(to: completion) { try await self.restored() }
    }

    /// The same for callers that wait.
    @discardableResult
    public func restorePreviousSignIn() async throws -> GIDGoogleUser {
        try await self.mapping { try await self.restored() }
    }

    /// Everybody who is signed in here, the one that was chosen last first; without any network.
    ///
    /// - Throws: ``GIDSignInError`` `keychain`.
    public func previousUsers() async throws -> [GIDGoogleUser] {
        try await self.mapping {
            let signIn = try await self.signIn()
            let requiredClaims = try self.demandedConfiguration().requiredClaims
            var sessions: [OAuthSession] = []
            for account in try await signIn.accounts() {
                let session = try await signIn.restore(account, requiredClaims: requiredClaims)
                if let session { sessions.append(session) }
            }
            return sessions.sorted { $0.record.history.lastChosenAt > $1.record.history.lastChosenAt }
                .map { self.user(of: $0) }
        }
    }

    /// Makes one of ``previousUsers()`` the current user, in the next runs too.
    ///
    /// - Throws: ``GIDSignInError`` `hasNoAuthInKeychain` where the user has signed out meanwhile, `keychain`.
    public func makeCurrent(_ user: GIDGoogleUser) async throws {
        try await self.mapping {
            let epoch = self.state.withLock { $0.epoch }
            try await self.signIn().select(user.session.account)
            try self.state.withLock { state in
                guard state.epoch == epoch else { throw GIDSignInError(.hasNoAuthInKeychain) }
                state.user = user
            }
        }
    }

    private func restored() async throws -> GIDGoogleUser {
        let epoch = self.state.withLock { $0.epoch }
        guard let session = try await self.previousSession() else { throw GIDSignInError(.hasNoAuthInKeychain) }
        let user = self.user(of: session)
        do {
            // In the background nothing is refreshed ahead of need.
            let isInBackground = session.runtime.suspension?.isInBackground() == true
            _ =
                isInBackground
                ? try await session.accessToken() : try await session.accessToken(validFor: Self.restoredValidity)
        } catch let error as any ErrorGuidance where !error.endsSession {
            // Out of reach: whoever was signed in still is.
        }
        return try self.state.withLock { state in
            guard state.epoch == epoch else { throw GIDSignInError(.hasNoAuthInKeychain) }
            // A sign-in that ended meanwhile is newer.
            if let current = state.user { return current }
            state.user = user
            return user
        }
    }

    private func user(of session: OAuthSession) -> GIDGoogleUser {
        if let current = self.currentUser, current.session === session { return current }
        return GIDGoogleUser(session, self, claims: [])
    }
}
