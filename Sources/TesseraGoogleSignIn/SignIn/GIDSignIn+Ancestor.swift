// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraStores
internal import TesseraSupport
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth

extension GIDSignIn {
    /// The session of the program's last run, or one that is made of what Google's own library stored.
    ///
    /// - Throws: where the other library's grant cannot be read or taken over now; it stays for the next time.
    func previousSession() async throws -> OAuthSession? {
        let epoch = self.state.withLock { $0.epoch }
        let signIn = try await self.signIn()
        let requiredClaims = try self.demandedConfiguration().requiredClaims
        if let session = try await signIn.restore(requiredClaims: requiredClaims) { return session }
        guard let grant = try await self.ancestorGrant() else { return nil }
        do {
            let session = try await signIn.adopt(grant, options: try await self.options(Consent()))
            let isWanted = self.state.withLock { $0.epoch == epoch || $0.user?.session === session }
            guard isWanted else {
                // Somebody signed out while Google was asked.
                try? await session.signOut()
                throw GIDSignInError(.hasNoAuthInKeychain)
            }
            try? await self.forgetAncestor()
            return session
        } catch let ended as SessionEndedError {
            try? await self.forgetAncestor()
            throw ended
        }
    }

    /// What Google's own library stored for this client; nil where there is none.
    ///
    /// - Throws: where there is an item that cannot be read: it is not an absent one; `invalidConfiguration` where its token
    ///   would leave the keychain.
    func ancestorGrant() async throws -> ExistingGrant? {
        guard let store = self.ancestorStore else { return nil }
        let clientID = try self.demandedConfiguration().clientID
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
        return ExistingGrant(
            refreshToken: Secret(refreshToken),
            idToken: state.lastTokenResponse?.idToken.map { Secret($0) },
            scopes: ScopeList.scopes(state.scope ?? "")
        )
    }

    /// Checks that a token does not move from a keychain into a store that is not one, unless the app allows it.
    private func checkDestination(of ancestor: KeychainStore) async throws {
        guard ancestor.isInKeychain, !self.allowsAncestorOutsideKeychain else { return }
        guard try await self.signIn().store is KeychainSessionStore else {
            throw GIDSignInError(
                .invalidConfiguration,
                detail: """
                    the keychain item "\(ancestor.itemName)" of Google's library has a session, and the store of this \
                    sign-in is not a keychain; the item was left unchanged. Use a KeychainSessionStore, or set \
                    allowsAncestorOutsideKeychain
                    """
            )
        }
    }

    /// Removes what Google's own library stored; an item that cannot be decoded stays.
    func forgetAncestor() async throws {
        guard let store = self.ancestorStore else { return }
        do {
            _ = try await store.loadAuthSession()
            try await store.deleteAuthSession()
        } catch KeychainStore.Error.failedToConvertKeychainDataToAuthSession {
            // Another version may be able to read it, and nobody can sign in with it here.
        } catch let error as KeychainStore.Error {
            if let error = error.reported(store) { throw error }
        }
    }
}

extension KeychainStore.Error {
    /// The error for the program; nil where it means that there is no item.
    fileprivate func reported(_ store: KeychainStore) -> (any Error)? {
        switch self {
        case .passwordNotFound, .failedToDeletePasswordBecauseItemNotFound,
            // A program without this entitlement has no keychain in which Google's library could have stored anything.
            .unhandled(status: KeychainStatus.missingEntitlement):
            nil
        case .unhandled(let status):
            StoreError.keychain(
                status,
                "SecItem",
                "keychain item \(store.itemName)",
                message: nil,
                usesDataProtection: store.keychainHelper.keychainAttributes.place.usesDataProtection
            )
        default:
            GIDSignInError(
                .keychain,
                detail: """
                    the keychain item "\(store.itemName)" of Google's library cannot be decoded; it was left unchanged
                    """,
                underlying: self
            )
        }
    }
}
