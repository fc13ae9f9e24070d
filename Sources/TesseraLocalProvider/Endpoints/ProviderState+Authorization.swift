// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJOSE

extension ProviderState {
    /// The authorization endpoint: checks the request, then shows the first page, or answers at once.
    mutating func authorization(_ request: EndpointRequest, at now: Int64) -> EndpointResponse {
        do throws(AuthorizationFailure) {
            let attempt = try self.attempt(try Self.authorizationParameters(request), at: now)
            if attempt.prompts.contains("none") { return self.silentAnswer(attempt, request, at: now) }
            return self.firstPage(attempt, request, at: now)
        } catch {
            return self.errorPage(error)
        }
    }

    private static func authorizationParameters(
        _ request: EndpointRequest
    ) throws(AuthorizationFailure) -> FormParameters {
        let isForm = request.contentType == "application/x-www-form-urlencoded"
        guard request.method == .get || request.method == .post && isForm else {
            throw AuthorizationFailure(
                code: "invalid_request",
                explanation: "Send the request as a GET, or as a form.",
                status: .methodNotAllowed
            )
        }
        do {
            return try request.method == .get
                ? FormParameters(decoding: request.query) : FormParameters(decoding: request.body)
        } catch {
            throw AuthorizationFailure(code: "invalid_request", explanation: "The request is not a well-formed query.")
        }
    }

    /// The accounts that the request allows: those of the domain that `hd` names, or all.
    func candidates(_ attempt: AuthorizationAttempt) -> [LocalProviderAccount] {
        switch attempt.hostedDomain {
        case nil: self.options.accounts
        case "*": self.options.accounts.filter { $0.hostedDomain != nil }
        case let domain: self.options.accounts.filter { $0.hostedDomain == domain }
        }
    }

    private mutating func firstPage(
        _ attempt: AuthorizationAttempt,
        _ request: EndpointRequest,
        at now: Int64
    ) -> EndpointResponse {
        let hinted = attempt.loginHint.flatMap { self.account(hint: $0) }
        guard let hinted, self.candidates(attempt).contains(hinted),
            attempt.prompts.isDisjoint(with: ["select_account", "login"])
        else {
            let key = self.keep(attempt, at: now)
            return self.accountPage(attempt, key: key)
        }
        var attempt = attempt
        attempt.subject = hinted.subject
        attempt.authenticatedAt = self.signInTime(of: hinted, attempt, request, at: now)
        let isSignedIn = attempt.authenticatedAt != nil
        if isSignedIn, !self.needsConsent(attempt) {
            return self.grant(attempt, scopes: attempt.scopes, after: request, at: now, consented: false)
        }
        let key = self.keep(attempt, at: now)
        return self.consentPage(attempt, hinted, key: key)
    }

    /// `prompt=none`: a code, or an error on the redirect, never a page.
    private mutating func silentAnswer(
        _ attempt: AuthorizationAttempt,
        _ request: EndpointRequest,
        at now: Int64
    ) -> EndpointResponse {
        let hinted = attempt.loginHint.flatMap { self.account(hint: $0) }
        let signedIn = self.candidates(attempt)
            .filter { attempt.loginHint == nil || $0 == hinted }
            .filter { self.signInTime(of: $0, attempt, request, at: now) != nil }
        guard let account = signedIn.first else { return self.refusal(attempt, "login_required", after: request) }
        guard signedIn.count == 1 else { return self.refusal(attempt, "interaction_required", after: request) }
        var attempt = attempt
        attempt.subject = account.subject
        attempt.authenticatedAt = self.signInTime(of: account, attempt, request, at: now)
        guard !self.needsConsent(attempt) else { return self.refusal(attempt, "consent_required", after: request) }
        return self.grant(attempt, scopes: attempt.scopes, after: request, at: now, consented: false)
    }

    /// When the account signed in at this browser, unless that is longer ago than the request allows.
    private func signInTime(
        of account: LocalProviderAccount,
        _ attempt: AuthorizationAttempt,
        _ request: EndpointRequest,
        at now: Int64
    ) -> Int64? {
        guard let cookie = request.cookie(RememberedBrowser.cookieName),
            let time = self.browsers.entry(cookie, at: now)?.accounts[account.subject]
        else { return nil }
        if let maximumAge = attempt.maximumAge, now - time > maximumAge { return nil }
        return time
    }

    /// Whether the person must be asked: always with `prompt=consent`, else when something was not granted before.
    func needsConsent(_ attempt: AuthorizationAttempt) -> Bool {
        guard let subject = attempt.subject, !attempt.prompts.contains("consent") else { return true }
        let granted = self.consents[GrantKey(clientID: attempt.client.id, subject: subject)] ?? []
        return !granted.isSuperset(of: attempt.scopes)
    }

    /// Remembers an attempt; the key returned is the secret that its forms carry.
    private mutating func keep(_ attempt: AuthorizationAttempt, at now: Int64) -> String {
        let key = self.randomText()
        self.attempts.set(key, attempt, until: attempt.deadline, at: now)
        return key
    }
}

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

/// A request that the authorization endpoint answers with an error page of its own: nothing in it can be trusted
/// enough to send the browser on.
struct AuthorizationFailure: Error {
    var code: String
    var explanation: String
    var title = "Access blocked: the request is not valid"
    var status: HTTPResponse.Status = .badRequest
    /// What the developer sees under the explanation: names and values of the request, never a secret.
    var details: [(name: String, value: String)] = []
}

/// The rule by which a redirect URI belongs to a client.
enum RedirectURI {
    /// Whether the client may be answered at that address: the exact text of a registered one, or, for an installed
    /// client, any port and path of a loopback address (RFC 8252, section 7.3).
    static func belongs(_ uri: String, to client: LocalProviderClient) -> Bool {
        guard uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !uri.contains("#") else { return false }
        return client.redirectURIs.contains(uri) || client.kind == .installed && self.isLoopback(uri)
    }

    private static func isLoopback(_ uri: String) -> Bool {
        let hosts = ["http://127.0.0.1", "http://[::1]", "http://localhost"]
        guard let host = hosts.first(where: uri.hasPrefix), !uri.contains("\\") else { return false }
        var rest = uri.dropFirst(host.count)
        if rest.first == ":" {
            rest = rest.dropFirst()
            let digits = rest.prefix { $0 != "/" && $0 != "?" }
            guard digits.allSatisfy(\.isASCIIDigit), let port = UInt16(digits), port > 0 else { return false }
            rest = rest.dropFirst(digits.count)
        }
        return rest.isEmpty || rest.first == "/" || rest.first == "?"
    }

    /// The source expression that lets a form be answered by a redirect to that address.
    static func formActionSource(_ uri: String) -> String {
        guard let end = uri.firstRange(of: "://")?.upperBound else {
            return uri.prefix { $0 != ":" } + ":"
        }
        let origin = uri.prefix(upTo: end) + uri.suffix(from: end).prefix { $0 != "/" && $0 != "?" }
        // A host source has no syntax for IPv6 literals.
        return origin.contains("[") ? String(uri.prefix(upTo: end).dropLast(2)) : String(origin)
    }
}

extension Character {
    /// Whether the character is one of 0…9.
    var isASCIIDigit: Bool { self.isASCII && self.isNumber }
}
#endif
