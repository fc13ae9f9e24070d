// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

/// The method that a client uses to authenticate to the authorization server.
///
/// Each request uses exactly one method. With the two methods defined by RFC 8705, the request contains only the client
/// ID, and the transport presents the certificate in the TLS handshake.
///
/// - SeeAlso: [RFC 6749, section 2.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-2.3),
///   [OpenID Connect Core 1.0, section 9](https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication),
///   [RFC 8705, section 2](https://www.rfc-editor.org/rfc/rfc8705.html#section-2)
public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
    /// No authentication. A public client sends only its `client_id` in the body.
    case publicClient = "none"
    /// The `client_id` and `client_secret` in the `Authorization` header, each form-encoded first.
    case clientSecretBasic = "client_secret_basic"
    /// The `client_id` and `client_secret` in the body.
    case clientSecretPost = "client_secret_post"
    /// A short-lived assertion in the body, authenticated with the client secret. The secret itself is never sent.
    case clientSecretJWT = "client_secret_jwt"
    /// A short-lived assertion in the body, signed with the client's private key.
    case privateKeyJWT = "private_key_jwt"
    /// A certificate that the provider recognizes by its issuer and subject name.
    case tlsClientAuth = "tls_client_auth"
    /// A certificate that the provider recognizes by the client's published keys.
    case selfSignedTLSClientAuth = "self_signed_tls_client_auth"

    /// Whether the transport's certificate authenticates the client.
    var usesCertificate: Bool { self == .tlsClientAuth || self == .selfSignedTLSClientAuth }

    /// Adds the authentication to the form for a request to `endpoint`, or returns the value for the `Authorization`
    /// header.
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
                throw InvalidRequestError("assertionKey", reason: "private_key_jwt requires a private key")
            }
            try ClientAssertion.signed(by: key, for: client, at: endpoint)
                .append(to: &form, clientID: client.client.clientID)
        }
        return nil
    }

    /// Returns the `Authorization` header value for `client_secret_basic`.
    package static func basic(clientID: String, secret: Secret) -> Secret {
        // RFC 6749, section 2.3.1: both are form-encoded first, so a colon in either is not mistaken for the separator.
        let credentials = FormParameters.encode(clientID) + ":" + secret.withUnredacted { FormParameters.encode($0) }
        return Secret("Basic " + Base64.encode(Array(credentials.utf8)))
    }

    private func secret(of client: RegisteredClient) throws -> Secret {
        if let secret = client.client.clientSecret { return secret }
        throw InvalidRequestError("client_secret", reason: "\(self.rawValue) requires a client secret")
    }
}

/// A JWT that authenticates a client (`client_secret_jwt` or `private_key_jwt`).
///
/// An assertion is valid for one request within a minute. Each attempt needs a new assertion because its `jti` must be
/// unique. Its `aud` is a single string that the client's ``AssertionAudience`` determines.
///
/// - SeeAlso: [RFC 7523, sections 2.2 and 3](https://www.rfc-editor.org/rfc/rfc7523.html#section-2.2)
struct ClientAssertion {
    /// The lifetime of an assertion, in seconds.
    static let lifetime: Int64 = 60

    let text: Secret

    /// Returns an assertion for a request to `endpoint`, signed with a private key.
    static func signed(by key: JWSSigningKey, for client: RegisteredClient, at endpoint: Endpoint) throws -> Self {
        let supported = client.metadata.tokenEndpointAuthSigningAlgValuesSupported
        guard supported?.contains(key.algorithm.rawValue) ?? true else {
            throw Self.unsupported(key.algorithm.rawValue, supported)
        }
        return Self(text: try Self.claims(for: client, at: endpoint).signed(by: key, runtime: client.runtime))
    }

    /// Returns an assertion for a request to `endpoint`, authenticated with the client secret.
    ///
    /// The assertion uses the shortest HMAC that the server accepts.
    static func authenticated(by secret: Secret, for client: RegisteredClient, at endpoint: Endpoint) throws -> Self {
        let supported = client.metadata.tokenEndpointAuthSigningAlgValuesSupported
        let algorithm = JWSMACKey.Algorithm.allCases.first { supported?.contains($0.rawValue) ?? true }
        guard let algorithm else { throw Self.unsupported("HMAC", supported) }
        let payload = try Self.claims(for: client, at: endpoint).payload(runtime: client.runtime)
        let key = JWSMACKey(secret: secret.withUnredacted { Array($0.utf8) }, algorithm: algorithm)
        return Self(text: Secret(key.sign(payload: payload)))
    }

    /// Adds the assertion and the `client_id` to a form.
    ///
    /// The standard does not require `client_id`, but some servers need it to find the client.
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
        let names = (supported ?? []).prefix(20).map { UntrustedText.printable($0, limit: 20) }.joined(separator: " ")
        return InvalidRequestError(
            "token_endpoint_auth_signing_alg",
            reason: "the provider does not accept assertions signed with \(algorithm) (accepted: \(names))"
        )
    }
}

/// The audience of a client assertion (`aud` in `private_key_jwt` and `client_secret_jwt`), which is always a single
/// string.
///
/// RFC 7523 leaves the choice to the server, OpenID Connect Core recommends the URL of the token endpoint, and FAPI 2.0
/// requires the issuer. Use ``endpoint`` only if a provider rejects ``issuer``.
///
/// - SeeAlso: [RFC 7523, section 3, point 3](https://www.rfc-editor.org/rfc/rfc7523.html#section-3),
///   [OpenID Connect Core 1.0, section 9](https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication),
///   [FAPI 2.0 Security Profile, section 5.3.3.1](https://openid.net/specs/fapi-security-profile-2_0-final.html)
public enum AssertionAudience: String, Sendable, Hashable, CaseIterable {
    /// The server's issuer identifier, which was verified when its metadata was read.
    ///
    /// No other server accepts the assertion.
    case issuer
    /// The URL of the endpoint that receives the request, or its alias if the client uses a certificate.
    ///
    /// Each endpoint has its own audience. The URL of the token endpoint is never used at another endpoint.
    ///
    /// Unlike an issuer, a URL is not verified, so a malicious server can list another server's endpoint as its own. If
    /// a client is registered with both servers under the same ID and key, the other server accepts the assertions that
    /// the client sends to the malicious one. With this audience, use a different key for each provider.
    case endpoint
}
