// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraOAuth

extension SignIn {
    /// The accounts of this provider and client that have a record here, signed in or not.
    ///
    /// - Throws: ``StoreError``.
    public func accounts() async throws -> [Account] {
        try await self.store.list().filter(self.isOurs)
    }

    /// The session of an account from the store, without any network; nil where there is none or it has ended.
    ///
    /// Without an account: the default one, which is the one that was chosen last, by a consent or by ``select(_:)``. An
    /// account of another provider or client is not this one's to restore: nil.
    ///
    /// - Parameters:
    ///   - account: The account, nil for the default one.
    ///   - requiredClaims: Claims that the session's user must have, as in ``SignInOptions/requiredClaims``. A session
    ///     without them is not restored. Those of a session that is restored are stored with it and stay required.
    /// - Returns: The session.
    /// - Throws: ``StoreError`` for a damaged record, where no other can be read, and whatever else keeps the store from
    ///   reading any of them: the one that was chosen last might be it.
    public func restore(
        _ account: Account? = nil,
        requiredClaims: [String: String] = [:]
    ) async throws -> OAuthSession? {
        let accounts = if let account { [account].filter(self.isOurs) } else { try await self.accounts() }
        return try await self.restored(from: accounts, requiredClaims) { _ in true }
    }

    /// The session of the account that a person means by an email address, a name of the caller's, or a subject.
    ///
    /// Of several the one that was chosen last; nil where there is none, or where its session has ended. Email addresses
    /// are compared without regard to case, and never decide whose tokens are whose: the address may have changed hands
    /// since the consent.
    ///
    /// - Parameters:
    ///   - hint: The email address, name or subject.
    ///   - requiredClaims: Claims that the session's user must have, as in ``restore(_:requiredClaims:)``.
    /// - Returns: The session.
    /// - Throws: ``StoreError`` for a damaged record, where no other fits, and whatever else keeps the store from reading.
    public func restore(hint: String, requiredClaims: [String: String] = [:]) async throws -> OAuthSession? {
        try await self.restored(from: try await self.accounts(), requiredClaims) { record in
            record.account.subject.isExactly(hint) || record.identity.label == hint
                || record.identity.email?.lowercased() == hint.lowercased()
        }
    }

    /// Makes an account the default one: from now on ``restore(_:requiredClaims:)`` without an account gives its session.
    ///
    /// - Throws: ``SessionEndedError`` `signedOut` where the account has no record here; ``StoreError``.
    public func select(_ account: Account) async throws {
        guard self.isOurs(account) else { throw SessionEndedError(.signedOut) }
        // A clock that was set back does not undo the choice.
        var chosenAt = self.connection.runtime.now()
        for other in try await self.accounts() where other != account {
            guard let record = try? await self.store.load(other) else { continue }
            chosenAt = max(chosenAt, record.history.lastChosenAt.addingTimeInterval(0.001))
        }
        try await self.connection.update(account, in: self.store) { [chosenAt] entry, _ in
            guard var record = try await entry.load() else { throw SessionEndedError(.signedOut) }
            let mark = record.refreshMark
            // The generation stays: tokens that another process could not save yet are of the next one.
            record.history.selectedAt = chosenAt
            try await entry.save(record)
            // A save takes the mark back, which still has to tell of the refresh that was not finished.
            if let mark { try await entry.mark(mark) }
        }
    }

    /// Signs out every account of this provider and client; see ``OAuthSession/signOut()``.
    ///
    /// - Throws: ``StoreError``, the first of those that came, after all accounts were tried.
    public func signOutAll() async throws { try await self.signOut(try await self.accounts()) }

    /// Signs out these accounts.
    ///
    /// - Throws: as ``signOutAll()``.
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

    /// The living session that was chosen last, of those that fit and whose user has the claims.
    private func restored(
        from accounts: [Account],
        _ requiredClaims: [String: String],
        where fits: (SessionRecord) -> Bool
    ) async throws -> OAuthSession? {
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
        session.require(requiredClaims)
        return session
    }

    /// The record, with the claims required of it in the store, too; nil if the session has ended or changed meanwhile.
    private func requiring(_ claims: [String: String], of record: SessionRecord) async throws -> SessionRecord? {
        guard claims.keys.contains(where: { record.requiredClaims[$0] == nil }) else { return record }
        return try await self.connection.update(record.account, in: self.store) { entry, _ in
            guard var record = try await entry.load(), record.tokens != nil, record.has(claims) else { return nil }
            let mark = record.refreshMark
            // As when an account is selected, the generation stays, and so does the mark.
            record.requiredClaims.merge(claims) { $1 }
            try await entry.save(record)
            if let mark { try await entry.mark(mark) }
            return record
        }
    }
}
