// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// A security profile that restricts a client, its provider and its requests.
///
/// Set ``OAuthClient/securityProfile`` to enforce a profile. A setting, provider or request that violates the profile
/// is rejected before the request is sent.
///
/// - SeeAlso: [FAPI 2.0 Security Profile](https://openid.net/specs/fapi-security-profile-2_0-final.html)
public enum SecurityProfile: String, Sendable, Hashable, CaseIterable {
    /// The FAPI 2.0 Security Profile for clients.
    ///
    /// - Authorization requests are pushed (RFC 9126) and return only a code. PKCE with S256 is always used.
    /// - Authorization responses contain `iss` (RFC 9207), or are signed (JARM).
    /// - Tokens are bound to a DPoP key (RFC 9449) or to the transport's certificate (RFC 8705).
    /// - The client authenticates with `private_key_jwt`, with the issuer as audience, or with a certificate.
    /// - Signatures use PS256, ES256 or EdDSA. This applies to client assertions, DPoP proofs, request objects, ID
    ///   tokens, authorization responses and user information.
    /// - Endpoints use https, and ``Insecure`` exceptions are not permitted. A redirect URI with plain http must have a
    ///   loopback address instead of the name `localhost`.
    ///
    /// The transport is responsible for the required TLS versions.
    ///
    /// - SeeAlso: [FAPI 2.0 Security Profile, sections 5.3.3 and 5.4](https://openid.net/specs/fapi-security-profile-2_0-final.html)
    case fapi2

    /// The signature algorithms that the profile permits.
    var algorithms: [JWSAlgorithm] {
        switch self {
        case .fapi2: [.ps256, .es256, .edDSA]
        }
    }
}

extension SecurityProfile {
    /// Checks the settings of a client, before the provider's metadata is known.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - usesDPoP: Whether the client may request tokens that are bound to a DPoP key.
    ///   - insecure: The permitted exceptions that weaken security.
    /// - Throws: ``InvalidRequestError`` with the setting to change.
    package func check(_ client: OAuthClient, usesDPoP: Bool, insecure: Insecure) throws {
        guard insecure.isEmpty else {
            throw Self.violation("insecure", "does not permit insecure options", "Remove them.")
        }
        try self.checkAuthentication(of: client)
        try self.checkAlgorithms(
            client.idTokenAlgorithms,
            "id_token_signed_response_alg",
            "OAuthClient.idTokenAlgorithms"
        )
        try self.checkAlgorithms(
            client.authorizationResponseAlgorithms,
            "authorization_signed_response_alg",
            "OAuthClient.authorizationResponseAlgorithms"
        )
        guard usesDPoP || client.certificateBoundAccessTokens else {
            throw Self.violation(
                "dpop",
                "does not permit bearer tokens that anyone can use",
                "Set Provider.dpop or RegisteredClient.dpop, or OAuthClient.certificateBoundAccessTokens if the "
                    + "transport presents a certificate."
            )
        }
    }

    /// Checks a client and its provider, before any request.
    ///
    /// Every violation is an ``InvalidRequestError``, which shows a session that its refresh token was not sent.
    ///
    /// - Parameters:
    ///   - client: The client along with its provider's metadata.
    ///   - issuesTokens: Whether the request results in tokens, which must be bound to a key or certificate.
    /// - Throws: ``InvalidRequestError`` with the setting to change.
    func check(_ client: RegisteredClient, issuesTokens: Bool) throws {
        let usesDPoP = client.dpop != nil
        try self.check(client.client, usesDPoP: usesDPoP || !issuesTokens, insecure: client.insecure)
        try self.checkAlgorithms((client.dpop?.key.algorithm).map { [$0] }, "DPoP", "the DPoP key")
        // The program can create metadata with exceptions.
        guard client.metadata.isValidWithoutExceptions else {
            throw Self.violation(
                "metadata",
                "requires https URLs in the provider's metadata",
                "Use https for all endpoints."
            )
        }
        guard usesDPoP || !issuesTokens || client.metadata.tlsClientCertificateBoundAccessTokens else {
            throw Self.violation(
                "tls_client_certificate_bound_access_tokens",
                "requires bound tokens, but the provider's metadata does not list them",
                "Use DPoP, or ask the provider to bind tokens to certificates."
            )
        }
    }

