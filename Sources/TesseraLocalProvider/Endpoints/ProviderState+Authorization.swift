// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraJOSE

extension ProviderState {
    /// Validates an authorization request and returns the first page or an immediate redirect.
    mutating func authorization(_ request: ProviderRequest) throws(AuthorizationFailure) -> ProviderResponse {
        let attempt = try self.attempt(try Self.authorizationParameters(request))
        if attempt.prompts.contains("none") { return self.silentResponse(attempt, request) }
        return self.firstPage(attempt, request)
    }

    private static func authorizationParameters(
        _ request: ProviderRequest
    ) throws(AuthorizationFailure) -> FormParameters {
        guard request.method == .get || request.method == .post && request.isForm else {
            let explanation = "Send the request with the method GET, or as a form."
            throw AuthorizationFailure("invalid_request", explanation, status: .methodNotAllowed)
        }
        let isQuery = request.method == .get
        guard let parameters = isQuery ? try? FormParameters(received: request.query) : request.form else {
            throw .invalidRequest("The request is not a well-formed query.")
        }
        return parameters
    }

    /// Returns the accounts that the request allows, which are those in the `hd` domain if it is set, and all
    /// otherwise.
    func candidates(_ attempt: AuthorizationAttempt) -> [LocalProviderAccount] {
        switch attempt.hostedDomain {
        case nil: self.options.accounts
        case "*": self.options.accounts.filter { $0.hostedDomain != nil }
        case let domain: self.options.accounts.filter { $0.hostedDomain == domain }
        }
    }

    private mutating func firstPage(_ attempt: AuthorizationAttempt, _ request: ProviderRequest) -> ProviderResponse {
        let hinted = attempt.loginHint.flatMap { self.account(hint: $0) }
        guard let hinted, self.candidates(attempt).contains(hinted),
            attempt.prompts.isDisjoint(with: ["select_account", "login"])
        else {
            let key = self.save(attempt)
            return self.accountPage(attempt, key: key)
        }
        var attempt = attempt
        attempt.subject = hinted.subject
        attempt.authenticatedAt = self.signInTime(of: hinted, attempt, request)
        let isSignedIn = attempt.authenticatedAt != nil
        if isSignedIn, !self.needsConsent(attempt) {
            return self.grant(attempt, scopes: attempt.scopes, after: request, consented: false)
        }
        let key = self.save(attempt)
        return self.consentPage(attempt, hinted, key: key)
    }

    /// Returns the response to `prompt=none`, which is always a redirect with a code or an error, never a page.
    private mutating func silentResponse(
        _ attempt: AuthorizationAttempt,
        _ request: ProviderRequest
    ) -> ProviderResponse {
        let hinted = attempt.loginHint.flatMap { self.account(hint: $0) }
        let signedIn = self.candidates(attempt)
            .filter { attempt.loginHint == nil || $0 == hinted }
            .filter { self.signInTime(of: $0, attempt, request) != nil }
        guard let account = signedIn.first else { return self.refusal(attempt, "login_required", after: request) }
        guard signedIn.count == 1 else { return self.refusal(attempt, "interaction_required", after: request) }
        var attempt = attempt
        attempt.subject = account.subject
        attempt.authenticatedAt = self.signInTime(of: account, attempt, request)
        guard !self.needsConsent(attempt) else { return self.refusal(attempt, "consent_required", after: request) }
        return self.grant(attempt, scopes: attempt.scopes, after: request, consented: false)
    }

    /// Returns the time at which the account signed in with this browser, or `nil` if the request requires a more
    /// recent sign-in.
    private func signInTime(
        of account: LocalProviderAccount,
        _ attempt: AuthorizationAttempt,
        _ request: ProviderRequest
    ) -> Int64? {
        guard let cookie = request.cookie(RememberedBrowser.cookieName),
            let time = self.browsers.entry(cookie, at: self.now)?.accounts[account.subject]
        else { return nil }
        if let maximumAge = attempt.maximumAge, self.now - time > maximumAge { return nil }
        return time
    }

    /// Returns whether the user must consent, which is the case for `prompt=consent` or if any scope has not been
    /// granted before.
    func needsConsent(_ attempt: AuthorizationAttempt) -> Bool {
        guard let subject = attempt.subject, !attempt.prompts.contains("consent") else { return true }
        let granted = self.consents[ConsentKey(clientID: attempt.client.id, subject: subject)] ?? []
        return !granted.isSuperset(of: attempt.scopes)
    }

    /// Saves an attempt and returns its key, which is the secret included in its forms.
    private mutating func save(_ attempt: AuthorizationAttempt) -> String {
        let key = self.randomText()
        self.attempts.set(key, attempt, until: attempt.deadline, at: self.now)
        return key
    }

    /// Validates an authorization request and verifies that the redirect URI belongs to the client.
    func attempt(_ parameters: FormParameters) throws(AuthorizationFailure) -> AuthorizationAttempt {
        if let name = parameters.repeatedName { throw .invalidRequest("The parameter “\(name)” is repeated.") }
        let client = try self.client(parameters)
        let redirectURI = try Self.required("redirect_uri", parameters)
        guard RedirectURI.belongs(redirectURI, to: client) else {
            let explanation =
                client.kind == .installed
                ? "A desktop client must use http://127.0.0.1, http://[::1] or http://localhost, with any port."
                : "The redirect URI in the request does not match the ones registered for the client."
            throw AuthorizationFailure("redirect_uri_mismatch", explanation, [("redirect_uri", redirectURI)])
        }
        let responseType = try Self.required("response_type", parameters)
        guard responseType == "code" else {
            let explanation = "This provider only supports the authorization code flow."
            throw AuthorizationFailure("unsupported_response_type", explanation, [("response_type", responseType)])
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
            deadline: self.now + Self.attemptLifetime
        )
    }

