// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth

extension GIDSignIn {
    /// The seconds before its expiration at which a restored user's access token is refreshed, so that the app can
    /// start without network access.
    private static let restoredValidity = 600.0

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
        if self.restoration.isSigningOut { return false }
        guard let signIn = try await self.knownSignIn() else { return false }
        if try await signIn.restore() != nil { return true }
        return try await self.ancestorCredentials(for: signIn) != nil
    }

    /// Restores the user from the previous sign-in as the current user, without user interaction.
    ///
    /// If a session is stored, ``currentUser`` is set before this method returns, unless the store needs more than 250
    /// milliseconds. The calling thread is blocked during that time. The profile is completed from Google's userinfo
    /// endpoint if the stored ID token lacks a name or the picture.
    ///
    /// A user who signed in with Google's library is imported once, which requires network access. See
    /// ``googleSignInStore``.
    ///
    /// Without a ``configuration``, the client of a session in the app's keychain or of Google's library is used.
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
        let start = self.restoration
        if start.user == nil { BlockingWork.begin { _ = try? await self.storedUser(start) } }
        self.report(to: completion) { try await self.restored(start) }
    }

    /// Restores the user from the previous sign-in as the current user, without user interaction.
    @discardableResult
    public func restorePreviousSignIn() async throws -> GIDGoogleUser {
        try await self.mapping { try await self.restored(self.restoration) }
    }

    /// Returns all signed-in users, most recently selected first, without using the network.
    ///
    /// - Throws: ``GIDSignInError`` `keychain` if the stored sessions cannot be read.
    public func previousUsers() async throws -> [GIDGoogleUser] {
        try await self.mapping {
            guard let signIn = try await self.knownSignIn() else { return [] }
            let requiredClaims = try self.requiredClaims
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

    /// The state when a restoration begins.
    private struct Restoration: Sendable {
        let epoch: Int
        /// The current user, if there is one whose session has not ended.
        let user: GIDGoogleUser?
        /// Whether a sign-out is removing the stored session.
        let isSigningOut: Bool
    }

    private var restoration: Restoration {
        self.state.withLock { state in
            let user = state.user?.session.ended == nil ? state.user : nil
            return Restoration(epoch: state.epoch, user: user, isSigningOut: state.pendingSignOuts > 0)
        }
    }

    /// Makes the user of the stored session the current user, without using the network.
    private func storedUser(_ start: Restoration) async throws -> GIDGoogleUser? {
        if start.isSigningOut { throw GIDSignInError(.hasNoAuthInKeychain) }
        guard let signIn = try await self.knownSignIn(),
            let session = try await signIn.restore(requiredClaims: try self.requiredClaims)
        else {
            return nil
        }
        return try self.makeCurrent(self.user(of: session), since: start)
    }

    /// Makes a restored user the current user, and returns the current user.
    ///
    /// A sign-in that has completed since the restoration began takes precedence.
    private func makeCurrent(_ user: GIDGoogleUser, since start: Restoration) throws -> GIDGoogleUser {
        try self.state.withLock { state in
            guard state.epoch == start.epoch else { throw GIDSignInError(.hasNoAuthInKeychain) }
            if let current = state.user, current.session.ended == nil { return current }
            if let ended = user.session.ended { throw ended }
            state.user = user
            return user
        }
    }

    private func restored(_ start: Restoration) async throws -> GIDGoogleUser {
        if let user = start.user { return try await self.refreshed(user) { _ = try await user.freshen() } }
        var user = try await self.storedUser(start)
        if user == nil, let session = try await self.previousSession(since: start.epoch) {
            user = try self.makeCurrent(self.user(of: session), since: start)
        }
        guard let user else { throw GIDSignInError(.hasNoAuthInKeychain) }
        do {
            let restored = try await self.refreshed(user) {
                // In the background, tokens are refreshed only after they have expired.
                if user.session.runtime.suspension?.isInBackground() == true {
                    _ = try await user.session.accessToken()
                } else {
                    try await user.session.refreshAccessToken(expiringWithin: Self.restoredValidity)
                    await user.readProfile()
                }
            }
            return try self.makeCurrent(restored, since: start)
        } catch {
            if user.session.ended != nil { self.state.withLock { if $0.user === user { $0.user = nil } } }
            throw error
        }
    }

    /// Returns a user after a refresh.
    ///
    /// The user stays signed in if the provider cannot be reached.
    private func refreshed(_ user: GIDGoogleUser, _ refresh: () async throws -> Void) async throws -> GIDGoogleUser {
        do {
            try await refresh()
        } catch let error as any ErrorGuidance where !error.endsSession {}
        return user
    }

    /// Returns the stored session of the account with an identifier, if there is one.
    func session(of id: String) async throws -> OAuthSession? {
        guard let signIn = try await self.knownSignIn(),
            let account = try await signIn.accounts().first(where: { $0.id == id })
        else {
            return nil
        }
        return try await signIn.restore(account, requiredClaims: try self.requiredClaims)
    }

    private func user(of session: OAuthSession) -> GIDGoogleUser {
        if let current = self.currentUser, current.session === session { return current }
        return GIDGoogleUser(session, self, RepeatedParameters(session))
    }
}
