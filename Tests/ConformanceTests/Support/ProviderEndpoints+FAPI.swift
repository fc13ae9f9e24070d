// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting

extension ProviderEndpoints {
    /// The issuer identifier of a provider behind a gateway.
    static let fapiIssuer = "https://" + GatewayTransport.host

    /// The state that only FAPI 2.0 requires.
    struct Pushed: Sendable {
        /// The parameters of pushed requests that have not been used.
        var requests: [String: [FormParameter]] = [:]
        /// The thumbprint that each access token is bound to.
        var bindings: [String: String] = [:]
        /// The IDs of the proofs that have been used.
        var proofIDs: Set<String> = []
    }

    /// The reason why a request does not prove possession of a key or certificate.
    enum BindingError: String, Error {
        case useNonce = "use_dpop_nonce"
        case invalid = "invalid_dpop_proof"
    }

    /// The members of the metadata that FAPI 2.0 adds.
    func fapiMetadata(_ issuer: String) -> Behavior.Members {
        guard let variant else { return [:] }
        var members: Behavior.Members = [
            "pushed_authorization_request_endpoint": .string(issuer + "/par"),
            "authorization_response_iss_parameter_supported": true,
            "response_modes_supported": ["query", "jwt"],
            "authorization_signing_alg_values_supported": [.string(self.behavior.algorithm.rawValue)],
            "token_endpoint_auth_signing_alg_values_supported": ["PS256", "ES256", "EdDSA"],
            "tls_client_certificate_bound_access_tokens": .bool(!variant.usesDPoP),
        ]
        if variant.usesDPoP { members["dpop_signing_alg_values_supported"] = ["PS256", "ES256", "EdDSA"] }
        if variant.usesCertificate {
            let base = "https://" + GatewayTransport.certificateHost
            members["mtls_endpoint_aliases"] = .members([
                "pushed_authorization_request_endpoint": .string(base + "/par"),
                "token_endpoint": .string(base + "/token"), "userinfo_endpoint": .string(base + "/userinfo"),
            ])
        }
        return members
    }

    /// Stores the parameters of a pushed request (RFC 9126, section 2).
    func push(_ request: RecordedRequest, _ issuer: String) throws -> HostileResponse {
        guard let variant, try self.isAuthentic(request, issuer) else {
            return .json(#"{"error":"invalid_client"}"#, status: .unauthorized)
        }
        let binding = try self.binding(of: request)
        let parameters = request.form.filter { !$0.name.hasPrefix("client_assertion") }
        guard request.head.method == .post, request.formValue("request_uri") == nil,
            Set(parameters.map(\.name)).count == parameters.count,
            request.formValue("dpop_jkt") == (variant.usesDPoP ? binding : nil)
        else { return .json(#"{"error":"invalid_request"}"#, status: .badRequest) }
        let reference = self.pushed.withLock { pushed in
            let reference = "urn:ietf:params:oauth:request_uri:\(pushed.requests.count)"
            pushed.requests[reference] = parameters
            return reference
        }
        return .json(#"{"request_uri":"\#(reference)","expires_in":60}"#, status: .created)
    }

    /// Returns the parameters of an authorization request, which must have been pushed if the provider has a variant.
    func authorizationParameters(_ query: [FormParameter]) -> [FormParameter]? {
        guard self.variant != nil else { return query }
        guard Set(query.map(\.name)) == ["client_id", "request_uri"], query.count == 2,
            let reference = query.first(where: { $0.name == "request_uri" })?.value
        else { return nil }
        return self.pushed.withLock { $0.requests[reference] }
    }

    /// Returns the thumbprint of the key or certificate that a request proves, or nil if the provider has no variant.
    ///
    /// - SeeAlso: [RFC 9449, section 4.3](https://www.rfc-editor.org/rfc/rfc9449.html#section-4.3),
    ///   [RFC 8705, section 3](https://www.rfc-editor.org/rfc/rfc8705.html#section-3)
    func binding(of request: RecordedRequest, accessToken: String? = nil) throws(BindingError) -> String? {
        guard let variant else { return nil }
        guard variant.usesDPoP else {
            guard let certificate = request.clientCertificate else { throw .invalid }
            return certificate
        }
        guard let text = request.head.headerFields[field: "DPoP"], let proof = try? CompactJWS(parsing: text),
            proof.header.type == "dpop+jwt", let member = proof.header.fields["jwk"],
            let key = try? JWK(parsing: member), (try? proof.verify(with: key)) != nil,
            let claims = try? proof.claims(), claims["htm"]?.string == request.head.method.rawValue,
            claims["htu"]?.string == "https://\(request.gatewayHost ?? "")\(request.path)",
            claims["ath"]?.string == (try? Self.hash(of: accessToken, request)),
            let id = claims["jti"]?.string, self.pushed.withLock({ $0.proofIDs.insert(id).inserted })
        else { throw .invalid }
        guard claims["nonce"]?.string == self.nonce(for: request) else { throw .useNonce }
        return key.thumbprint
    }

    /// Returns the response to a request that does not prove possession.
    func rejection(_ error: BindingError, of request: RecordedRequest) -> HostileResponse {
        var fields: HTTPFields = [:]
        fields[field: "DPoP-Nonce"] = self.nonce(for: request)
        guard request.path == "/userinfo" else {
            return .json(#"{"error":"\#(error.rawValue)"}"#, status: .badRequest, headerFields: fields)
        }
        fields[.wwwAuthenticate] = #"\#(self.behavior.challengeScheme) error="\#(error.rawValue)""#
        return .status(.unauthorized, headerFields: fields)
    }

    /// Returns whether a request has an access token with the key or certificate that the token is bound to.
    func isAuthorized(_ request: RecordedRequest) throws(BindingError) -> Bool {
        let field = request.head.headerFields[.authorization] ?? ""
        guard let variant else { return field.hasPrefix("Bearer access-") }
        let scheme = variant.usesDPoP ? "DPoP " : "Bearer "
        guard field.hasPrefix(scheme) else { return false }
        let token = String(field.dropFirst(scheme.count))
        let binding = try self.binding(of: request, accessToken: token)
        return self.pushed.withLock { $0.bindings[token] == binding && binding != nil }
    }

    /// Each path has its own nonce, so that every request is rejected once.
    private func nonce(for request: RecordedRequest) -> String? {
        self.behavior.dpopNonce.map { $0 + request.path }
    }

    private static func hash(of accessToken: String?, _ request: RecordedRequest) throws -> String? {
        try DPoPProof(for: request.head, accessToken: accessToken.map { Secret($0) }).accessTokenHash
    }
}
