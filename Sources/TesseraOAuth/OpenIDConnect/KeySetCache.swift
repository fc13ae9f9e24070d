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

/// A cache of a provider's public keys.
///
/// The keys are fetched when first needed, retained for an hour by default, and fetched again if a token requires an
/// unknown key. A fetch starts only for a token with an acceptable form and algorithm, and at most once per cooldown
/// period, whether the last fetch succeeded or failed. The cooldown defaults to one minute. As a result, invalid tokens
/// cannot cause many fetches. After a failed fetch, the cooldown does not apply to tokens that the provider itself sent.
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
        /// The error from the last fetch, or nil if it succeeded.
        var failure: (any Error)?
    }

    /// A function that returns whether the stored key set can be used.
    private typealias Condition = @Sendable (_ keySet: KeySet, _ attemptedAt: Int64, _ now: Int64) -> Bool

    private let endpoint: Endpoint
    private let runtime: OAuthRuntime
    private let lifetime: Int64
    private let cooldown: Int64
    private let state = Mutex(State())
    private let flight = SingleFlight<KeySet>()

    /// Creates a cache for a provider's `jwks_uri`.
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

    /// Validates a token with the stored keys, and again with fresh keys if none of them matches.
    ///
    /// - Throws: Any error that the policy or the transport throws, ``HTTPStatusError`` if the keys cannot be fetched,
    ///   or `ProtocolViolationError` with `jwkSetFormat` if the key set is not valid. During the cooldown after a
    ///   failed fetch, the error from that fetch is thrown again.
    public func validate<Policy: TokenPolicy>(_ token: Secret, policy: Policy) async throws -> Policy.Token {
        try await self.validate(token, policy: policy, clockSkew: 0)
    }

    /// Validates a token as of the current time minus `clockSkew` seconds.
    ///
    /// `isFromProvider` indicates that the provider itself sent the token. Such tokens do not cause many fetches, so the
    /// keys are fetched even if a fetch has just failed.
    package func validate<Policy: TokenPolicy>(
        _ token: Secret,
        policy: Policy,
        clockSkew: Int64,
        isFromProvider: Bool = false
    ) async throws -> Policy.Token {
        let isCurrent: Condition = { keySet, _, now in now - keySet.fetchedAt < self.lifetime }
        // A token with the wrong form, algorithm or type is rejected without fetching keys.
        if self.usableKeySet(if: isCurrent) == nil { try self.checkWithoutKeys(token, policy, clockSkew) }
        let known = try await self.keySet(atHandIf: isCurrent, ignoresFailure: isFromProvider)
        do {
            return try policy.validate(token, keys: known.keys, now: self.now(clockSkew))
        } catch ProtocolViolationError.Rule.signingKey, ProtocolViolationError.Rule.jwsSignature {
            // jwsSignature: The provider may have replaced a key with another that has the same ID or no ID.
            let hasNewer: Condition = { keySet, attemptedAt, now in
                if keySet.fetchedAt > known.fetchedAt { return true }
                return now - attemptedAt < self.cooldown && (!isFromProvider || self.recentFailure == nil)
            }
            let newer = try await self.keySet(atHandIf: hasNewer, ignoresFailure: isFromProvider)
            // The key that is missing may be in the key set that could not be fetched.
            if newer.fetchedAt == known.fetchedAt, let failure = self.recentFailure { throw failure }
            return try policy.validate(token, keys: newer.keys, now: self.now(clockSkew))
        }
    }

    /// Returns the stored key set if it can be used, or fetches a new one.
    ///
    /// Concurrent callers share one fetch.
    private func keySet(atHandIf willDo: @escaping Condition, ignoresFailure: Bool = false) async throws -> KeySet {
        if let keySet = self.usableKeySet(if: willDo) { return keySet }
        return try await self.flight.run {
            if let keySet = self.usableKeySet(if: willDo) { return keySet }
            if !ignoresFailure, let failure = self.recentFailure { throw failure }
            return try await self.fetch()
        }
    }

    private func usableKeySet(if willDo: @escaping Condition) -> KeySet? {
        let (state, now) = (self.state.withLock { $0 }, self.runtime.uptime())
        return state.keySet.flatMap { willDo($0, state.attemptedAt ?? $0.fetchedAt, now) ? $0 : nil }
    }

    /// The error from the last fetch if its cooldown has not ended yet.
    private var recentFailure: (any Error)? {
        let (state, now) = (self.state.withLock { $0 }, self.runtime.uptime())
        guard let attemptedAt = state.attemptedAt, now - attemptedAt < self.cooldown else { return nil }
        return state.failure
    }

    /// Throws any error that the policy can detect in a token without knowing the keys.
    private func checkWithoutKeys<Policy: TokenPolicy>(_ token: Secret, _ policy: Policy, _ clockSkew: Int64) throws {
        do {
            _ = try policy.validate(token, keys: JWKSet(keys: []), now: self.now(clockSkew))
        } catch ProtocolViolationError.Rule.signingKey {
            // The token is acceptable except for its key, which has not been loaded yet.
        }
    }

    private func now(_ clockSkew: Int64) -> Date { self.runtime.now().addingTimeInterval(-Double(clockSkew)) }

    private func fetch() async throws -> KeySet {
        let begun = self.runtime.uptime()
        // Record the attempt only when the fetch ends. Until then, other callers wait for its result.
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
