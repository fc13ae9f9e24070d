// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGoogle
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// A provider as an `OIDServiceConfiguration` knows it, ready for requests.
struct ProviderAccess: Sendable {
    let world: AppAuthWorld
    let configuration: OIDServiceConfiguration
    let client: OAuthClient

    init(_ configuration: OIDServiceConfiguration, clientID: String = "", clientSecret: String? = nil) throws {
        self.world = try AppAuthWorld.current()
        self.configuration = configuration
        self.client = OAuthClient(
            clientID: clientID,
            clientSecret: clientSecret.map { Secret($0) },
            authentication: clientSecret == nil ? .publicClient : .clientSecretBasic,
            idTokenAlgorithms: [.rs256, .es256, .ps256]
        )
    }

    func registeredClient() throws -> RegisteredClient {
        RegisteredClient(
            self.client,
            metadata: try self.metadata(),
            runtime: self.world.runtime,
            insecure: self.world.insecure
        )
    }

    /// Verifies an ID token: signature, issuer, audience, times, nonce, and that it speaks of the sign-in that an earlier one
    /// spoke of.
    ///
    /// - Throws: `ProtocolViolationError`; what the network throws.
    func validate(
        _ idToken: Secret,
        nonce: IDTokenPolicy.NonceRule,
        accessToken: Secret,
        after before: IDTokenClaims? = nil
    ) async throws {
        let metadata = try await self.metadataWithKeys()
        let policy = IDTokenPolicy(
            issuer: metadata.issuer,
            issuerAliases: self.issuerAliases,
            clientID: self.client.clientID,
            algorithms: self.client.idTokenAlgorithms(supported: metadata.idTokenSigningAlgValuesSupported),
            nonce: nonce,
            accessToken: accessToken,
            decrypt: self.world.runtime.decrypt
        )
        let validated = try await self.keys(metadata).validate(idToken, policy: policy)
        if let before { try validated.checkContinuity(from: before) }
    }

    /// Whether it is known who signs the provider's ID tokens.
    var canValidate: Bool { self.configuration.issuer != nil || self.configuration.isGoogle }

    /// The keys that the provider signs with.
    func keys() async throws -> KeySetCache { try self.keys(try await self.metadataWithKeys()) }

    /// Other spellings of the issuer in ID tokens.
    var issuerAliases: [String] { self.configuration.isGoogle ? GoogleEndpoints.issuerAliases : [] }

    private func keys(_ metadata: ServerMetadata) throws -> KeySetCache {
        KeySetCache(try metadata.require(\.jwksURI, "jwks_uri"), runtime: self.world.runtime)
    }

    private func metadataWithKeys() async throws -> ServerMetadata {
        let metadata = try self.metadata()
        return metadata.jwksURI == nil ? try await self.discovered() : metadata
    }

    private func metadata() throws -> ServerMetadata {
        let (configuration, document) = (self.configuration, self.configuration.discoveryDocument)
        let google = configuration.isGoogle
        let issuer = configuration.issuer?.absoluteString ?? (google ? GoogleEndpoints.issuer : self.origin)
        let urls: KeyValuePairs = [
            "issuer": issuer, "authorization_endpoint": configuration.authorizationEndpoint.absoluteString,
            "token_endpoint": configuration.tokenEndpoint.absoluteString,
            "registration_endpoint": configuration.registrationEndpoint?.absoluteString,
            "end_session_endpoint": configuration.endSessionEndpoint?.absoluteString,
            "jwks_uri": document?.jwksURL.absoluteString ?? (google ? GoogleEndpoints.jwksURI : nil),
        ]
        var members: [(name: String, value: JSONNode)] = urls.compactMap { name, url in
            url.map { (name, .string($0)) }
        }
        if let algorithms = document?.idTokenSigningAlgorithmValuesSupported {
            members.append(("id_token_signing_alg_values_supported", .array(algorithms.map { .string($0) })))
        }
        return try ServerMetadata(members, insecure: self.world.insecure)
    }

    /// Where the token endpoint is: what a provider without an issuer is called in traces.
    private var origin: String {
        let url = self.configuration.tokenEndpoint
        return "\(url.scheme ?? "https")://\(url.host() ?? "")" + (url.port.map { ":\($0)" } ?? "")
    }

    /// What the issuer says about itself, where the program named it and its endpoints by hand.
    private func discovered() async throws -> ServerMetadata {
        guard let issuer = self.configuration.issuer else {
            throw ProtocolViolationError(
                .jwtIssuer,
                expected: "an issuer in the OIDServiceConfiguration, as discovery gives it",
                actual: "none",
                section: "OpenID Connect Core 1.0, section 3.1.3.7"
            )
        }
        return try await Discovery().metadata(of: issuer)
    }
}
