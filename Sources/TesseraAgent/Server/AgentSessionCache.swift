// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// The agent's sessions in memory, one per account, with refreshes that concurrent requests share.
final class AgentSessionCache: Sendable {
    /// A session, together with its tokens for fewer scopes.
    struct Held: Sendable {
        fileprivate let signIn: SignIn
        let session: OAuthSession
        let narrowed: NarrowedTokens

        fileprivate init(_ signIn: SignIn, _ session: OAuthSession) {
            self.signIn = signIn
            self.session = session
            self.narrowed = NarrowedTokens(session)
        }
    }

    private let accounts: any AgentAccounts
    private let byAccount = Mutex<[Account: Held]>([:])

    init(_ accounts: any AgentAccounts) { self.accounts = accounts }

    /// Returns the session for a record that was just loaded, adopting a new consent from another program.
    func session(of record: SessionRecord) -> Held {
        let known = self.byAccount.withLock { $0[record.account] }
        if let known, known.session.ended == nil {
            guard known.session.record.history.consentedAt < record.history.consentedAt else { return known }
            return self.hold(Held(known.signIn, known.signIn.session(record, isNewConsent: true)), insteadOf: known)
        }
        let signIn = self.accounts.signIn(for: record)
        return self.hold(Held(signIn, signIn.session(record)), insteadOf: known)
    }

    private func hold(_ held: Held, insteadOf known: Held?) -> Held {
        self.byAccount.withLock { byAccount in
            // A concurrent request may have added its session first.
            if let other = byAccount[held.session.account], other.narrowed !== known?.narrowed { return other }
            byAccount[held.session.account] = held
            return held
        }
    }

    /// Removes the sessions of all other accounts.
    ///
    /// A session may hold tokens that could not be saved, so it is not removed if its record cannot be read.
    func retain(only accounts: [Account]) {
        let retained = Set(accounts)
        self.byAccount.withLock { $0 = $0.filter { retained.contains($0.key) } }
    }

    /// Waits until all refreshes in progress have been saved.
    func settle() async {
        for held in self.byAccount.withLock({ Array($0.values) }) {
            await held.session.settle()
            await held.narrowed.settle()
        }
    }
}

/// A session's tokens for subsets of its scopes, which are stored only in memory.
final class NarrowedTokens: Sendable {
    private struct State {
        var choices: [Set<Scope>: TokenCache<NarrowedToken>] = [:]
        /// Whether the provider has refused to narrow a token, in which case no other request is made.
        var isRefused = false
    }

    /// The error thrown if the provider does not narrow tokens.
    private struct Refusal: Error {}

    /// The maximum number of cached subsets.
    ///
    /// When it is reached, the cache is emptied to limit its memory.
    private static let limit = 64

    private let session: OAuthSession
    private let state = Mutex(State())

    init(_ session: OAuthSession) { self.session = session }

    /// Returns a token for only the requested scopes, or nil if the provider does not narrow tokens.
    ///
    /// - Throws: Any error that a refresh throws.
    func token(for request: AgentTokenRequest) async throws -> NarrowedToken? {
        guard let cache = self.cache(Set(request.scopes)) else { return nil }
        let narrow: TokenCache<NarrowedToken>.Operation = { _ in
            guard let current = try await self.session.narrowed(to: request.scopes) else {
                self.state.withLock { $0 = State(isRefused: true) }
                throw Refusal()
            }
            cache.publish(current, isReplacement: true)
            return current.token
        }
        do {
            let validity = Duration.seconds(request.minimumValidity ?? 0)
            let token = try await cache.token(validFor: validity, narrow)
            guard token.token.secret == request.refusedToken else { return token }
            return try await cache.replacement(forRejected: token, narrow)
        } catch is Refusal {
            return nil
        }
    }

    /// Waits until all token requests in progress have been saved.
    func settle() async {
        for cache in self.state.withLock({ Array($0.choices.values) }) { await cache.settle() }
    }

    private func cache(_ scopes: Set<Scope>) -> TokenCache<NarrowedToken>? {
        self.state.withLock { state in
            if state.isRefused { return nil }
            if let cache = state.choices[scopes] { return cache }
            if state.choices.count >= Self.limit { state.choices = [:] }
            let cache = TokenCache<NarrowedToken>(uptime: self.session.runtime.uptime)
            state.choices[scopes] = cache
            return cache
        }
    }
}

/// A store's accounts, for use by an agent.
public protocol AgentAccounts: Sendable {
    /// Returns the records of all accounts in the store, including those that are signed out.
    func records() async throws -> [SessionRecord]

    /// Returns all accounts in the store, including those whose records cannot be read at the moment.
    ///
    /// By default, these are the accounts of ``records()``.
    func accounts() async throws -> [Account]

    /// Returns the record for the account with a name, or for the default account if the name is nil.
    ///
    /// - Throws: ``AgentError`` with the code `loginRequired` if there is no match or `accountSelectionRequired` if
    ///   there are several, or any error that the store throws.
    func record(named name: String?) async throws -> SessionRecord

    /// Returns a sign-in with the store and the transport that the record's session requires.
    func signIn(for record: SessionRecord) -> SignIn
}

extension AgentAccounts {
    /// Returns the accounts of ``records()``.
    public func accounts() async throws -> [Account] { try await self.records().map(\.account) }
}
