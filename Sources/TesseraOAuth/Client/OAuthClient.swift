// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE

/// The program, as the provider knows it.
///
/// - SeeAlso: [RFC 6749, section 2](https://www.rfc-editor.org/rfc/rfc6749.html#section-2)
public struct OAuthClient: Sendable, Hashable {
    /// `client_id`.
    public var clientID: String
    /// `client_secret`, nil for a public client without one.
    ///
    /// Of a desktop program it is no secret at all, and yet some providers (Google) demand it.
    public var clientSecret: Secret?
    /// The private key that signs the client's assertions (`private_key_jwt`), nil for a client without one.
    ///
    /// It signs by its own algorithm, which has to be the one that the client is registered for.
    public var assertionKey: JWSSigningKey?
    /// Whom the client's assertions are for: the provider's issuer, or where it does not take that, the endpoint that is
    /// called.
    public var assertionAudience: AssertionAudience
    /// How the client proves itself at the token endpoint; nil chooses by the provider's metadata.
    ///
    /// A certificate is never chosen: only the transport knows whether there is one.
    public var authentication: ClientAuthentication?
    /// Whether the client's access tokens are bound to the certificate that its transport presents, as it is registered
    /// (`tls_client_certificate_bound_access_tokens`).
    ///
    /// A token says so itself: its `cnf` has the certificate's SHA-256 as `x5t#S256`. APIs have to be called through a
    /// transport with the same certificate then.
    ///
    /// - SeeAlso: [RFC 8705, section 3](https://www.rfc-editor.org/rfc/rfc8705.html#section-3)
    public var certificateBoundAccessTokens: Bool
    /// The only algorithms that ID tokens may be signed with.
    ///
    /// Nil, the default, accepts what the provider's metadata lists. See ``idTokenAlgorithms(supported:)``.
    public var idTokenAlgorithms: [JWSAlgorithm]?
    /// The only algorithms that authorization responses may be signed with (JARM).
    ///
    /// Nil, the default, accepts what the provider's metadata lists in `authorization_signing_alg_values_supported`, by the
    /// same rule as for ID tokens.
    public var authorizationResponseAlgorithms: [JWSAlgorithm]?

    /// A client.
    public init(
        clientID: String,
        clientSecret: Secret? = nil,
        assertionKey: JWSSigningKey? = nil,
        assertionAudience: AssertionAudience = .issuer,
        authentication: ClientAuthentication? = nil,
        certificateBoundAccessTokens: Bool = false,
        idTokenAlgorithms: [JWSAlgorithm]? = nil,
        authorizationResponseAlgorithms: [JWSAlgorithm]? = nil
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.assertionKey = assertionKey
        self.assertionAudience = assertionAudience
        self.authentication = authentication
        self.certificateBoundAccessTokens = certificateBoundAccessTokens
        self.idTokenAlgorithms = idTokenAlgorithms
        self.authorizationResponseAlgorithms = authorizationResponseAlgorithms
    }

    /// The method used at a provider that supports `methods` (nil: its metadata does not say).
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

    /// Whether the client's transport presents a certificate: then the server's `mtls_endpoint_aliases` are used.
    var usesCertificate: Bool { self.certificateBoundAccessTokens || self.authentication?.usesCertificate == true }

    /// Returns the algorithms that an ID token of a provider may be signed with.
    ///
    /// These are the asymmetric algorithms that Tessera verifies (`JWSAlgorithm.supported`) and that the provider's metadata
    /// lists, restricted to ``idTokenAlgorithms`` where the client sets it. If the metadata lists none, the client's own
    /// algorithms apply, or `RS256` without any.
    ///
    /// - Parameter algorithms: `id_token_signing_alg_values_supported`, nil where the metadata does not have it.
    /// - Returns: The algorithms. If there are none, no ID token of the provider can be accepted.
    /// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
    public func idTokenAlgorithms(supported algorithms: [String]?) -> [JWSAlgorithm] {
        Self.accepted(self.idTokenAlgorithms, listed: algorithms)
    }

    /// Returns the algorithms that an authorization response of a provider may be signed with, by the same rule.
    func authorizationResponseAlgorithms(supported algorithms: [String]?) -> [JWSAlgorithm] {
        Self.accepted(self.authorizationResponseAlgorithms, listed: algorithms)
    }

    private static func accepted(_ own: [JWSAlgorithm]?, listed names: [String]?) -> [JWSAlgorithm] {
        let names = names ?? []
        let listed = names.isEmpty ? own ?? [.rs256] : names.map { JWSAlgorithm(rawValue: $0) }
        return (own ?? listed).filter { listed.contains($0) && JWSAlgorithm.supported.contains($0) }
    }
}