    private func client(_ parameters: FormParameters) throws(AuthorizationFailure) -> LocalProviderClient {
        let id = try Self.required("client_id", parameters)
        guard let client = self.client(id) else {
            let explanation = "The OAuth client was not found."
            throw AuthorizationFailure("invalid_client", explanation, [("client_id", id)], status: .unauthorized)
        }
        return client
    }

    /// Returns the client ID in Google's `audience` parameter, which must be that of a web client in the same project.
    private func audience(_ parameters: FormParameters) throws(AuthorizationFailure) -> String? {
        guard let id = parameters["audience"], self.client(id)?.kind != .web else { return parameters["audience"] }
        let explanation = "The audience is not a web client of this project."
        throw AuthorizationFailure("invalid_request", explanation, [("audience", id)])
    }

    private func scopes(_ parameters: FormParameters) throws(AuthorizationFailure) -> [String] {
        let scopes = ScopeCatalog.canonical(list: try Self.required("scope", parameters))
        let unknown = scopes.filter { self.scopeCatalog.description(of: $0) == nil }
        guard unknown.isEmpty, !scopes.isEmpty else {
            let explanation = "Some requested scopes are unknown."
            throw AuthorizationFailure("invalid_scope", explanation, unknown.map { ("scope", $0) })
        }
        return scopes
    }

    private static func required(_ name: String, _ parameters: FormParameters) throws(AuthorizationFailure) -> String {
        guard let value = parameters[name] else { throw .invalidRequest("Missing required parameter: \(name)") }
        return value
    }

    private static func refuseUnsupported(_ parameters: FormParameters) throws(AuthorizationFailure) {
        let mode = parameters["response_mode"] ?? "query"
        let accessType = parameters["access_type"] ?? "online"
        if parameters["request"] != nil || parameters["request_uri"] != nil {
            throw AuthorizationFailure("request_not_supported", "Request objects are not supported.")
        }
        if mode != "query" { throw .invalidRequest("The response mode must be “query”.") }
        if !["online", "offline"].contains(accessType) {
            throw .invalidRequest("The access type must be “online” or “offline”.")
        }
    }

    private static func codeChallenge(_ parameters: FormParameters) throws(AuthorizationFailure) -> String {
        let challenge = try self.required("code_challenge", parameters)
        guard parameters["code_challenge_method"] == "S256" else {
            throw .invalidRequest("The code challenge method must be S256.")
        }
        guard Base64URL.decode(challenge)?.count == 32 else {
            throw .invalidRequest("The code challenge is not a base64url-encoded SHA-256 digest.")
        }
        return challenge
    }

    private static func prompts(_ parameters: FormParameters) throws(AuthorizationFailure) -> Set<String> {
        let prompts = Set((parameters["prompt"] ?? "").split(separator: " ").map(String.init))
        guard prompts.isSubset(of: ["none", "login", "consent", "select_account"]),
            !prompts.contains("none") || prompts.count == 1
        else { throw .invalidRequest("Invalid parameter value for prompt.") }
        return prompts
    }

    private static func maximumAge(_ parameters: FormParameters) throws(AuthorizationFailure) -> Int64? {
        guard let text = parameters["max_age"] else { return nil }
        guard text.allSatisfy(\.isASCIIDigit), let seconds = Int64(text) else {
            throw .invalidRequest("Invalid parameter value for max_age.")
        }
        return seconds
    }
}

/// An authorization request that results in an error page because a redirect would not be safe.
struct AuthorizationFailure: EndpointFailure {
    var code: String
    var explanation: String
    var title: String
    var status: HTTPResponse.Status
    /// The request parameters that help the developer.
    ///
    /// They never include secrets.
    var details: [(name: String, value: String)]

    static func invalidRequest(_ explanation: String) -> Self { Self("invalid_request", explanation) }

    init(
        _ code: String,
        _ explanation: String,
        _ details: [(name: String, value: String)] = [],
        title: String = "Access blocked: the request is not valid",
        status: HTTPResponse.Status = .badRequest
    ) {
        (self.code, self.explanation, self.details) = (code, explanation, details)
        (self.title, self.status) = (title, status)
    }
}

/// Matches redirect URIs with clients.
enum RedirectURI {
    /// Returns whether a redirect URI belongs to a client.
    ///
    /// The URI must exactly match a registered one. An installed app can also use any port and path on a loopback
    /// address (RFC 8252, section 7.3).
    static func belongs(_ uri: String, to client: LocalProviderClient) -> Bool {
        guard uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !uri.contains("#") else { return false }
        return client.redirectURIs.contains(uri) || client.kind == .installed && self.isLoopback(uri)
    }

    private static func isLoopback(_ uri: String) -> Bool {
        guard let parts = URIParts(uri), parts.userinfo == nil, let host = parts.host else { return false }
        // Compare the original text, because `URIParts` ignores the case of the scheme and host.
        return ["127.0.0.1", "[::1]", "localhost"].contains(host) && uri.hasPrefix("http://\(host)")
    }

    /// Returns the content security policy source that lets a form redirect to the URI.
    static func formActionSource(_ uri: String) -> String {
        guard let end = uri.firstRange(of: "://")?.upperBound else { return uri.prefix { $0 != ":" } + ":" }
        let origin = uri.prefix(upTo: end) + uri.suffix(from: end).prefix { $0 != "/" && $0 != "?" }
        // A host source cannot contain an IPv6 address literal.
        return origin.contains("[") ? String(uri.prefix(upTo: end).dropLast(2)) : String(origin)
    }
}

extension Character {
    var isASCIIDigit: Bool { self.isASCII && self.isNumber }
}
#endif
