// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraOAuth

extension OAuthSession {
    /// A refresh token that was sent, or is about to be.
    struct SentRefresh: Sendable {
        enum Purpose: Sendable {
            /// New tokens for the session.
            case renewal(RefreshReason)
            /// A token for some of the session's scopes, which are named; the session's own access token stays.
            case narrowing([Scope])
        }

        let purpose: Purpose
        let refreshToken: Secret
        /// The record that the response changes.
        var base: SessionRecord
        /// The tokens of the record.
        let tokens: TokenSet
        let begunAt: Date

        var scopes: [Scope] {
            switch self.purpose {
            case .renewal: []
            case .narrowing(let scopes): scopes
            }
        }
    }

    /// Sends a refresh token.
    ///
    /// The mark is saved before, and stays where the refresh token may have been used.
    ///
    /// - Throws: ``ReleasedLock`` if the activity's time is over before the response; ``RefreshPostponedError`` if it is
    ///   over before the request.
    func send(
        _ refresh: SentRefresh,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> TokenResponse {
        let base = refresh.base
        let client = try await self.client(for: base, time)
        let tokenEndpoint = try client.endpoint(\.tokenEndpoint, "token_endpoint")
        if time.isOver { throw RefreshPostponedError() }
        try await entry.mark(RefreshMark(begunAt: refresh.begunAt, generation: base.generation))
        var request = TokenRequest.refresh(refresh.refreshToken, scopes: refresh.scopes, at: tokenEndpoint)
        request.resources = base.resources
        if let audience = base.tokens.flatMap({ self.foreignAudience(of: $0) }) {
            request.additionalParameters["audience"] = audience
        }
        do {
            return try await time.run { [request] in try await client.send(request) }
        } catch let refusal as OAuthError where refusal.code == .invalidGrant && !refusal.isTransient {
            throw refusal
        } catch let unfinished as ActivityTime.Unfinished<TokenResponse> {
            throw self.released(refresh, awaiting: unfinished.task)
        } catch {
            // Without the provider's own word nobody knows whether the refresh token was used: the mark stays and tells.
            // So does that of an earlier refresh, of which nobody has heard yet.
            if Self.leavesRefreshToken(error) { try? await entry.mark(base.refreshMark) }
            throw error
        }
    }

    /// The client at its provider, whose metadata may have to be fetched.
    private func client(for base: SessionRecord, _ time: ActivityTime) async throws -> RegisteredClient {
        do {
            return try await time.run { try await self.connection.registeredClient(dpopKey: base.dpopKey) }
        } catch is ActivityTime.Unfinished<RegisteredClient> {
            // Nothing was sent that could be lost, and a later call finds the metadata.
            throw RefreshPostponedError()
        }
    }

    /// Saves what a response brought; `check` is what came of checking its ID token, if that was done before.
    func accept(
        _ response: TokenResponse,
        _ refresh: SentRefresh,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime,
        check: IDTokenCheck? = nil
    ) async throws -> RefreshResult {
        let record = try await self.save(self.renewed(refresh, by: response), refresh, response, check, entry, time)
        let event = self.event(of: refresh, record, isOwn: true)
        return RefreshResult(record: record, event: event, response: response, request: refresh)
    }

    /// What is told of a record that a refresh ends with.
    func event(of refresh: SentRefresh, _ record: SessionRecord, isOwn: Bool) -> SessionEvent? {
        switch refresh.purpose {
        case .renewal: isOwn ? .refreshed : .adopted
        case .narrowing: record.tokens?.accessToken == self.record.tokens?.accessToken ? nil : .adopted
        }
    }

    /// The record with what a response brought, and with the ID token as it was.
    func renewed(_ refresh: SentRefresh, by response: TokenResponse) -> SessionRecord {
        let base = refresh.base
        switch refresh.purpose {
        case .renewal:
            var next = Self.next(base, refresh.tokens, response, obtainedAt: refresh.begunAt)
            next.history.clockSkew = self.skew(response, sentAt: refresh.begunAt) ?? base.history.clockSkew
            return next
        case .narrowing:
            var next = base
            next.count(response, at: refresh.begunAt)
            next.tokens?.refreshToken = response.refreshToken ?? refresh.refreshToken
            return next
        }
    }

    /// The record as it is saved while the response's ID token is not checked: the access token is treated as expired.
    static func unchecked(_ next: SessionRecord, _ response: TokenResponse) -> SessionRecord {
        guard response.idToken != nil else { return next }
        var unchecked = next
        unchecked.tokens?.lifetime = 0
        return unchecked
    }

    /// Saves what a refresh made of a record, with the response's ID token, before anyone sees it.
    ///
    /// - Throws: ``ReleasedLock`` if the activity's time is over before the ID token is checked.
    private func save(
        _ renewed: SessionRecord,
        _ refresh: SentRefresh,
        _ response: TokenResponse,
        _ known: IDTokenCheck?,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> SessionRecord {
        var next = renewed
        let check: IDTokenCheck
        if let known { check = known } else { check = try await self.check(next, refresh, response, entry, time) }
        switch check {
        case .passed(let idToken): next.tokens?.idToken = idToken
        case .unknown: break
        case .failed(let violation):
            if let end = Self.end(by: violation) { throw await self.close(refresh.base, end, entry) }
            next.tokens?.lifetime = 0
        }
        try await self.keep(next, entry)
        if case .failed(let violation) = check { throw violation }
        return next
    }

    /// Checks the ID token of a response, for which the provider's keys may have to be fetched.
    ///
    /// A refresh token that replaced another one is saved before that. If the activity's time is over first, the tokens are
    /// saved in any case and the lock is released.
    private func check(
        _ next: SessionRecord,
        _ refresh: SentRefresh,
        _ response: TokenResponse,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> IDTokenCheck {
        guard let idToken = response.idToken else { return .unknown }
        let unchecked = Self.unchecked(next, response)
        var isSaved = false
        if response.refreshToken != nil {
            // A store that fails here fails again at the save that counts.
            do {
                try await entry.save(unchecked)
                isSaved = true
            } catch {}
        }
        do {
            return try await time.run { await self.check(idToken, of: response, to: refresh) }
        } catch let unfinished as ActivityTime.Unfinished<IDTokenCheck> {
            // What cannot be saved now is saved by the next step, or by the next call.
            if !isSaved { try? await self.keep(unchecked, entry) }
            throw ReleasedLock {
                let check = (try? await unfinished.task.value) ?? .unknown
                return { entry, time in
                    try await self.finish(refresh, .success(response), check, entry, time)
                }
            }
        }
    }

    /// Saves a record whose tokens are not lost if the store fails: the next call saves them first.
    func keep(_ next: SessionRecord, _ entry: SessionStoreEntry) async throws {
        self.state.withLock { $0.unsaved = next }
        try await entry.save(next)
        self.state.withLock { $0.unsaved = nil }
    }

    /// Whether a failure proves that the refresh token was not used: the provider said no, or heard nothing.
    static func leavesRefreshToken(_ error: any Error) -> Bool {
        error is OAuthError || error is InvalidRequestError || (error as? TransportError)?.nothingWasSent == true
    }
}
