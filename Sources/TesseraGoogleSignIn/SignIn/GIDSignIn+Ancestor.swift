// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraStores
internal import TesseraSupport
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraGoogle
internal import TesseraOAuth

extension GIDSignIn {
    /// Returns the session that Google's library stored, if there is none from the previous sign-in.
    ///
    /// - Throws: An error if the credentials from Google's library cannot be read or imported. The credentials are
    ///   retained for the next attempt.
    func previousSession(since epoch: Int) async throws -> OAuthSession? {
        guard let signIn = try await self.knownSignIn() else { return nil }
        let requiredClaims = try self.requiredClaims
        if let session = try await signIn.restore(requiredClaims: requiredClaims) { return session }
        guard let credentials = try await self.ancestorCredentials(for: signIn) else { return nil }
        do {
            let configuration = try self.foundConfiguration()
            var options = SignInOptions(requiredClaims: requiredClaims)
            options.serverClientID = configuration?.serverClientID
            options.additionalTokenParameters["openid.realm"] = configuration?.openIDRealm
            let session = try await signIn.adopt(credentials, options: options)
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

    /// Returns the provider with the client of a stored session, for apps that set their configuration only when a user
    /// signs in.
    ///
    /// The session is the most recently selected one of Google in the app's own store or, if there is none, that of
    /// Google's library.
    func storedProvider() async throws -> Provider? {
        if let clientID = try await self.storedClientID() { return try GIDConfiguration(clientID: clientID).provider }
        return try await self.ancestorState()?.clientID.map { try GIDConfiguration(clientID: $0).provider }
    }

    private func storedClientID() async throws -> String? {
        guard let store = self.platform.ownStore() else { return nil }
        let accounts: [Account]
        do {
            accounts = try await store.list()
        } catch let error as StoreError where error.status == KeychainStatus.missingEntitlement {
            return nil
        }
        var newest: SessionRecord?
        for account in accounts where account.issuer == GoogleEndpoints.issuer {
            do {
                guard let record = try await store.load(account), record.tokens != nil else { continue }
                if let newest, newest.history.lastChosenAt >= record.history.lastChosenAt { continue }
                newest = record
            } catch let error as StoreError where [.corrupt, .newerFormat].contains(error.code) {
                // The sign-in reports a damaged record if there is no other session.
            }
        }
        return newest?.account.clientID
    }

    /// Returns the state that Google's library stored, if it is authorized.
    ///
    /// - Throws: An error if there is an item but it cannot be read.
    private func ancestorState() async throws -> OIDAuthState? {
        guard let store = self.googleSignInStore else { return nil }
        await self.moveFormerItem(to: store)
        do {
            let state = try await store.loadAuthSession().authState
            return state.isAuthorized && state.refreshToken != nil ? state : nil
        } catch let error as KeychainStore.Error {
            guard let error = error.reported(store) else { return nil }
            throw error
        }
    }

    /// Moves the item that earlier releases of Google's library stored elsewhere, unless the app has set its own store.
    private func moveFormerItem(to store: KeychainStore) async {
        guard let former = self.platform.formerItem, store === self.platform.item else { return }
        await former.move(to: store)
    }

    /// Returns the credentials that Google's library stored for this client, if any.
    ///
    /// - Throws: An error if there is an item but it cannot be read, or `invalidConfiguration` if its token would leave
    ///   the keychain.
    func ancestorCredentials(for signIn: SignIn) async throws -> ExistingCredentials? {
        guard let store = self.googleSignInStore, let state = try await self.ancestorState(),
            let refreshToken = state.refreshToken, state.clientID == signIn.provider.client.clientID
        else {
            return nil
        }
        try self.checkDestination(of: store, signIn)
        return ExistingCredentials(
            refreshToken: Secret(refreshToken),
            idToken: state.lastTokenResponse?.idToken.map { Secret($0) },
            scopes: ScopeList.scopes(state.scope ?? "")
        )
    }

    /// Checks that a token does not move from the keychain to a different kind of store, unless the app allows this.
    private func checkDestination(of ancestor: KeychainStore, _ signIn: SignIn) throws {
        guard ancestor.isInKeychain, !self.allowsGoogleSignInStoreOutsideKeychain else { return }
        guard signIn.store is KeychainSessionStore else {
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
        await self.moveFormerItem(to: store)
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

extension OIDAuthState {
    /// The client that was authorized.
    fileprivate var clientID: String? {
        self.lastAuthorizationResponse?.request.clientID ?? self.lastTokenResponse?.request.clientID
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
