// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

/// How a client proves itself at the endpoints that ask for it: exactly one method per request.
///
/// The two of RFC 8705 put nothing but the client's name into the request: the certificate is the transport's, which
/// presents it in the TLS handshake.
///
/// - SeeAlso: [RFC 6749, section 2.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-2.3),
///   [OpenID Connect Core 1.0, section 9](https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication),
///   [RFC 8705, section 2](https://www.rfc-editor.org/rfc/rfc8705.html#section-2)
public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
    /// A public client: only its `client_id`, in the body.
    case publicClient = "none"
    /// `client_id` and `client_secret` in the `Authorization` header, each form-encoded first.
    case clientSecretBasic = "client_secret_basic"
    /// `client_id` and `client_secret` in the body.
    case clientSecretPost = "client_secret_post"
    /// A short-lived assertion in the body, authenticated with the client secret, which itself is never sent.
    case clientSecretJWT = "client_secret_jwt"
    /// A short-lived assertion in the body, signed with the client's private key.
    case privateKeyJWT = "private_key_jwt"
    /// A certificate that the provider knows by its issuer and name.
    case tlsClientAuth = "tls_client_auth"
    /// A certificate that the provider knows by the client's published keys.
    case selfSignedTLSClientAuth = "self_signed_tls_client_auth"

    /// Whether the proof is the transport's certificate.
    var usesCertificate: Bool { self == .tlsClientAuth || self == .selfSignedTLSClientAuth }

    /// Puts the proof into a request to `endpoint`: into the form, or into the value of the `Authorization` header that it
    /// returns.
    func apply(to form: inout FormParameters, for client: RegisteredClient, at endpoint: Endpoint) throws -> Secret? {
        switch self {
        case .publicClient, .tlsClientAuth, .selfSignedTLSClientAuth:
            form.appendOnce("client_id", client.client.clientID)
        case .clientSecretPost:
            let secret = try self.secret(of: client)
            form.appendOnce("client_id", client.client.clientID)
            form.append("client_secret", secret.withUnredacted { $0 })
        case .clientSecretBasic:
            let secret = try self.secret(of: client)
            return Self.basic(clientID: client.client.clientID, secret: secret)
        case .clientSecretJWT:
            try ClientAssertion.authenticated(by: try self.secret(of: client), for: client, at: endpoint)
                .append(to: &form, clientID: client.client.clientID)
        case .privateKeyJWT:
            guard let key = client.client.assertionKey else {
                throw InvalidRequestError("assertionKey", reason: "private_key_jwt needs a private key")
            }
            try ClientAssertion.signed(by: key, for: client, at: endpoint)
                .append(to: &form, clientID: client.client.clientID)
        }
        return nil
    }

    /// The value of the `Authorization` header for `client_secret_basic`.
    package static func basic(clientID: String, secret: Secret) -> Secret {
        // RFC 6749, section 2.3.1: both are encoded as a form first, so that a colon in either is no separator.
        let credentials = FormParameters.encode(clientID) + ":" + secret.withUnredacted { FormParameters.encode($0) }
        return Secret("Basic " + Base64.encode(Array(credentials.utf8)))
    }

    private func secret(of client: RegisteredClient) throws -> Secret {
        if let secret = client.client.clientSecret { return secret }
        throw InvalidRequestError("client_secret", reason: "\(self.rawValue) needs a client secret")
    }
}

/// A statement of the client about itself, good for one request within a minute: the proof of `client_secret_jwt` and
/// `private_key_jwt`.
///
/// Made anew for every try: its `jti` is never the same. `aud` is one string, the client's ``AssertionAudience``.
///
/// - SeeAlso: [RFC 7523, sections 2.2 and 3](https://www.rfc-editor.org/rfc/rfc7523.html#section-2.2)
struct ClientAssertion {
    /// How long an assertion is good, in seconds.
    static let lifetime: Int64 = 60

    let text: Secret

    /// An assertion under the client's private key, for a request to `endpoint`.
    static func signed(by key: JWSSigningKey, for client: RegisteredClient, at endpoint: Endpoint) throws -> Self {
        let supported = client.metadata.tokenEndpointAuthSigningAlgValuesSupported
        guard supported?.contains(key.algorithm.rawValue) ?? true else {
            throw Self.unsupported(key.algorithm.rawValue, supported)
        }
        return Self(text: try Self.claims(for: client, at: endpoint).signed(by: key, runtime: client.runtime))
    }

    /// An assertion under the client secret, by the shortest HMAC that the server takes, for a request to `endpoint`.
    static func authenticated(by secret: Secret, for client: RegisteredClient, at endpoint: Endpoint) throws -> Self {
        let supported = client.metadata.tokenEndpointAuthSigningAlgValuesSupported
        let algorithm = JWSMACKey.Algorithm.allCases.first { supported?.contains($0.rawValue) ?? true }
        guard let algorithm else { throw Self.unsupported("HMAC", supported) }
        let payload = try Self.claims(for: client, at: endpoint).payload(runtime: client.runtime)
        let key = JWSMACKey(secret: secret.withUnredacted { Array($0.utf8) }, algorithm: algorithm)
        return Self(text: Secret(key.sign(payload: payload)))
    }

    /// Puts the assertion into a request, with the `client_id` that the standard leaves optional: some servers look for
    /// the client by it.
    func append(to form: inout FormParameters, clientID: String) {
        form.appendOnce("client_id", clientID)
        form.append("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        form.append("client_assertion", self.text.withUnredacted { $0 })
    }

    private static func claims(for client: RegisteredClient, at endpoint: Endpoint) -> TokenAssertion {
        let audience =
            switch client.client.assertionAudience {
            case .issuer: client.metadata.issuer.url
            case .endpoint: endpoint.url
            }
        return TokenAssertion(
            issuer: client.client.clientID,
            subject: client.client.clientID,
            audience: audience,
            lifetime: .seconds(Self.lifetime)
        )
    }

    private static func unsupported(_ algorithm: String, _ supported: [String]?) -> InvalidRequestError {
        let names = (supported ?? []).map { UntrustedText.printable($0) }.joined(separator: " ")
        return InvalidRequestError(
            "token_endpoint_auth_signing_alg",
            reason: "the provider takes no assertion by \(algorithm), only by: \(names)"
        )
    }
}

/// Whom a client's assertion is for: the `aud` of `private_key_jwt` and `client_secret_jwt`, always one string.
///
/// RFC 7523 leaves it to the server, OpenID Connect Core recommends the token endpoint's URL, FAPI 2.0 demands the issuer.
/// Choose another than ``issuer`` only where a provider refuses it.
///
/// - SeeAlso: [RFC 7523, section 3, point 3](https://www.rfc-editor.org/rfc/rfc7523.html#section-3),
///   [OpenID Connect Core 1.0, section 9](https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication),
///   [FAPI 2.0 Security Profile, section 5.3.3.1](https://openid.net/specs/fapi-security-profile-2_0-final.html)
public enum AssertionAudience: String, Sendable, Hashable, CaseIterable {
    /// The issuer identifier of the server, which was checked when its metadata was read.
    ///
    /// No other server can use such an assertion.
    case issuer
    /// The URL that the request really goes to, at every endpoint its own: an alias for clients with a certificate, where
    /// that is called, and never the token endpoint's at another endpoint.
    ///
    /// An issuer is proved, a URL is not: a malicious server may name an endpoint of another one as its own. A client that is
    /// known to both by one name and one key then makes assertions for the malicious one that the other takes. So
    /// have a key of its own for each provider with this audience.
    case endpoint
}
