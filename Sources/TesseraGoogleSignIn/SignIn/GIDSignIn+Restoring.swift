// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Synchronization
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth

extension GIDSignIn {
    /// How long an access token has to serve still, so that a restored user can begin without the network.
    private static let restoredValidity = Duration.seconds(600)

    /// Whether somebody is signed in here, or was when the program ran last.
    ///
    /// The network is not asked; the store is, and the caller waits for it.
    public func hasPreviousSignIn() -> Bool {
        if let user = self.currentUser { return user.session.ended == nil }
        return AtOnce.result {
            if try await self.signIn().restore() != nil { return true }
            return try await self.ancestorGrant() != nil
        } ?? false
    }

    /// Makes the user of the program's last run the current one, without anybody doing anything.
    ///
    /// Somebody who signed in with Google's own library is taken over, once; that needs the network: see ``ancestorStore``.
    ///
    /// - Parameter completion: gets the user, or a ``GIDSignInError``: `hasNoAuthInKeychain` where nobody was signed in,
    ///   `sessionEnded` where Google took the grant back. A network that is not there is no error: the user is restored,
    ///   and the next call that needs a token says what is wrong.
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
            var sessions: [OAuthSession] = []
            for account in try await signIn.accounts() {
                if let session = try await signIn.restore(account) { sessions.append(session) }
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
            try await self.signIn().select(user.session.account)
            self.state.withLock { $0.user = user }
        }
    }

    private func restored() async throws -> GIDGoogleUser {
        let epoch = self.state.withLock { $0.epoch }
        guard let session = try await self.previousSession() else { throw GIDSignInError(.hasNoAuthInKeychain) }
        let user = self.user(of: session)
        do {
            _ = try await session.accessToken(validFor: Self.restoredValidity)
        } catch let error as any ErrorGuidance where error.sessionSurvives {
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
