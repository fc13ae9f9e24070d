// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth

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
