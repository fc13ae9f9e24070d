// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraOAuth

extension ProviderState {
    mutating func accountChoice(_ request: ProviderRequest) throws(AuthorizationFailure) -> ProviderResponse {
        let form = try self.ownForm(request)
        var (key, attempt) = try self.openAttempt(form)
        if form["action"] == "cancel" {
            self.attempts.remove(key, at: self.now)
            return self.refusal(attempt, "access_denied", after: request)
        }
        guard let subject = form["account"], let account = self.account(subject),
            self.candidates(attempt).contains(account)
        else { throw .invalidRequest("This account is not in the list.") }
        attempt.subject = subject
        attempt.authenticatedAt = self.now
        if self.needsConsent(attempt) {
            self.attempts.set(key, attempt, until: attempt.deadline, at: self.now)
            return self.consentPage(attempt, account, key: key)
        }
        self.attempts.remove(key, at: self.now)
        return self.grant(attempt, scopes: attempt.scopes, after: request, consented: false)
    }

    mutating func consent(_ request: ProviderRequest) throws(AuthorizationFailure) -> ProviderResponse {
        let form = try self.ownForm(request)
        var (key, attempt) = try self.openAttempt(form)
        guard attempt.subject != nil, let action = form["action"], ["allow", "cancel"].contains(action) else {
            throw .invalidRequest("The form is not complete.")
        }
        self.attempts.remove(key, at: self.now)
        if action == "cancel" { return self.refusal(attempt, "access_denied", after: request) }
        let ticked = Set(form.values("scope").map { ScopeCatalog.canonical($0) })
        let scopes = attempt.scopes.filter { ScopeCatalog.isSignIn($0) || ticked.contains($0) }
        guard !scopes.isEmpty else { return self.refusal(attempt, "access_denied", after: request) }
        attempt.authenticatedAt = attempt.authenticatedAt ?? self.now
        return self.grant(attempt, scopes: scopes, after: request, consented: true)
    }

    /// Returns a form's fields after verifying that it was not sent by another site.
    ///
    /// Browsers send the origin of the page.
    private func ownForm(_ request: ProviderRequest) throws(AuthorizationFailure) -> FormParameters {
        // Behind a proxy that terminates TLS, the origin has another scheme than the request.
        let own = ["\(self.options.tls ? "https" : "http")://\(request.head.authority ?? "")", self.baseURL]
        if let origin = request.headers[.origin], !own.contains(where: { $0.lowercased() == origin.lowercased() }) {
            throw AuthorizationFailure("invalid_request", "The form was sent by another site.", status: .forbidden)
        }
        guard let form = request.form else { throw .invalidRequest("The request is not a well-formed form.") }
        return form
    }

    private func openAttempt(
        _ form: FormParameters
    ) throws(AuthorizationFailure) -> (key: String, attempt: AuthorizationAttempt) {
        guard let key = form["attempt"], let attempt = self.attempts.entry(key, at: self.now) else {
            let explanation = "This page was already used or has expired. Start the sign-in again in your app."
            throw AuthorizationFailure("expired", explanation, title: "This page has expired")
        }
        return (key, attempt)
    }

    /// Issues a code for the scopes and redirects the browser to the client.
    mutating func grant(
        _ attempt: AuthorizationAttempt,
        scopes: [String],
        after request: ProviderRequest,
        consented: Bool
    ) -> ProviderResponse {
        guard let subject = attempt.subject else { return self.refusal(attempt, "server_error", after: request) }
        let grant = ConsentKey(clientID: attempt.client.id, subject: subject)
        let earlier = self.consents[grant] ?? []
        self.consents[grant] = earlier.union(scopes)
        let all = attempt.includesGrantedScopes ? scopes + earlier.subtracting(scopes).sorted() : scopes
        let code = "4/" + self.randomText()
        self.codes.set(
            code,
            AuthorizationCode(
                authorization: Authorization(
                    clientID: attempt.client.id,
                    subject: subject,
                    scopes: all,
                    isOffline: attempt.client.kind == .installed || attempt.isOffline && consented,
                    audience: attempt.audience,
                    nonce: attempt.nonce,
                    authenticatedAt: attempt.maximumAge == nil ? nil : attempt.authenticatedAt
                ),
                redirectURI: attempt.redirectURI,
                codeChallenge: attempt.codeChallenge,
                deadline: self.now + Self.codeLifetime
            ),
            until: self.now + 2 * Self.codeLifetime,
            at: self.now
        )
        var parameters = [(name: "code", value: code), ("scope", all.joined(separator: " ")), ("authuser", "0")]
        if let domain = self.account(subject)?.hostedDomain { parameters.append(("hd", domain)) }
        parameters.append(("prompt", consented ? "consent" : "none"))
        var response = self.redirect(attempt, parameters, after: request)
        response.headers[.setCookie] = self.remember(subject, since: attempt.authenticatedAt ?? self.now, request)
        return response
    }

    func refusal(_ attempt: AuthorizationAttempt, _ code: String, after request: ProviderRequest) -> ProviderResponse {
        self.redirect(attempt, [("error", code)], after: request)
    }

    private func redirect(
        _ attempt: AuthorizationAttempt,
        _ parameters: [(name: String, value: String)],
        after request: ProviderRequest
    ) -> ProviderResponse {
        var query = FormParameters()
        query.append("state", attempt.state)
        if self.behavior.sendsIssuerInRedirects { query.append("iss", self.baseURL) }
        for (name, value) in parameters { query.append(name, value) }
        let separator = attempt.redirectURI.contains("?") ? "&" : "?"
        return .redirect(to: attempt.redirectURI + separator + query.encoded, after: request.method)
    }

    /// Adds the account to the ones remembered for this browser and returns the browser's cookie.
    private mutating func remember(_ subject: String, since time: Int64, _ request: ProviderRequest) -> String {
        let known = request.cookie(RememberedBrowser.cookieName)
        let browser = known.flatMap { self.browsers.entry($0, at: self.now) }
        var remembered = browser ?? RememberedBrowser()
        remembered.accounts[subject] = time
        let key = browser == nil ? self.randomText() : known ?? self.randomText()
        self.browsers.set(key, remembered, until: self.now + RememberedBrowser.lifetime, at: self.now)
        let secure = self.options.tls || self.baseURL.hasPrefix("https:") ? "; Secure" : ""
        let attributes = "Path=/; Max-Age=\(RememberedBrowser.lifetime); HttpOnly; SameSite=Lax\(secure)"
        return "\(RememberedBrowser.cookieName)=\(key); \(attributes)"
    }
}
#endif