    /// Checks an authorization request, before it is pushed.
    ///
    /// - Throws: ``InvalidRequestError`` with the setting to change, or `ProtocolViolationError` with `missingMetadata`
    ///   if the provider does not support pushed requests or `iss` in responses.
    func check(_ request: AuthorizationRequest, by client: RegisteredClient, signingKey: JWSSigningKey?) throws {
        try self.check(client, issuesTokens: true)
        guard request.responseType == .code else {
            throw Self.violation("response_type", "permits only a code", "Use the response type 'code'.")
        }
        // FAPI 2.0 Security Profile, section 5.3.2.2, permits http as described in RFC 8252, section 7.3, whose
        // redirect URIs contain an IP address.
        guard request.redirectURI.parts.scheme != "http" || !request.redirectURI.usesLocalhostName else {
            throw Self.violation(
                "redirect_uri",
                "permits plain http only with a loopback address",
                "Use 127.0.0.1 or [::1] instead of localhost."
            )
        }
        try self.checkAlgorithms((signingKey?.algorithm).map { [$0] }, "request_object_signing_alg", "the signing key")
        _ = try client.endpoint(\.pushedAuthorizationRequestEndpoint, "pushed_authorization_request_endpoint")
        // A signed response always contains iss, and RFC 9207, section 2.4, does not require the parameter for it.
        guard
            client.metadata.authorizationResponseIssParameterSupported || request.effectiveResponseMode.isJWT
        else { throw Self.missing("authorization_response_iss_parameter_supported") }
    }

    private func checkAuthentication(of client: OAuthClient) throws {
        // With an empty list, the result is what the client uses with the least capable provider.
        switch client.authentication(supported: []) {
        case .tlsClientAuth, .selfSignedTLSClientAuth: break
        case .privateKeyJWT:
            guard let key = client.assertionKey else {
                throw InvalidRequestError("assertionKey", reason: "private_key_jwt requires a private key")
            }
            try self.checkAlgorithms([key.algorithm], "token_endpoint_auth_signing_alg", "OAuthClient.assertionKey")
            guard client.assertionAudience == .issuer else {
                throw Self.violation(
                    "assertionAudience",
                    "requires the issuer as the audience of client assertions",
                    "Set OAuthClient.assertionAudience to .issuer."
                )
            }
        case .publicClient, .clientSecretBasic, .clientSecretPost, .clientSecretJWT:
            throw Self.violation(
                "token_endpoint_auth_method",
                "requires private_key_jwt or a client certificate",
                "Set OAuthClient.assertionKey and authentication to .privateKeyJWT, .tlsClientAuth or "
                    + ".selfSignedTLSClientAuth."
            )
        }
    }

    /// Checks the algorithms of a setting, which is nil if the program did not set it.
    private func checkAlgorithms(_ algorithms: [JWSAlgorithm]?, _ name: String, _ setting: String) throws {
        guard let other = algorithms?.first(where: { !self.algorithms.contains($0) }) else { return }
        let names = self.algorithms.map(\.rawValue).joined(separator: ", ")
        throw Self.violation(name, "does not permit \(other)", "Use one of \(names) for \(setting).")
    }

    private static func violation(_ name: String, _ reason: String, _ advice: String) -> InvalidRequestError {
        InvalidRequestError(name, reason: "the FAPI 2.0 Security Profile \(reason)", advice: advice)
    }

    private static func missing(_ name: String) -> ProtocolViolationError {
        ProtocolViolationError(
            .missingMetadata,
            expected: "\(name) in the provider's metadata",
            section: "FAPI 2.0 Security Profile, section 5.3.2"
        )
    }
}
