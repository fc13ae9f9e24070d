// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Synchronization
internal import TesseraJOSE

/// A provider's public keys: fetched when first needed, kept for an hour, fetched again for an unknown key, but at most
/// once in a cooldown, so that many bad tokens are not many fetches.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 10.1.1](https://openid.net/specs/openid-connect-core-1_0.html#RotateSigKeys)
public final class KeySetCache: Sendable {
    private struct State {
        var keys: JWKSet?
        var fetchedAt: Int64 = 0
        var attemptedAt: Int64?
    }

    private let endpoint: Endpoint
    private let runtime: OAuthRuntime
    private let lifetime: Int64
    private let cooldown: Int64
    private let state = Mutex(State())

    /// A cache over a provider's `jwks_uri`.
    public init(
        _ endpoint: Endpoint, runtime: OAuthRuntime, lifetime: Duration = .seconds(3_600), cooldown: Duration = .seconds(60)
    ) {
        self.endpoint = endpoint
        self.runtime = runtime
        self.lifetime = lifetime.nanoseconds
        self.cooldown = cooldown.nanoseconds
    }

    /// Validates a token with the keys at hand, and once more with fresh keys when none of them fits.
    ///
    /// - Throws: what ``IDTokenPolicy`` throws, `keySetFormat`, and what the transport throws.
    public func validate(_ token: Secret, policy: IDTokenPolicy) async throws -> ValidatedIDToken {
        let keys = try await self.keys()
        do {
            return try policy.validate(token, keys: keys, now: self.runtime.now())
        } catch ProtocolViolation.Rule.signingKey where self.mayFetchAgain() {
            return try policy.validate(token, keys: try await self.fetch(), now: self.runtime.now())
        }
    }

    private func keys() async throws -> JWKSet {
        let now = self.runtime.uptime()
        let kept = self.state.withLock { state in
            state.keys.flatMap { now - state.fetchedAt < self.lifetime ? $0 : nil }
        }
        if let kept { return kept }
        return try await self.fetch()
    }

    private func mayFetchAgain() -> Bool {
        let now = self.runtime.uptime()
        return self.state.withLock { state in state.attemptedAt.map { now - $0 >= self.cooldown } ?? true }
    }

    private func fetch() async throws -> JWKSet {
        let begun = self.runtime.uptime()
        self.state.withLock { $0.attemptedAt = begun }
        let (response, body) = try await self.runtime.exchange(.get(self.endpoint))
        guard response.status.code == 200 else {
            throw HTTPStatusError(status: Int(response.status.code), endpoint: "key set endpoint")
        }
        let keys = try JWKSet(parsing: body)
        self.state.withLock { state in
            state.keys = keys
            state.fetchedAt = begun
        }
        return keys
    }
}
