// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGoogle
internal import TesseraJSON
internal import TesseraOAuth

extension OIDServiceConfiguration {
    /// Creates a provider's configuration, or returns nil if its endpoints are not known.
    convenience init?(_ provider: Provider) {
        func url(_ endpoint: Endpoint?) -> URL? { endpoint.flatMap { URL(string: $0.url) } }
        guard let metadata = provider.metadata, let authorizationEndpoint = url(metadata.authorizationEndpoint),
            let tokenEndpoint = url(metadata.tokenEndpoint)
        else { return nil }
        self.init(
            authorizationEndpoint: authorizationEndpoint,
            tokenEndpoint: tokenEndpoint,
            issuer: URL(string: provider.issuer.url),
            registrationEndpoint: url(metadata.registrationEndpoint),
            endSessionEndpoint: url(metadata.endSessionEndpoint)
        )
    }

    /// Returns a client for the provider's endpoints.
    func registeredClient(clientID: String = "", clientSecret: String? = nil) throws -> RegisteredClient {
        let environment = try AppAuthEnvironment.current()
        let client = OAuthClient(
            clientID: clientID,
            clientSecret: clientSecret.map { Secret($0) },
            authentication: clientSecret == nil ? .publicClient : .clientSecretBasic,
            idTokenAlgorithms: [.rs256, .es256, .ps256]
        )
        return RegisteredClient(
            client,
            metadata: try self.metadata(environment.insecure),
            runtime: environment.runtime,
            insecure: environment.insecure
        )
    }

    /// Returns a connection that verifies ID tokens issued to a client.
    ///
    /// If the app supplied the endpoints without discovery, the connection finds the signing keys by discovery.
    ///
    /// - Throws: A `jwtIssuer` violation if the configuration has no issuer.
    func connection(for client: RegisteredClient) throws -> ProviderConnection {
        guard self.canVerifyIDTokens else {
            throw ProtocolViolationError(
                .jwtIssuer,
                expected: "an OIDServiceConfiguration with an issuer",
                actual: "none",
                section: "OpenID Connect Core 1.0, section 3.1.3.7"
            )
        }
        let provider = Provider(
            issuer: client.metadata.issuer,
            metadata: client.metadata.jwksURI == nil ? nil : client.metadata,
            client: client.client,
            issuerAliases: self.issuerAliases,
            insecure: client.insecure
        )
        return ProviderConnection(provider, runtime: client.runtime)
    }

    /// Whether the issuer of the provider's ID tokens is known.
    var canVerifyIDTokens: Bool { self.issuer != nil || self.google != nil }

    /// Other values that ID tokens may contain for the issuer.
    var issuerAliases: [String] { self.google?.issuerAliases ?? [] }

    /// The origins that may receive tokens by default, which are those of Google's APIs or of the provider itself.
    var origins: [OriginPattern] {
        if let google = self.google { return google.authorizedOrigins }
        let urls = [self.issuer, self.authorizationEndpoint, self.tokenEndpoint].compactMap { $0?.absoluteString }
        var origins: [OriginPattern] = []
        for origin in urls.compactMap({ URIParts($0).flatMap { OriginPattern(of: $0) } })
        where !origins.contains(origin) {
            origins.append(origin)
        }
        return origins
    }

    private func metadata(_ insecure: Insecure) throws -> ServerMetadata {
        // An optional URL that cannot be used must not prevent requests to the token endpoint.
        func usable(_ url: URL?) -> String? {
            url.flatMap { try? Endpoint($0.absoluteString, name: "an endpoint", insecure: insecure) }?.url
        }
        let google = self.google
        let urls: KeyValuePairs = [
            "issuer": self.issuer?.absoluteString ?? google?.issuer.url ?? self.origin,
            "authorization_endpoint": self.authorizationEndpoint.absoluteString,
            "token_endpoint": self.tokenEndpoint.absoluteString,
            "registration_endpoint": usable(self.registrationEndpoint),
            "end_session_endpoint": usable(self.endSessionEndpoint),
            "jwks_uri": usable(self.discoveryDocument?.jwksURL) ?? google?.metadata?.jwksURI?.url,
        ]
        var members: [(name: String, value: JSONNode)] = urls.compactMap { name, url in
            url.map { (name, .string($0)) }
        }
        if let algorithms = self.discoveryDocument?.idTokenSigningAlgorithmValuesSupported {
            members.append(("id_token_signing_alg_values_supported", .array(algorithms.map { .string($0) })))
        }
        return try ServerMetadata(members, insecure: insecure)
    }

    /// Google's provider, if the token endpoint belongs to Google.
    ///
    /// `configurationForGoogle()` has no issuer.
    private var google: Provider? {
        guard let endpoint = URIParts(self.tokenEndpoint.absoluteString), GoogleEndpoints.isGoogle(endpoint) else {
            return nil
        }
        return try? Provider.google(client: OAuthClient(clientID: ""))
    }

    /// The token endpoint's origin, which identifies a provider without an issuer in traces.
    private var origin: String {
        let url = self.tokenEndpoint
        return "\(url.scheme ?? "https")://\(url.host() ?? "")" + (url.port.map { ":\($0)" } ?? "")
    }
}
