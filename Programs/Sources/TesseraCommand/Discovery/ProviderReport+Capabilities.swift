// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE

extension ProviderReport {
    /// The provider's capabilities, in the order in which a sign-in uses them.
    var capabilities: [ProviderCapability] {
        self.requestCapabilities + self.tokenCapabilities + self.otherCapabilities
    }

    private var requestCapabilities: [ProviderCapability] {
        let metadata = self.document.metadata
        let challenges = metadata.codeChallengeMethodsSupported
        let modes = metadata.responseModesSupported
        let requestAlgorithms = metadata.requestObjectSigningAlgValuesSupported
        let responseAlgorithms = metadata.authorizationSigningAlgValuesSupported
        return [
            ProviderCapability(
                "PKCE",
                listing: challenges,
                use: challenges?.contains("S256") ?? true ? "S256, always" : "S256, so sign-in fails"
            ),
            ProviderCapability(
                "pushed requests (PAR)",
                metadata.pushedAuthorizationRequestEndpoint != nil,
                use: metadata.requirePushedAuthorizationRequests ? "always: required by the provider" : "with --par"
            ),
            ProviderCapability(
                "signed requests (JAR)",
                listing: requestAlgorithms,
                use: metadata.requireSignedRequestObject
                    ? "required, and supported by the library only" : "by the library, with a key"
            ),
            ProviderCapability(
                "response modes",
                listing: modes,
                use: "query; form_post and JARM in the library"
            ),
            ProviderCapability(
                "signed responses (JARM)",
                listing: responseAlgorithms,
                use: Self.ours(responseAlgorithms)
            ),
            ProviderCapability(
                "iss in the response",
                metadata.authorizationResponseIssParameterSupported,
                use: "required and compared",
                otherwise: "compared if present"
            ),
        ]
    }

    private var tokenCapabilities: [ProviderCapability] {
        let metadata = self.document.metadata
        let methods = metadata.tokenEndpointAuthMethodsSupported
        let withSecret = OAuthClient(clientID: "", clientSecret: Secret("")).authentication(supported: methods)
        let dpop = metadata.dpopSigningAlgValuesSupported
        let idTokens = metadata.idTokenSigningAlgValuesSupported
        return [
            ProviderCapability(
                "client authentication",
                listing: methods,
                use: "\(withSecret.rawValue) with a secret, none without"
            ),
            ProviderCapability(
                "ID tokens",
                listing: idTokens,
                use: idTokens?.contains(JWSAlgorithm.rs256.rawValue) ?? true
                    ? "RS256, unless registered otherwise" : "the client's registered algorithm: \(Self.ours(idTokens))"
            ),
            ProviderCapability(
                "bound tokens (DPoP)",
                dpop.map { !$0.isEmpty } ?? false,
                dpop ?? [],
                use: dpop?.contains(JWSAlgorithm.es256.rawValue) == true ? "ES256, with --dpop" : "–"
            ),
            ProviderCapability(
                "bound tokens (mutual TLS)",
                metadata.tlsClientCertificateBoundAccessTokens,
                use: "by the library, with a certificate"
            ),
            ProviderCapability(
                "mutual TLS aliases",
                !metadata.mtlsEndpointAliases.isEmpty,
                metadata.mtlsEndpointAliases.keys.sorted(),
                use: metadata.mtlsEndpointAliases.isEmpty ? "–" : "by the library, with a certificate"
            ),
        ]
    }

    private var otherCapabilities: [ProviderCapability] {
        let metadata = self.document.metadata
        let delivery = metadata.backchannelTokenDeliveryModesSupported ?? []
        return [
            ProviderCapability(
                "device codes",
                metadata.deviceAuthorizationEndpoint != nil,
                use: "tessera login --device"
            ),
            ProviderCapability(
                "backchannel (CIBA)",
                metadata.backchannelAuthenticationEndpoint != nil,
                delivery,
                use: metadata.backchannelAuthenticationEndpoint == nil ? "–" : "poll, by the library"
            ),
            ProviderCapability("registration", metadata.registrationEndpoint != nil, use: "tessera register"),
            ProviderCapability("revocation", metadata.revocationEndpoint != nil, use: "tessera logout --revoke"),
            ProviderCapability("introspection", metadata.introspectionEndpoint != nil, use: "by the library"),
            ProviderCapability("user information", metadata.userinfoEndpoint != nil, use: "tessera userinfo"),
            ProviderCapability("sign-out at the provider", metadata.endSessionEndpoint != nil, use: "by the library"),
        ]
    }

    /// Returns a list of those algorithms that Tessera can verify.
    private static func ours(_ names: [String]?) -> String {
        let ours = (names ?? []).filter { JWSAlgorithm.supported.contains(JWSAlgorithm(rawValue: $0)) }
        return ours.isEmpty ? "–" : Self.list(ours)
    }

    /// Weaknesses in the provider's configuration.
    var warnings: [String] {
        let metadata = self.document.metadata
        var warnings: [String] = []
        if metadata.authorizationEndpoint != nil {
            if let methods = metadata.codeChallengeMethodsSupported {
                if !methods.contains("S256") {
                    warnings.append("The metadata does not list S256 for PKCE. Sign-in is not possible.")
                }
                if methods.contains("plain") {
                    warnings.append("PKCE is also accepted with the method plain, which offers little protection.")
                }
            } else {
                warnings.append("The metadata does not list PKCE. Anyone may be able to use a leaked code.")
            }
            if !metadata.authorizationResponseIssParameterSupported {
                warnings.append("Responses do not name their issuer (RFC 9207), which weakens mix-up protection.")
            }
        }
        let lists = [
            ("ID tokens", metadata.idTokenSigningAlgValuesSupported),
            ("user information", metadata.userinfoSigningAlgValuesSupported),
            ("request objects", metadata.requestObjectSigningAlgValuesSupported),
            ("client assertions", metadata.tokenEndpointAuthSigningAlgValuesSupported),
        ]
        for (what, names) in lists where names?.contains(where: { $0.lowercased() == "none" }) == true {
            warnings.append("The metadata lists the algorithm none for \(what). Tessera never accepts it.")
        }
        if metadata.tokenEndpoint == nil { warnings.append("The token endpoint is missing. Sign-in is not possible.") }
        if metadata.jwksURI == nil { warnings.append("The metadata has no keys. ID tokens cannot be verified.") }
        if metadata.grantTypesSupported?.contains("password") == true {
            warnings.append("The provider offers the password grant, which exposes passwords to clients.")
        }
        if metadata.responseTypesSupported?.contains(where: { $0.split(separator: " ").contains("token") }) == true {
            warnings.append("The provider offers the implicit flow. Tessera does not use it.")
        }
        return warnings
    }
}
