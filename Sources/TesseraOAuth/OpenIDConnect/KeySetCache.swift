// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraSupport
internal import TesseraJOSE

/// A provider's public keys: fetched when first needed, kept for an hour, and fetched again for an unknown key.
///
/// A fetch begins at most once in a cooldown, which defaults to a minute, whether the last one succeeded or failed, and
/// only for a token whose form and algorithm the policy accepts. Many bad tokens are never many fetches.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 10.1.1](https://openid.net/specs/openid-connect-core-1_0.html#RotateSigKeys)
public final class KeySetCache: Sendable {
    private struct KeySet {
        let keys: JWKSet
        let fetchedAt: Int64
    }

    private struct State {
        var keySet: KeySet?
        var attemptedAt: Int64?
        /// Why the last fetch failed; nil if it succeeded.
        var failure: (any Error)?
    }

    /// Whether a set that is here will do.
    private typealias Condition = @Sendable (_ keySet: KeySet, _ attemptedAt: Int64, _ now: Int64) -> Bool

    private let endpoint: Endpoint
    private let runtime: OAuthRuntime
    private let lifetime: Int64
    private let cooldown: Int64
    private let state = Mutex(State())
    private let flight = SingleFlight<KeySet>()

    /// A cache over a provider's `jwks_uri`.
    public init(
        _ endpoint: Endpoint,
        runtime: OAuthRuntime,
        lifetime: Duration = .seconds(3_600),
        cooldown: Duration = .seconds(60)
    ) {
        self.endpoint = endpoint
        self.runtime = runtime
        self.lifetime = lifetime.nanoseconds
        self.cooldown = cooldown.nanoseconds
    }

    /// Validates a token with the keys at hand, and once more with fresh keys when none of them fits.
    ///
    /// - Throws: what the policy throws, `jwkSetFormat`, ``HTTPStatusError``, and what the transport throws. During the
    ///   cooldown after a failed fetch that failure is thrown again.
    public func validate<Policy: TokenPolicy>(_ token: Secret, policy: Policy) async throws -> Policy.Token {
        try await self.validate(token, policy: policy, clockSkew: 0)
    }

    /// Validates a token by a clock that is `clockSkew` seconds behind the one here.
    package func validate<Policy: TokenPolicy>(
        _ token: Secret,
        policy: Policy,
        clockSkew: Int64
    ) async throws -> Policy.Token {
        let isCurrent: Condition = { keySet, _, now in now - keySet.fetchedAt < self.lifetime }
        // A token that no key could save costs no fetch: one of another form or algorithm, or of another type.
        if self.atHand(if: isCurrent) == nil { try self.checkWithoutKeys(token, policy, clockSkew) }
        let known = try await self.keySet(atHandIf: isCurrent)
        do {
            return try policy.validate(token, keys: known.keys, now: self.now(clockSkew))
        } catch ProtocolViolationError.Rule.signingKey, ProtocolViolationError.Rule.jwsSignature {
            // The second: a key may have been replaced by another of the same name, or of none.
            let newer = try await self.keySet { keySet, attemptedAt, now in
                keySet.fetchedAt > known.fetchedAt || now - attemptedAt < self.cooldown
            }
            return try policy.validate(token, keys: newer.keys, now: self.now(clockSkew))
        }
    }

    /// The set at hand if it will do, else a fresh one; everybody who asks during a fetch gets the set that it brings.
    private func keySet(atHandIf willDo: @escaping Condition) async throws -> KeySet {
        if let keySet = self.atHand(if: willDo) { return keySet }
        return try await self.flight.run {
            if let keySet = self.atHand(if: willDo) { return keySet }
            if let failure = self.recentFailure { throw failure }
            return try await self.fetch()
        }
    }

    private func atHand(if willDo: @escaping Condition) -> KeySet? {
        let (state, now) = (self.state.withLock { $0 }, self.runtime.uptime())
        return state.keySet.flatMap { willDo($0, state.attemptedAt ?? $0.fetchedAt, now) ? $0 : nil }
    }

    /// Why the last fetch failed, while its cooldown lasts.
    private var recentFailure: (any Error)? {
        let (state, now) = (self.state.withLock { $0 }, self.runtime.uptime())
        guard let attemptedAt = state.attemptedAt, now - attemptedAt < self.cooldown else { return nil }
        return state.failure
    }

    /// Throws what the policy finds wrong with a token before it needs a key.
    private func checkWithoutKeys<Policy: TokenPolicy>(_ token: Secret, _ policy: Policy, _ clockSkew: Int64) throws {
        do {
            _ = try policy.validate(token, keys: JWKSet(keys: []), now: self.now(clockSkew))
        } catch ProtocolViolationError.Rule.signingKey {
            // All that is missing is the key.
        }
    }

    private func now(_ clockSkew: Int64) -> Date { self.runtime.now().addingTimeInterval(-Double(clockSkew)) }

    private func fetch() async throws -> KeySet {
        let begun = self.runtime.uptime()
        // The cooldown starts when the fetch ends: until then, callers wait for its keys.
        do {
            let keys = try await self.runtime.observed(.keys) {
                let (response, body) = try await self.runtime.exchange(.get(self.endpoint))
                guard response.status.code == 200 else {
                    throw HTTPStatusError(status: Int(response.status.code), endpoint: "key set endpoint")
                }
                return try JWKSet(parsing: body)
            }
            let keySet = KeySet(keys: keys, fetchedAt: begun)
            self.state.withLock { $0 = State(keySet: keySet, attemptedAt: begun) }
            return keySet
        } catch {
            self.state.withLock { state in
                state.attemptedAt = begun
                state.failure = error
            }
            throw error
        }
    }
}
