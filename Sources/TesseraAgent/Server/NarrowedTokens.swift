// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth

/// A session's tokens for some of its scopes: in memory alone, one for each choice of scopes.
final class NarrowedTokens: Sendable {
    /// A token of one choice of scopes, and when it came.
    private struct Held {
        let token: NarrowedToken
        let obtainedAt: Int64
    }

    private final class Choice: Sendable {
        let flight = SingleFlight<NarrowedToken?>()
        let held = Mutex<Held?>(nil)
    }

    private struct State {
        var choices: [Set<Scope>: Choice] = [:]
        /// Once the provider refused to narrow a token it is not asked again.
        var isRefused = false
    }

    /// How many choices are remembered: who asks for more makes the provider work, and not the agent grow.
    private static let limit = 64
    /// How long a new token is not replaced, though a server refuses it: in nanoseconds.
    private static let pause: Int64 = 10_000_000_000

    private let session: OAuthSession
    private let state = Mutex(State())

    init(_ session: OAuthSession) { self.session = session }

    /// A token for the scopes that are asked for alone; nil where the provider does not narrow tokens.
    ///
    /// - Throws: what a refresh throws.
    func token(for request: AgentTokenRequest) async throws -> NarrowedToken? {
        guard let choice = self.choice(Set(request.scopes)) else { return nil }
        let uptime = self.session.runtime.uptime()
        if let held = choice.held.withLock({ $0 }), self.serves(held, request, uptime) { return held.token }
        return try await choice.flight.run {
            guard let token = try await self.session.narrowed(to: request.scopes) else {
                self.state.withLock { $0 = State(isRefused: true) }
                return nil
            }
            choice.held.withLock { $0 = Held(token: token, obtainedAt: uptime) }
            return token
        }
    }

    /// Waits until what is under way is saved.
    func settle() async {
        for choice in self.state.withLock({ Array($0.choices.values) }) { await choice.flight.wait() }
    }

    private func choice(_ scopes: Set<Scope>) -> Choice? {
        self.state.withLock { state in
            if state.isRefused { return nil }
            if let choice = state.choices[scopes] { return choice }
            if state.choices.count >= Self.limit { state.choices = [:] }
            let choice = Choice()
            state.choices[scopes] = choice
            return choice
        }
    }

    private func serves(_ held: Held, _ request: AgentTokenRequest, _ uptime: Int64) -> Bool {
        let validity = Duration.seconds(request.minimumValidity ?? 0)
        guard let token = held.token.token(validFor: validity, uptime: uptime) else { return false }
        return token.secret != request.refusedToken || uptime - held.obtainedAt < Self.pause
    }
}
