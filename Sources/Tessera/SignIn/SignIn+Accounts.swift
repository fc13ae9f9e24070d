// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraOAuth

extension SignIn {
    /// Returns the accounts for this provider and client that have a record in the store.
    ///
    /// The list includes accounts whose session has ended.
    ///
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func accounts() async throws -> [Account] {
        try await self.store.list().filter(self.isOurs)
    }

    /// Restores a stored session without using the network.
    ///
    /// The default account is the most recently selected one, either by a sign-in or by ``select(_:)``.
    ///
    /// - Parameters:
    ///   - account: The account, or nil for the default account.
    ///   - requiredClaims: Claims that the session's user must have, as in ``SignInOptions/requiredClaims``. A session
    ///     without them is not restored. The claims are stored with a restored session and remain required.
    /// - Returns: The session, or nil if the account has no session, its session has ended, or the account belongs to
    ///   another provider or client.
    /// - Throws: ``StoreError`` if a record is damaged and no other record matches, or if the store cannot be read at
    ///   all, because the default account would then be unknown.
    public func restore(
        _ account: Account? = nil,
        requiredClaims: [String: String] = [:]
    ) async throws -> OAuthSession? {
        let accounts = if let account { [account].filter(self.isOurs) } else { try await self.accounts() }
        return try await self.restored(from: accounts, requiredClaims) { _ in true }
    }

    /// Restores the stored session that matches an email address, a label or a subject, without using the network.
    ///
    /// If several sessions match, the most recently selected one is restored. Email addresses are compared
    /// case-insensitively. Use them only to find a session, never to decide which user it belongs to: an address can be
    /// reassigned after the user consented.
    ///
    /// - Parameters:
    ///   - hint: The email address, label or subject.
    ///   - requiredClaims: Claims that the session's user must have, as in ``restore(_:requiredClaims:)``.
    /// - Returns: The session, or nil if no session matches or the matching session has ended.
    /// - Throws: ``StoreError`` if a record is damaged and no other record matches, or if the store cannot be read.
    public func restore(hint: String, requiredClaims: [String: String] = [:]) async throws -> OAuthSession? {
        try await self.restored(from: try await self.accounts(), requiredClaims) { record in
            record.account.subject.isExactly(hint) || record.identity.label == hint
                || record.identity.email?.lowercased() == hint.lowercased()
        }
    }

    /// Makes an account the default for ``restore(_:requiredClaims:)``.
    ///
    /// - Throws: ``SessionEndedError`` with the code `signedOut` if the account has no record in the store, or
    ///   ``StoreError`` if the store fails.
    public func select(_ account: Account) async throws {
        guard self.isOurs(account) else { throw SessionEndedError(.signedOut) }
        // The selected account must be the most recent one even if the clock was set back.
        var chosenAt = self.connection.runtime.now()
        for other in try await self.accounts() where other != account {
            guard let record = try? await self.store.load(other) else { continue }
            chosenAt = max(chosenAt, record.history.lastChosenAt.addingTimeInterval(0.001))
        }
        try await self.connection.update(account, in: self.store) { [chosenAt] entry, _ in
            guard var record = try await entry.load() else { throw SessionEndedError(.signedOut) }
            // Do not increment the generation: another process may hold unsaved tokens for the next one.
            record.history.selectedAt = chosenAt
            try await entry.save(record)
        }
    }

    /// Signs out all accounts for this provider and client, in the same way as ``OAuthSession/signOut()``.
    ///
    /// - Throws: The first ``StoreError`` that occurred, after all accounts have been tried.
    public func signOutAll() async throws { try await self.signOut(try await self.accounts()) }

    /// Signs out the given accounts.
    ///
    /// - Throws: Any error that ``signOutAll()`` throws.
    package func signOut(_ accounts: [Account]) async throws {
        var failure: (any Error)?
        for account in accounts {
            do {
                try await self.connection.remove(account, from: self.store, ending: self.session(of: account))
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func isOurs(_ account: Account) -> Bool { self.provider.owns(account) }

    /// Returns the most recently selected active session that matches and whose user has the required claims.
    private func restored(
        from accounts: [Account],
        _ requiredClaims: [String: String],
        where fits: (SessionRecord) -> Bool
    ) async throws -> OAuthSession? {
        let removals = self.connection.removals.changes
        var chosen: SessionRecord?
        var unreadable: StoreError?
        for account in accounts {
            do {
                guard let record = try await self.store.load(account), record.tokens != nil, fits(record),
                    record.has(requiredClaims)
                else { continue }
                if let chosen, chosen.history.lastChosenAt >= record.history.lastChosenAt { continue }
                chosen = record
            } catch let error as StoreError where error.code == .corrupt || error.code == .newerFormat {
                unreadable = error
            }
        }
        guard let chosen else {
            if let unreadable { throw unreadable }
            return nil
        }
        guard let record = try await self.requiring(requiredClaims, of: chosen) else { return nil }
        self.connection.remember(record.provider.metadata)
        let session = self.session(record)
        session.update(to: record)
        guard try await self.isStillStored(record, of: session, since: removals) else { return nil }
        session.require(requiredClaims)
        return session
    }

    /// Returns false, and ends the session, if the record that it was restored from was removed or is being removed.
    ///
    /// Otherwise, a session that is restored while this process signs out could be used afterward. A session that was
    /// already in use may not know the consent of the record yet, or belong to a later one.
    private func isStillStored(
        _ record: SessionRecord,
        of session: OAuthSession,
        since removals: Int
    ) async throws -> Bool {
        var known = removals
        // A record that was removed while it was being read may have been found.
        while let changes = self.connection.removals.changes(unlessRemoving: session.account) {
            if changes == known { return true }
            known = changes
            guard let stored = try await self.store.load(session.account),
                [record, session.record].contains(where: { $0.history.consentedAt == stored.history.consentedAt })
            else { break }
        }
        session.end(SessionEndedError(.signedOut))
        return false
    }

    /// Stores the required claims in a record and returns the updated record.
    ///
    /// Returns nil if the session has ended or no longer has the claims.
    private func requiring(_ claims: [String: String], of record: SessionRecord) async throws -> SessionRecord? {
        guard claims.keys.contains(where: { record.requiredClaims[$0] == nil }) else { return record }
        return try await self.connection.update(record.account, in: self.store) { entry, _ in
            guard var record = try await entry.load(), record.tokens != nil, record.has(claims) else { return nil }
            // As in `select(_:)`, do not increment the generation.
            record.requiredClaims.merge(claims) { $1 }
            try await entry.save(record)
            return record
        }
    }
}
