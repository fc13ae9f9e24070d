// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE

/// An OAuth client, as registered with a provider.
///
/// - SeeAlso: [RFC 6749, section 2](https://www.rfc-editor.org/rfc/rfc6749.html#section-2)
public struct OAuthClient: Sendable, Hashable {
    /// The client ID (`client_id`).
    public var clientID: String
    /// The client secret (`client_secret`), or nil for a public client.
    ///
    /// A desktop app's secret is not confidential, but some providers, such as Google, require it.
    public var clientSecret: Secret?
    /// The private key that signs client assertions (`private_key_jwt`), or nil if the client does not use them.
    ///
    /// The client must be registered for this key's algorithm.
    public var assertionKey: JWSSigningKey?
    /// The audience of client assertions.
    ///
    /// Use the endpoint only for providers that do not accept the issuer.
    public var assertionAudience: AssertionAudience
    /// The client authentication method for the token endpoint, or nil to select one from the provider's metadata.
    ///
    /// Certificate methods are not selected automatically, because only the transport knows whether it has a
    /// certificate.
    public var authentication: ClientAuthentication?
    /// Whether the client is registered for access tokens that are bound to its transport's certificate.
    ///
    /// This is the registered value of `tls_client_certificate_bound_access_tokens`. The `cnf` claim of such a token
    /// contains the SHA-256 hash of the certificate as `x5t#S256`. To call APIs with the token, use a transport with
    /// the same certificate.
    ///
    /// - SeeAlso: [RFC 8705, section 3](https://www.rfc-editor.org/rfc/rfc8705.html#section-3)
    public var certificateBoundAccessTokens: Bool
    /// The algorithms that are accepted for ID token signatures.
    ///
    /// If this is nil (the default), the algorithms in the provider's metadata are accepted. See
    /// ``idTokenAlgorithms(supported:)``.
    public var idTokenAlgorithms: [JWSAlgorithm]?
    /// The algorithms that are accepted for authorization response signatures (JARM).
    ///
    /// If this is nil (the default), the algorithms in the provider's `authorization_signing_alg_values_supported` are
    /// accepted. The same rules apply as for ID tokens.
    public var authorizationResponseAlgorithms: [JWSAlgorithm]?
    /// The security profile that the client, its provider and its requests must comply with, or nil (the default) for
    /// none.
    public var securityProfile: SecurityProfile?

    /// Creates a client.
    public init(
        clientID: String,
        clientSecret: Secret? = nil,
        assertionKey: JWSSigningKey? = nil,
        assertionAudience: AssertionAudience = .issuer,
        authentication: ClientAuthentication? = nil,
        certificateBoundAccessTokens: Bool = false,
        idTokenAlgorithms: [JWSAlgorithm]? = nil,
        authorizationResponseAlgorithms: [JWSAlgorithm]? = nil,
        securityProfile: SecurityProfile? = nil
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.assertionKey = assertionKey
        self.assertionAudience = assertionAudience
        self.authentication = authentication
        self.certificateBoundAccessTokens = certificateBoundAccessTokens
        self.idTokenAlgorithms = idTokenAlgorithms
        self.authorizationResponseAlgorithms = authorizationResponseAlgorithms
        self.securityProfile = securityProfile
    }

    /// Returns the authentication method for a provider that supports `methods`.
    ///
    /// If the provider's metadata does not list any methods, pass nil.
    public func authentication(supported methods: [String]?) -> ClientAuthentication {
        if let authentication { return authentication }
        let takesKey = methods?.contains(ClientAuthentication.privateKeyJWT.rawValue) ?? true
        if self.assertionKey != nil, takesKey || self.clientSecret == nil { return .privateKeyJWT }
        guard self.clientSecret != nil else { return .publicClient }
        guard let methods, !methods.contains(ClientAuthentication.clientSecretBasic.rawValue) else {
            return .clientSecretBasic
        }
        return methods.contains(ClientAuthentication.clientSecretPost.rawValue) ? .clientSecretPost : .clientSecretBasic
    }

    /// Whether the client's transport presents a certificate, in which case the server's `mtls_endpoint_aliases` are
    /// used.
    var usesCertificate: Bool { self.certificateBoundAccessTokens || self.authentication?.usesCertificate == true }

    /// Returns the algorithms that are accepted for the signatures of a provider's ID tokens.
    ///
    /// These are the asymmetric algorithms that Tessera supports (`JWSAlgorithm.supported`) and the provider's metadata
    /// lists, restricted to ``idTokenAlgorithms`` if it is set. If the metadata does not list any, the client's own
    /// algorithms apply, or `RS256` if the client does not specify any. A ``securityProfile`` restricts all of these.
    ///
    /// - Parameter algorithms: `id_token_signing_alg_values_supported`, or nil if it is missing from the metadata.
    /// - Returns: The algorithms. If the array is empty, none of the provider's ID tokens can be accepted.
    /// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
    public func idTokenAlgorithms(supported algorithms: [String]?) -> [JWSAlgorithm] {
        self.accepted(self.idTokenAlgorithms, listed: algorithms)
    }

    /// Returns the algorithms that are accepted for the signatures of a provider's userinfo responses.
    ///
    /// A client registers this algorithm independently of the one for ID tokens. If the metadata does not list any, the
    /// algorithms are those for ID tokens.
    func userInfoAlgorithms(_ metadata: ServerMetadata) -> [JWSAlgorithm] {
        guard let listed = metadata.userinfoSigningAlgValuesSupported, !listed.isEmpty else {
            return self.idTokenAlgorithms(supported: metadata.idTokenSigningAlgValuesSupported)
        }
        return self.accepted(nil, listed: listed)
    }

    /// Returns the algorithms that are accepted for authorization response signatures, following the same rules.
    func authorizationResponseAlgorithms(supported algorithms: [String]?) -> [JWSAlgorithm] {
        self.accepted(self.authorizationResponseAlgorithms, listed: algorithms)
    }

    private func accepted(_ own: [JWSAlgorithm]?, listed names: [String]?) -> [JWSAlgorithm] {
        let usable = self.securityProfile?.algorithms ?? JWSAlgorithm.supported
        guard let names, !names.isEmpty else { return (own ?? [.rs256]).filter(usable.contains) }
        // A server's list can be long, so its names are compared only with those of the supported algorithms.
        let listed = Set(names)
        return (own ?? usable).filter { usable.contains($0) && listed.contains($0.rawValue) }
    }
}
