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
    /// A refresh that is under way ends first; its tokens are not published and not saved. A consent to the same account
    /// that takes effect meanwhile stays.
    ///
    /// - Throws: ``StoreError`` when the record could not be removed; the session is over in this process all the same,
    ///   and the call may be repeated.
    public func signOut() async throws {
        try await self.connection.remove(self.account, from: self.store, ending: self)
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
        let client = try await self.connection.registeredClient()
        let endpoint = try client.endpoint(\.revocationEndpoint, "revocation_endpoint")
        if !keepsOnFailure { self.end(SessionEndedError(.signedOut)) }
        // A refresh that was sent may bring newer tokens, also where its lock was released.
        await self.cache.settle()
        let revocation = try await self.connection.update(self.account, in: self.store) { entry, time in
            // Only now is it sure that no refresh is under way that could bring newer ones.
            let record = try await entry.load().map(self.newest) ?? self.state.withLock { $0.unsaved }
            let revocation = try await self.revoke(record, client, endpoint, time)
            if keepsOnFailure {
                switch revocation {
                case .failed(let error): throw error
                case .sent: return revocation
                case .done: self.end(SessionEndedError(.signedOut))
                }
            }
            try await entry.remove()
            self.state.withLock { $0.unsaved = nil }
            return revocation
        }
        switch revocation {
        case .done: return
        case .failed(let error): throw error
        case .sent(let revoked, let response):
            try await response.value
            if keepsOnFailure { try await self.forget(revoked) }
        }
    }

    /// Ends the session and removes its record, unless the user has consented again.
    private func forget(_ revoked: SessionRecord) async throws {
        try await self.connection.update(self.account, in: self.store) { entry, _ in
            let stored = try await entry.load()
            if let stored, stored.history.consentedAt != revoked.history.consentedAt { return }
            self.end(SessionEndedError(.signedOut))
            try await entry.remove()
        }
    }

    /// What came of a revocation.
    private enum Revocation: Sendable {
        case done
        case failed(any Error)
        /// The activity's time was over before the response.
        case sent(SessionRecord, response: Task<Void, any Error>)
    }

    private func revoke(
        _ record: SessionRecord?,
        _ client: RegisteredClient,
        _ endpoint: Endpoint,
        _ time: ActivityTime
    ) async throws -> Revocation {
        guard let record, let tokens = record.tokens else { return .done }
        let request: RevocationRequest =
            if let refreshToken = tokens.refreshToken {
                .refreshToken(refreshToken, at: endpoint)
            } else {
                .accessToken(tokens.accessToken, at: endpoint)
            }
        do {
            try await time.run { try await client.send(request) }
            return .done
        } catch let unfinished as ActivityTime.Unfinished<Void> {
            return .sent(record, response: unfinished.task)
        } catch {
            return .failed(error)
        }
    }
}
