// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
    func apply(
        to form: inout FormParameters,
        for client: RegisteredClient,
        at endpoint: Endpoint
    ) throws(InvalidRequestError) -> Secret? {
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

    private func secret(of client: RegisteredClient) throws(InvalidRequestError) -> Secret {
        if let secret = client.client.clientSecret { return secret }
        throw InvalidRequestError("client_secret", reason: "\(self.rawValue) needs a client secret")
    }
}
