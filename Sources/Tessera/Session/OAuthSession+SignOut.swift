// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraOAuth

extension OAuthSession {
    /// Removes the session from the store without revoking access at the provider.
    ///
    /// To revoke access as well, call ``disconnect()``. A refresh that is in progress completes first, but its tokens
    /// are neither published nor saved. If the user consents to the same account again in the meantime, the new session
    /// is retained.
    ///
    /// - Throws: ``StoreError`` if the record could not be removed. In that case, the session has still ended in this
    ///   process, and you can call this method again. If the task is canceled, `CancellationError` is thrown and the
    ///   removal continues.
    public func signOut() async throws {
        try await self.connection.remove(self.account, from: self.store, ending: self)
    }

    /// Revokes access at the provider and removes the session from the store.
    ///
    /// The newest refresh token is revoked, or the access token if there is no refresh token. If the revocation fails,
    /// the session is removed anyway, and the error indicates that the provider still allows access. If the user
    /// consents to the same account again in the meantime, the new session is retained and nothing is revoked.
    ///
    /// - Returns: Whether a token was revoked. False if there was none, because the session had already ended, another
    ///   process had removed it, or the user has consented again.
    /// - Throws: `missingMetadata` if the provider has no revocation endpoint, in which case nothing has changed.
    ///   Throws `OAuthError`, `HTTPStatusError` or `TransportError` if the revocation fails, or ``StoreError`` if the
    ///   record could not be removed. If the task is canceled after the session has ended, `CancellationError` is thrown,
    ///   and the record is removed even if access has not been revoked.
    @discardableResult
    public func disconnect() async throws -> Bool { try await self.disconnect(keepsOnFailure: false) }

    /// Revokes access, removes the session, and returns whether a token was revoked.
    ///
    /// If `keepsOnFailure` is true, a failed revocation changes nothing.
    @discardableResult
    package func disconnect(keepsOnFailure: Bool) async throws -> Bool {
        let client = try await self.connection.registeredClient()
        let endpoint = try client.endpoint(\.revocationEndpoint, "revocation_endpoint")
        guard !keepsOnFailure else { return try await self.disconnect(client, endpoint, nil) }
        let removal = self.connection.removals.begin(of: self.account, ending: self)
        return try await self.connection.completing(removal, of: self, from: self.store) {
            try await self.disconnect(client, endpoint, removal)
        }
    }

    /// Revokes access and removes the session, which stays after a failed revocation if there is no pending removal.
    private func disconnect(
        _ client: RegisteredClient,
        _ endpoint: Endpoint,
        _ removal: PendingRemovals.Removal?
    ) async throws -> Bool {
        let keepsOnFailure = removal == nil
        await removal?.inspect(self.store)
        // A refresh request that has been sent may return newer tokens, even if the refresh has released the lock.
        await self.cache.settle()
        await self.connection.lateRefreshes.settle(self.account)
        let revocation = try await self.connection.update(self.account, in: self.store) { entry, time in
            // While the account is locked, no other refresh can obtain newer tokens.
            let stored = try await entry.load()
            if let removal, removal.spares(stored) { return Revocation.noToken }
            let record = stored.map(self.connection.newest) ?? self.connection.unsaved[self.account]?.record
            let revocation = try await self.revoke(record, client, endpoint, time)
            if keepsOnFailure {
                switch revocation {
                case .failed(let error): throw error
                case .sent: return revocation
                case .noToken, .done: self.end(SessionEndedError(.signedOut))
                }
            }
            try await entry.remove()
            self.connection.unsaved[self.account] = nil
            return revocation
        }
        switch revocation {
        case .noToken: return false
        case .done: return true
        case .failed(let error): throw error
        case .sent(let revoked, let response):
            try await response.value
            if keepsOnFailure { try await self.forget(revoked) }
            return true
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

    /// The result of a revocation.
    private enum Revocation: Sendable {
        /// There was no token to revoke.
        case noToken
        case done
        case failed(any Error)
        /// The activity's time expired before the response arrived.
        case sent(SessionRecord, response: Task<Void, any Error>)
    }

    private func revoke(
        _ record: SessionRecord?,
        _ client: RegisteredClient,
        _ endpoint: Endpoint,
        _ time: ActivityTime
    ) async throws -> Revocation {
        guard let record, let tokens = record.tokens else { return .noToken }
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
