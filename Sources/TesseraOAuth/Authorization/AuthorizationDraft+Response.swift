// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

extension AuthorizationDraft {
    /// The secrets of the attempt, and those that came to the redirect URI.
    func secrets(_ parameters: FormParameters) -> CarriedSecrets {
        CarriedSecrets([self.state, self.binding.nonce] + self.parameters.secrets + parameters.secrets)
    }

    /// What parameters that are the attempt's own come to.
    func outcome(_ parameters: FormParameters) throws -> RedirectOutcome {
        do { return try self.judged(parameters) } catch { throw self.secrets(parameters).removed(from: error) }
    }

    private func judged(_ parameters: FormParameters) throws -> RedirectOutcome {
        let request = self.binding.request
        guard !request.effectiveResponseMode.isJWT else {
            guard let response = parameters["response"] else {
                throw Self.noCode("a signed response, as was asked for", "plain parameters")
            }
            if let iss = parameters["iss"] { try self.checkIssuer(iss) }
            return .unverified(
                UnverifiedAuthorizationResponse(draft: self, evidence: .signedResponse(Secret(response)))
            )
        }
        let code = try self.code(parameters)
        guard request.responseType == .codeIDToken else {
            return .response(AuthorizationResponse(code: code, idToken: nil, binding: self.binding))
        }
        guard let idToken = parameters["id_token"], !idToken.isEmpty else {
            throw ProtocolViolation(
                .idTokenMissing,
                expected: "an id_token beside the code",
                section: "OpenID Connect Core 1.0, section 3.3.2.5"
            )
        }
        return .unverified(
            UnverifiedAuthorizationResponse(draft: self, evidence: .idToken(Secret(idToken), code: code))
        )
    }

    /// The code, or the error, or what is wrong with the parameters.
    func code(_ parameters: FormParameters) throws -> Secret {
        try self.checkIssuer(parameters["iss"])
        if let code = parameters["error"] {
            throw OAuthError(
                OAuthError.Code(rawValue: code.isEmpty ? "invalid_request" : code),
                errorDescription: parameters["error_description"],
                errorURI: parameters["error_uri"]
            )
        }
        if parameters["response"] != nil {
            throw Self.noCode("plain parameters", "a JARM response that was not asked for")
        }
        let isHybrid = self.binding.request.responseType == .codeIDToken
        let unasked = ["access_token", "token_type"] + (isHybrid ? [] : ["id_token"])
        if let name = unasked.first(where: { parameters[$0] != nil }) {
            throw Self.noCode("a code and no other token than was asked for", name)
        }
        guard let code = parameters["code"] else { throw Self.noCode("a code or an error", "neither") }
        guard !code.isEmpty, code.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Self.noCode(
                "a code of printable ASCII characters",
                code.isEmpty ? "an empty code" : "other characters"
            )
        }
        return Secret(code)
    }

    /// RFC 9207, section 2.4: an `iss` has to be ours, announced or not; announced, it has to be there.
    private func checkIssuer(_ iss: String?) throws(ProtocolViolation) {
        let metadata = self.client.metadata
        if iss == nil, !metadata.authorizationResponseIssParameterSupported { return }
        guard let iss, iss.isExactly(metadata.issuer.url) else {
            throw ProtocolViolation(
                .redirectIssuer,
                expected: "iss to be \"\(metadata.issuer.url)\"",
                actual: iss.map { "\"\($0)\"" } ?? "none",
                section: "RFC 9207, section 2.4"
            )
        }
    }

    private static func noCode(_ expected: String, _ actual: String) -> ProtocolViolation {
        ProtocolViolation(.authorizationCode, expected: expected, actual: actual, section: "RFC 6749, section 4.1.2")
    }
}
