// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// The sessions that the agent has in memory, one per account: all who ask at the same time share its refresh.
final class HeldSessions: Sendable {
    /// A session, and its tokens for fewer scopes.
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

    /// The session of a record that was read just now; a consent that another program obtained counts at once.
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
            // Somebody who asked at the same moment may have been first.
            if let other = byAccount[held.session.account], other.narrowed !== known?.narrowed { return other }
            byAccount[held.session.account] = held
            return held
        }
    }

    /// Lets go of everything but these accounts.
    func keep(only accounts: [Account]) {
        let kept = Set(accounts)
        self.byAccount.withLock { $0 = $0.filter { kept.contains($0.key) } }
    }

    /// Waits until every refresh that is under way is saved.
    func settle() async {
        for held in self.byAccount.withLock({ Array($0.values) }) {
            await held.session.settle()
            await held.narrowed.settle()
        }
    }
}

/// A session's tokens for some of its scopes, in memory only, one for each choice of scopes.
final class NarrowedTokens: Sendable {
    private struct State {
        var choices: [Set<Scope>: TokenCache<NarrowedToken>] = [:]
        /// Once the provider refused to narrow a token it is not asked again.
        var isRefused = false
    }

    /// Thrown where the provider does not narrow tokens.
    private struct Refusal: Error {}

    /// How many choices are remembered: a program that asks for more costs the provider work, and the agent no memory.
    private static let limit = 64

    private let session: OAuthSession
    private let state = Mutex(State())

    init(_ session: OAuthSession) { self.session = session }

    /// A token for the requested scopes alone; nil where the provider does not narrow tokens.
    ///
    /// - Throws: what a refresh throws.
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
            return try await cache.refused(token, narrow)
        } catch is Refusal {
            return nil
        }
    }

    /// Waits until what is under way is saved.
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

/// Whose tokens an agent gives: the door to the sessions of one store.
public protocol AgentAccounts: Sendable {
    /// Every account that is kept here, signed in or not.
    func records() async throws -> [SessionRecord]

    /// The account that a program means by a name; nil means the one that is meant where nobody names one.
    ///
    /// - Throws: ``AgentError``: `loginRequired` where there is none, `accountSelectionRequired` where there are several;
    ///   what the store throws.
    func record(named name: String?) async throws -> SessionRecord

    /// A sign-in over the store and the network that the record's session needs.
    func signIn(for record: SessionRecord) -> SignIn
}
