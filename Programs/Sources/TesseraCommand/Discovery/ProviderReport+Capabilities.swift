// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE

extension ProviderReport {
    /// What the provider can do, in the order of a sign-in.
    var capabilities: [ProviderCapability] {
        self.requestCapabilities + self.tokenCapabilities + self.otherCapabilities
    }

    private var requestCapabilities: [ProviderCapability] {
        let metadata = self.document.metadata
        let challenges = metadata.codeChallengeMethodsSupported
        let modes = metadata.responseModesSupported
        let requestAlgorithms = metadata.requestObjectSigningAlgValuesSupported
        let answerAlgorithms = metadata.authorizationSigningAlgValuesSupported
        return [
            ProviderCapability(
                "PKCE",
                listing: challenges,
                use: challenges?.contains("S256") ?? true ? "S256, always" : "S256, so a sign-in is refused"
            ),
            ProviderCapability(
                "pushed requests (PAR)",
                metadata.pushedAuthorizationRequestEndpoint != nil,
                use: metadata.requirePushedAuthorizationRequests ? "always: the provider demands it" : "with --par"
            ),
            ProviderCapability(
                "signed requests (JAR)",
                listing: requestAlgorithms,
                use: metadata.requireSignedRequestObject
                    ? "demanded, and this command has no key: a program does it" : "by programs that have a key"
            ),
            ProviderCapability(
                "response modes",
                listing: modes,
                use: "query; form_post and JARM in programs"
            ),
            ProviderCapability(
                "signed answers (JARM)",
                listing: answerAlgorithms,
                use: Self.ours(answerAlgorithms)
            ),
            ProviderCapability(
                "iss in the answer",
                metadata.authorizationResponseIssParameterSupported,
                use: "demanded and compared",
                otherwise: "compared where it is there"
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
                    ? "RS256, unless registered otherwise" : "what the client is registered for: \(Self.ours(idTokens))"
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
                use: "by programs that have a certificate"
            ),
            ProviderCapability(
                "mutual TLS aliases",
                !metadata.mtlsEndpointAliases.isEmpty,
                metadata.mtlsEndpointAliases.keys.sorted(),
                use: metadata.mtlsEndpointAliases.isEmpty ? "–" : "by programs that have a certificate"
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
                use: metadata.backchannelAuthenticationEndpoint == nil ? "–" : "poll, by programs"
            ),
            ProviderCapability("registration", metadata.registrationEndpoint != nil, use: "tessera register"),
            ProviderCapability("revocation", metadata.revocationEndpoint != nil, use: "tessera logout --revoke"),
            ProviderCapability("introspection", metadata.introspectionEndpoint != nil, use: "by programs"),
            ProviderCapability("user information", metadata.userinfoEndpoint != nil, use: "tessera userinfo"),
            ProviderCapability("sign-out at the provider", metadata.endSessionEndpoint != nil, use: "by programs"),
        ]
    }

    /// Which of a provider's algorithms are verified here.
    private static func ours(_ names: [String]?) -> String {
        let ours = (names ?? []).filter { JWSAlgorithm.supported.contains(JWSAlgorithm(rawValue: $0)) }
        return ours.isEmpty ? "–" : Self.list(ours)
    }

    /// What weakens a sign-in there.
    var warnings: [String] {
        let metadata = self.document.metadata
        var warnings: [String] = []
        if metadata.authorizationEndpoint != nil {
            if let methods = metadata.codeChallengeMethodsSupported {
                if !methods.contains("S256") {
                    warnings.append("S256 is not announced for PKCE: no sign-in is possible.")
                }
                if methods.contains("plain") { warnings.append("PKCE is taken as plain too, which protects little.") }
            } else {
                warnings.append("Nothing is said about PKCE: a code that leaks may be of use to others.")
            }
            if !metadata.authorizationResponseIssParameterSupported {
                warnings.append("Answers do not name their issuer (RFC 9207): mix-up is prevented less well.")
            }
        }
        let lists = [
            ("ID tokens", metadata.idTokenSigningAlgValuesSupported),
            ("user information", metadata.userinfoSigningAlgValuesSupported),
            ("request objects", metadata.requestObjectSigningAlgValuesSupported),
            ("client assertions", metadata.tokenEndpointAuthSigningAlgValuesSupported),
        ]
        for (what, names) in lists where names?.contains(where: { $0.lowercased() == "none" }) == true {
            warnings.append("The algorithm none is announced for \(what); Tessera never takes it.")
        }
        if metadata.tokenEndpoint == nil { warnings.append("There is no token endpoint: nobody can sign in.") }
        if metadata.jwksURI == nil { warnings.append("There are no keys: ID tokens cannot be verified.") }
        if metadata.grantTypesSupported?.contains("password") == true {
            warnings.append("The password grant is offered, which teaches people to type passwords into programs.")
        }
        if metadata.responseTypesSupported?.contains(where: { $0.split(separator: " ").contains("token") }) == true {
            warnings.append("The implicit flow is offered; Tessera does not use it.")
        }
        return warnings
    }
}
