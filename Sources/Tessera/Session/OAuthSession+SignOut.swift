// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraOAuth

extension OAuthSession {
    /// Forgets the session here: its record is removed from the store.
    ///
    /// The provider is not told; see ``disconnect()``.
    ///
    /// A refresh that is under way ends first; its tokens are not published and not kept.
    ///
    /// - Throws: ``StoreError`` when the record could not be removed; the session is over in this process all the same,
    ///   and the call may be repeated.
    public func signOut() async throws {
        self.end(SessionEnded(.signedOut))
        try await self.store.remove(self.account)
    }

    /// Revokes the access at the provider and forgets the session here.
    ///
    /// The newest refresh token is revoked, or the access token where there is none. When the provider cannot be
    /// reached, the session is forgotten all the same, and the error tells that the access still exists there.
    ///
    /// - Throws: `missingMetadata` where the provider has no revocation endpoint: nothing was done then;
    ///   `OAuthError`, `HTTPStatusError`, `TransportError` for a revocation that failed; ``StoreError``.
    public func disconnect() async throws { try await self.disconnect(keepsOnFailure: false) }

    /// The same; with `keepsOnFailure` a revocation that fails leaves everything as it was.
    package func disconnect(keepsOnFailure: Bool) async throws {
        let endpoint = try await self.revocationEndpoint()
        if !keepsOnFailure { self.end(SessionEnded(.signedOut)) }
        let failure: (any Error)? = try await self.connection.update(self.account, in: self.store) { entry in
            // Only now is it sure that no refresh is under way that could bring newer ones.
            let record = try await entry.load().map(self.newest) ?? self.state.withLock { $0.unsaved }
            var failure: (any Error)?
            if let tokens = record?.tokens {
                do { try await self.revoke(tokens, at: endpoint) } catch { failure = error }
            }
            if keepsOnFailure {
                if let failure { throw failure }
                self.end(SessionEnded(.signedOut))
            }
            try await entry.remove()
            self.state.withLock { $0.unsaved = nil }
            return failure
        }
        if let failure { throw failure }
    }

    private func revocationEndpoint() async throws -> Endpoint {
        try await self.connection.registeredClient().endpoint(\.revocationEndpoint, "revocation_endpoint")
    }

    private func revoke(_ tokens: TokenSet, at endpoint: Endpoint) async throws {
        let request: RevocationRequest =
            if let refreshToken = tokens.refreshToken {
                .refreshToken(refreshToken, at: endpoint)
            } else {
                .accessToken(tokens.accessToken, at: endpoint)
            }
        let client = try await self.connection.registeredClient()
        try await client.send(request)
    }
}
