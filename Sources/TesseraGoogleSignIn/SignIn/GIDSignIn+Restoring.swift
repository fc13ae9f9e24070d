// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth

extension GIDSignIn {
    /// The minimum lifetime of a restored user's access token, so that the app can start without network access.
    private static let restoredValidity = Duration.seconds(600)

    /// Returns whether a user is signed in, or was when the app last ran, regardless of the user's domain.
    ///
    /// This method does not use the network. It blocks its thread while it reads the store, and it returns false if the
    /// store cannot be read, for example because the device has not been unlocked since it started.
    /// ``previousSignInExists()`` does not block, and it reports such errors. On versions earlier than iOS 18 and macOS
    /// 15, do not call this method from a task that is not on the main actor, because it occupies a thread that all
    /// tasks share.
    public func hasPreviousSignIn() -> Bool {
        if let user = self.currentUser { return user.session.ended == nil }
        return BlockingWork.result { try await self.findsPreviousSignIn() } ?? false
    }

    /// Returns whether a user is signed in, or was when the app last ran, without blocking the calling thread.
    ///
    /// This method does not use the network. Its name differs from ``hasPreviousSignIn()``, because Swift would
    /// otherwise prefer this method in asynchronous functions, and code written for Google's library would not compile.
    ///
    /// - Throws: ``GIDSignInError`` `keychain` if it is not known whether there is a user, as described for
    ///   ``restorePreviousSignIn(completion:)``.
    public func previousSignInExists() async throws -> Bool {
        if let user = self.currentUser { return user.session.ended == nil }
        return try await self.mapping { try await self.findsPreviousSignIn() }
    }

    private func findsPreviousSignIn() async throws -> Bool {
        if try await self.signIn().restore() != nil { return true }
        return try await self.ancestorCredentials() != nil
    }

    /// Restores the user from the previous sign-in as the current user, without user interaction.
    ///
    /// A user who signed in with Google's library is imported once, which requires network access. See
    /// ``googleSignInStore``.
    ///
    /// A `keychain` error means that it is not known whether there is a user. Its ``GIDSignInError/underlyingError`` is
    /// one of the following:
    ///
    /// - A `StoreError` with the code `deviceLocked`: The device has not been unlocked since it started, for example
    ///   because the system launched the app in the background. Try again once the device has been unlocked
    ///   (`UIApplication.protectedDataDidBecomeAvailableNotification`). The error's `isRetryable` property is true.
    /// - A `KeychainStore.Error`: The item that Google's library stored cannot be decoded. It remains in the keychain,
    ///   even after ``signOut()``, and a new sign-in is possible. To remove the item, call
    ///   `googleSignInStore?.removeAuthSession()`.
    ///
    /// - Parameter completion: Receives the user or a ``GIDSignInError``. The code is `hasNoAuthInKeychain` if no user
    ///   in the configuration's `hostedDomain` was signed in, `sessionEnded` if Google revoked access, or `keychain`. A
    ///   lack of network access is not an error. In that case, the user is restored, and the next call that needs a
    ///   token reports the error.
    public func restorePreviousSignIn(completion: ((GIDGoogleUser?, (any Error)?) -> Void)? = nil) {
        self.report(to: completion) { try await self.restored() }
    }

    /// Restores the user from the previous sign-in as the current user, without user interaction.
    @discardableResult
    public func restorePreviousSignIn() async throws -> GIDGoogleUser {
        try await self.mapping { try await self.restored() }
    }

    /// Returns all signed-in users, most recently selected first, without using the network.
    ///
    /// - Throws: ``GIDSignInError`` `keychain` if the stored sessions cannot be read.
    public func previousUsers() async throws -> [GIDGoogleUser] {
        try await self.mapping {
            let signIn = try await self.signIn()
            let requiredClaims = try self.requiredConfiguration().requiredClaims
            var sessions: [OAuthSession] = []
            for account in try await signIn.accounts() {
                let session = try await signIn.restore(account, requiredClaims: requiredClaims)
                if let session { sessions.append(session) }
            }
            return sessions.sorted { $0.record.history.lastChosenAt > $1.record.history.lastChosenAt }
                .map { self.user(of: $0) }
        }
    }

    /// Makes one of ``previousUsers()`` the current user, now and at the next launch.
    ///
    /// - Throws: ``GIDSignInError`` `hasNoAuthInKeychain` if the user has signed out in the meantime, or `keychain` if
    ///   the stored session cannot be read or written.
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
            // In the background, tokens are refreshed only after they have expired.
            let isInBackground = session.runtime.suspension?.isInBackground() == true
            _ =
                isInBackground
                ? try await session.accessToken() : try await session.accessToken(validFor: Self.restoredValidity)
        } catch let error as any ErrorGuidance where !error.endsSession {
            // The user stays signed in if the provider cannot be reached.
        }
        return try self.state.withLock { state in
            guard state.epoch == epoch else { throw GIDSignInError(.hasNoAuthInKeychain) }
            // A sign-in that has completed in the meantime takes precedence.
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
