// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Synchronization
internal import TesseraJOSE
internal import TesseraOAuth

/// A provider with what is learnt about it on the way: its metadata and its keys.
///
/// Shared by a sign-in and its sessions.
final class ProviderConnection: Sendable {
    private struct State {
        var metadata: ServerMetadata?
        /// Whether the metadata came from a stored session, and so may be out of date.
        var isRemembered = false
        var keySet: KeySetCache?
    }

    let provider: Provider
    let runtime: OAuthRuntime
    private let state: Mutex<State>

    init(_ provider: Provider, runtime: OAuthRuntime) {
        self.provider = provider
        self.runtime = runtime
        self.state = Mutex(State(metadata: provider.metadata))
    }

    /// The metadata at hand, else by discovery: the OpenID document, and where there is none the one of RFC 8414.
    ///
    /// `isFresh` does not take what a stored session remembered: for a new consent, so that a provider that has moved its
    /// endpoints is found again.
    func metadata(isFresh: Bool = false) async throws -> ServerMetadata {
        if let known = self.state.withLock({ isFresh && $0.isRemembered ? nil : $0.metadata }) { return known }
        let discovered: ServerMetadata
        do {
            discovered = try await self.discover(.openIDConnect)
        } catch let error as HTTPStatusError where error.status == 404 {
            discovered = try await self.discover(.authorizationServer)
        }
        self.state.withLock { [discovered] in $0 = State(metadata: discovered) }
        return discovered
    }

    /// Takes metadata that a stored session brought; what is known already stays.
    func remember(_ metadata: ServerMetadata?) {
        self.state.withLock { state in
            if state.metadata == nil { state = State(metadata: metadata, isRemembered: true) }
        }
    }

    /// The provider with its metadata, as a session stores it.
    func resolvedProvider() async throws -> Provider {
        var provider = self.provider
        provider.metadata = try await self.metadata()
        return provider
    }

    /// Validates an ID token with the provider's keys.
    func validate(_ token: Secret, policy: IDTokenPolicy) async throws -> ValidatedIDToken {
        let endpoint = try await self.metadata().require(\.jwksURI, "jwks_uri")
        let keySet = self.state.withLock { state in
            let keySet = state.keySet ?? KeySetCache(endpoint, runtime: self.runtime)
            state.keySet = keySet
            return keySet
        }
        return try await keySet.validate(token, policy: policy)
    }

    /// The policy for this provider's ID tokens; the caller adds what belongs to its own request.
    func idTokenPolicy(nonce: IDTokenPolicy.NonceRule, accessToken: Secret) -> IDTokenPolicy {
        let supported = self.state.withLock { $0.metadata?.idTokenSigningAlgValuesSupported }
        return IDTokenPolicy(
            issuer: self.provider.issuer,
            issuerAliases: self.provider.issuerAliases,
            clientID: self.provider.client.clientID,
            algorithms: self.provider.client.idTokenAlgorithms(supported: supported),
            nonce: nonce,
            accessToken: accessToken
        )
    }

    private func discover(_ document: MetadataRequest.Document) async throws -> ServerMetadata {
        let request = MetadataRequest(document, of: self.provider.issuer, insecure: self.provider.insecure)
        let (response, body) = try await self.runtime.exchange(try request.message())
        return try request.metadata(status: Int(response.status.code), body: body)
    }
}
