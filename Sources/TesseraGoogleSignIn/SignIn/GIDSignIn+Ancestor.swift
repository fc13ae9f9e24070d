// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraStores
internal import TesseraSupport
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth

extension GIDSignIn {
    /// Returns the session from the previous sign-in, which may have been made with Google's library.
    ///
    /// - Throws: An error if the credentials from Google's library cannot be read or imported. The credentials are
    ///   retained for the next attempt.
    func previousSession() async throws -> OAuthSession? {
        let epoch = self.state.withLock { $0.epoch }
        let signIn = try await self.signIn()
        let requiredClaims = try self.requiredConfiguration().requiredClaims
        if let session = try await signIn.restore(requiredClaims: requiredClaims) { return session }
        guard let credentials = try await self.ancestorCredentials() else { return nil }
        do {
            let session = try await signIn.adopt(credentials, options: try await self.options(Consent()))
            let isWanted = self.state.withLock { $0.epoch == epoch || $0.user?.session === session }
            guard isWanted else {
                // The user signed out during the request to Google.
                try? await session.signOut()
                throw GIDSignInError(.hasNoAuthInKeychain)
            }
            try? await self.removeGoogleSignInStore()
            return session
        } catch let ended as SessionEndedError {
            try? await self.removeGoogleSignInStore()
            throw ended
        }
    }

    /// Returns the credentials that Google's library stored for this client, if any.
    ///
    /// - Throws: An error if there is an item but it cannot be read, or `invalidConfiguration` if its token would leave
    ///   the keychain.
    func ancestorCredentials() async throws -> ExistingCredentials? {
        guard let store = self.googleSignInStore else { return nil }
        let clientID = try self.requiredConfiguration().clientID
        let state: OIDAuthState
        do {
            state = try await store.loadAuthSession().authState
        } catch let error as KeychainStore.Error {
            guard let error = error.reported(store) else { return nil }
            throw error
        }
        guard state.isAuthorized, let refreshToken = state.refreshToken,
            clientID == state.lastAuthorizationResponse?.request.clientID
                ?? state.lastTokenResponse?.request.clientID
        else {
            return nil
        }
        try await self.checkDestination(of: store)
        return ExistingCredentials(
            refreshToken: Secret(refreshToken),
            idToken: state.lastTokenResponse?.idToken.map { Secret($0) },
            scopes: ScopeList.scopes(state.scope ?? "")
        )
    }

    /// Checks that a token does not move from the keychain to a different kind of store, unless the app allows this.
    private func checkDestination(of ancestor: KeychainStore) async throws {
        guard ancestor.isInKeychain, !self.allowsGoogleSignInStoreOutsideKeychain else { return }
        guard try await self.signIn().store is KeychainSessionStore else {
            throw GIDSignInError(
                .invalidConfiguration,
                detail: """
                    the keychain item "\(ancestor.itemName)" of Google's library contains a session, but the store of \
                    this sign-in is not a keychain. The item is unchanged. Use a KeychainSessionStore, or set \
                    allowsGoogleSignInStoreOutsideKeychain
                    """
            )
        }
    }

    /// Removes the item that Google's library stored.
    ///
    /// An item that cannot be decoded is retained.
    func removeGoogleSignInStore() async throws {
        guard let store = self.googleSignInStore else { return }
        do {
            _ = try await store.loadAuthSession()
            try await store.deleteAuthSession()
        } catch KeychainStore.Error.failedToConvertKeychainDataToAuthSession {
            // The item cannot be used for signing in here, but another version may be able to decode it.
        } catch let error as KeychainStore.Error {
            if let error = error.reported(store) { throw error }
        }
    }
}

extension KeychainStore.Error {
    /// Returns the error to report, or nil if the error means that there is no item.
    fileprivate func reported(_ store: KeychainStore) -> (any Error)? {
        switch self {
        case .passwordNotFound, .failedToDeletePasswordBecauseItemNotFound,
            // An app without this entitlement has no keychain where Google's library could have stored an item.
            .unhandled(status: KeychainStatus.missingEntitlement):
            nil
        case .unhandled(let status):
            StoreError.keychain(
                status,
                "SecItem",
                "keychain item \(store.itemName)",
                message: nil,
                usesDataProtection: store.keychainHelper.keychainAttributes.location.usesDataProtection
            )
        default:
            GIDSignInError(
                .keychain,
                detail: """
                    the keychain item "\(store.itemName)" of Google's library cannot be decoded. The item is unchanged
                    """,
                underlying: self
            )
        }
    }
}
