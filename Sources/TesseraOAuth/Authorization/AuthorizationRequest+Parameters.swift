// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension AuthorizationRequest {
    /// Names that only this module writes.
    static let reservedNames: Set<String> = [
        "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "code_verifier", "request", "request_uri", "prompt", "login_hint",
        "max_age", "acr_values", "ui_locales", "display", "id_token_hint", "claims", "resource",
        "authorization_details", "code", "grant_type", "access_token", "id_token", "refresh_token",
        "dpop_jkt",
    ]

    /// The request with the prompt that its scopes need, where the caller named none.
    ///
    /// OpenID Connect Core 1.0, section 11: for `offline_access` the prompt has to contain `consent`. A provider whose
    /// metadata lists prompts without `consent` does not know it.
    func withDefaultPrompt(at metadata: ServerMetadata) -> AuthorizationRequest {
        guard self.prompt.isEmpty, self.scopes.contains(.offlineAccess),
            metadata.promptValuesSupported?.contains(Prompt.consent.rawValue) ?? true
        else { return self }
        var request = self
        request.prompt = [.consent]
        return request
    }

    /// The parameters, in the order of sending.
    func parameters(
        clientID: String,
        state: Secret,
        nonce: Secret?,
        codeVerifier: CodeVerifier,
        dpopKey: DPoPKey?
    ) throws(InvalidRequestError) -> FormParameters {
        try self.check()
        var form = FormParameters()
        form.append("response_type", self.responseType.rawValue)
        form.append("response_mode", self.responseMode?.rawValue)
        form.append("client_id", clientID)
        form.append("redirect_uri", self.redirectURI.uri)
        form.append("scope", self.scopes.isEmpty ? nil : try ScopeList.text(self.scopes))
        form.append("state", state.withUnredacted { $0 })
        form.append("nonce", nonce?.withUnredacted { $0 })
        form.append("code_challenge", codeVerifier.codeChallenge)
        form.append("code_challenge_method", "S256")
        // RFC 9449, section 10: the code is bound to the key, so that nobody else can exchange it.
        form.append("dpop_jkt", dpopKey?.thumbprint)
        form.append("prompt", Self.list(self.prompt.map(\.rawValue)))
        form.append("login_hint", self.loginHint)
        form.append("max_age", self.maxAge.map(String.init))
        form.append("acr_values", Self.list(self.acrValues))
        form.append("ui_locales", Self.list(self.uiLocales))
        form.append("display", self.display)
        form.append("id_token_hint", self.idTokenHint?.withUnredacted { $0 })
        form.append("claims", self.claims.parameter)
        try form.append(resources: self.resources)
        form.append("authorization_details", try AuthorizationDetail.parameter(self.authorizationDetails))
        for (name, value) in self.additionalParameters.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        return form
    }

    private static func list(_ values: [String]) -> String? { values.isEmpty ? nil : values.joined(separator: " ") }

    private func check() throws(InvalidRequestError) {
        if let name = self.additionalParameters.keys.sorted().first(where: Self.reservedNames.contains) {
            throw InvalidRequestError(name, reason: "this parameter is written by the request itself")
        }
        if self.prompt.contains(.none), self.prompt.count > 1 {
            throw InvalidRequestError("prompt", reason: "none stands alone")
        }
        try self.checkResponse()
        if let nonce, nonce.withUnredacted(\.isEmpty) { throw InvalidRequestError("nonce", reason: "it is empty") }
        if let maxAge, maxAge < 0 { throw InvalidRequestError("max_age", reason: "seconds cannot be negative") }
    }

    private func checkResponse() throws(InvalidRequestError) {
        let mode = self.effectiveResponseMode
        switch self.responseType {
        case .code:
            guard mode != .fragment else {
                throw InvalidRequestError("response_mode", reason: "a code alone does not come in the fragment")
            }
        case .codeIDToken:
            guard self.asksForIDToken else {
                throw InvalidRequestError("response_type", reason: "id_token needs openid")
            }
            // OAuth 2.0 Multiple Response Type Encoding Practices, section 5: never in the query.
            guard mode == .fragment || mode == .formPost else {
                throw InvalidRequestError("response_mode", reason: "an ID token comes in the fragment or by form post")
            }
        }
    }
}
