// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJOSE

extension ProviderState {
    /// Checks an authorization request; what comes out of here has a client and a redirect URI that belong together.
    func attempt(_ parameters: FormParameters, at now: Int64) throws(AuthorizationFailure) -> AuthorizationAttempt {
        if let name = parameters.repeatedName {
            throw AuthorizationFailure(code: "invalid_request", explanation: "The parameter “\(name)” is repeated.")
        }
        let client = try self.client(parameters)
        let redirectURI = try Self.required("redirect_uri", parameters)
        guard RedirectURI.belongs(redirectURI, to: client) else {
            throw AuthorizationFailure(
                code: "redirect_uri_mismatch",
                explanation: client.kind == .installed
                    ? "A desktop client is answered at http://127.0.0.1, http://[::1] or http://localhost, at any port."
                    : "The redirect URI in the request does not match the ones registered for the client.",
                details: [("redirect_uri", redirectURI)]
            )
        }
        let responseType = try Self.required("response_type", parameters)
        guard responseType == "code" else {
            throw AuthorizationFailure(
                code: "unsupported_response_type",
                explanation: "Only the authorization code flow is offered here.",
                details: [("response_type", responseType)]
            )
        }
        try Self.refuseUnsupported(parameters)
        return AuthorizationAttempt(
            client: client,
            redirectURI: redirectURI,
            scopes: try self.scopes(parameters),
            state: parameters["state"],
            nonce: parameters["nonce"],
            codeChallenge: try Self.codeChallenge(parameters),
            isOffline: client.kind == .installed || parameters["access_type"] == "offline",
            includesGrantedScopes: parameters["include_granted_scopes"] == "true",
            prompts: try Self.prompts(parameters),
            loginHint: parameters["login_hint"],
            hostedDomain: parameters["hd"],
            maximumAge: try Self.maximumAge(parameters),
            audience: try self.audience(parameters),
            deadline: now + Self.attemptLifetime
        )
    }

    private func client(_ parameters: FormParameters) throws(AuthorizationFailure) -> LocalProviderClient {
        let id = try Self.required("client_id", parameters)
        guard let client = self.client(id) else {
            throw AuthorizationFailure(
                code: "invalid_client",
                explanation: "The OAuth client was not found.",
                status: .unauthorized,
                details: [("client_id", id)]
            )
        }
        return client
    }

    /// Another client of the same project, as Google's `audience` names it.
    private func audience(_ parameters: FormParameters) throws(AuthorizationFailure) -> String? {
        guard let id = parameters["audience"], self.client(id)?.kind != .web else { return parameters["audience"] }
        throw AuthorizationFailure(
            code: "invalid_request",
            explanation: "The audience is no web client of this project.",
            details: [("audience", id)]
        )
    }

    private func scopes(_ parameters: FormParameters) throws(AuthorizationFailure) -> [String] {
        let scopes = ScopeCatalog.canonical(list: try Self.required("scope", parameters))
        let unknown = scopes.filter { self.scopeCatalog.description(of: $0) == nil }
        guard unknown.isEmpty, !scopes.isEmpty else {
            throw AuthorizationFailure(
                code: "invalid_scope",
                explanation: "Some requested scopes are not known here.",
                details: unknown.map { ("scope", $0) }
            )
        }
        return scopes
    }

    private static func required(
        _ name: String,
        _ parameters: FormParameters
    ) throws(AuthorizationFailure) -> String {
        guard let value = parameters[name] else {
            throw AuthorizationFailure(code: "invalid_request", explanation: "Missing required parameter: \(name)")
        }
        return value
    }

    private static func refuseUnsupported(_ parameters: FormParameters) throws(AuthorizationFailure) {
        let mode = parameters["response_mode"] ?? "query"
        let accessType = parameters["access_type"] ?? "online"
        let failure: (String, String)? =
            if parameters["request"] != nil || parameters["request_uri"] != nil {
                ("request_not_supported", "Request objects are not supported.")
            } else if mode != "query" {
                ("invalid_request", "The response mode must be “query”.")
            } else if !["online", "offline"].contains(accessType) {
                ("invalid_request", "The access type must be “online” or “offline”.")
            } else {
                nil
            }
        if let failure { throw AuthorizationFailure(code: failure.0, explanation: failure.1) }
    }

    private static func codeChallenge(_ parameters: FormParameters) throws(AuthorizationFailure) -> String {
        let challenge = try self.required("code_challenge", parameters)
        guard parameters["code_challenge_method"] == "S256" else {
            throw AuthorizationFailure(
                code: "invalid_request",
                explanation: "The code challenge method must be S256."
            )
        }
        guard Base64URL.decode(challenge)?.count == 32 else {
            throw AuthorizationFailure(
                code: "invalid_request",
                explanation: "The code challenge is not the base64url text of a SHA-256 digest."
            )
        }
        return challenge
    }

    private static func prompts(_ parameters: FormParameters) throws(AuthorizationFailure) -> Set<String> {
        let prompts = Set((parameters["prompt"] ?? "").split(separator: " ").map(String.init))
        guard prompts.isSubset(of: ["none", "login", "consent", "select_account"]),
            !prompts.contains("none") || prompts.count == 1
        else {
            throw AuthorizationFailure(code: "invalid_request", explanation: "Invalid parameter value for prompt.")
        }
        return prompts
    }

    private static func maximumAge(_ parameters: FormParameters) throws(AuthorizationFailure) -> Int64? {
        guard let text = parameters["max_age"] else { return nil }
        guard text.allSatisfy(\.isASCIIDigit), let seconds = Int64(text) else {
            throw AuthorizationFailure(code: "invalid_request", explanation: "Invalid parameter value for max_age.")
        }
        return seconds
    }
}
#endif
