// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON

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
    static func signed(
        by key: JWSSigningKey,
        for client: RegisteredClient,
        at endpoint: Endpoint
    ) throws(InvalidRequestError) -> Self {
        let supported = client.metadata.tokenEndpointAuthSigningAlgValuesSupported
        guard supported?.contains(key.algorithm.rawValue) ?? true else {
            throw Self.unsupported(key.algorithm.rawValue, supported)
        }
        return Self(text: try Self.claims(for: client, at: endpoint).signed(by: key, runtime: client.runtime))
    }

    /// An assertion under the client secret, by the shortest HMAC that the server takes, for a request to `endpoint`.
    static func authenticated(
        by secret: Secret,
        for client: RegisteredClient,
        at endpoint: Endpoint
    ) throws(InvalidRequestError) -> Self {
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
